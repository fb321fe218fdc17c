import { isObject, own, type Parsed } from './json.ts';
import { oneOf } from './one-of.ts';
import { readOrder, readPurchases } from './order-details.ts';
import { collectProblems, copyObject, isAbsent, settleTexts, type Say } from './problems.ts';
import {
  DISPLAY_MODES,
  VIEWS,
  type Attributes,
  type CustomMetadata,
  type PlacementDetails,
  type RecommendationRequest,
} from './recommendations.ts';
import { readUser } from './user-details.ts';

const DEVICE_TYPES = ['MOBILE', 'TABLET', 'DESKTOP'] as const;

/**
 * A recommendations request with exactly one identifier, a known view and display mode, and optional parts of the right
 * type. Unknown top-level fields are dropped, unknown fields inside the parts are kept.
 */
export function parseRecommendationRequest(json: unknown): Parsed<RecommendationRequest> {
  if (!isObject(json)) return { ok: false, problems: [{ path: '', message: 'the body must be a JSON object' }] };
  const { problems, say } = collectProblems();
  const user_details = readUser(own(json, 'user_details'), say);
  const placement_details = readPlacement(own(json, 'placement_details'), say);
  const order_details = readOrder(own(json, 'order_details'), say);
  const purchases = readPurchases(own(json, 'purchases'), say);
  const attributes = readAttributes(own(json, 'attributes'), say);
  const custom_metadata = readMetadata(own(json, 'custom_metadata'), say);
  if (problems.length > 0 || !user_details || !placement_details) return { ok: false, problems };

  const value: RecommendationRequest = { user_details, placement_details };
  if (order_details) value.order_details = order_details;
  if (purchases) value.purchases = purchases;
  if (attributes) value.attributes = attributes;
  if (custom_metadata) value.custom_metadata = custom_metadata;
  for (const field of ['shipping', 'billing', 'running_experiments'] as const) {
    if (!isAbsent(own(json, field))) value[field] = own(json, field);
  }
  return { ok: true, value };
}

function readPlacement(json: unknown, say: Say): PlacementDetails | undefined {
  const placement = copyObject(json, 'placement_details', say);
  if (!placement) {
    if (isAbsent(json)) say('placement_details', 'is required');
    return undefined;
  }
  const view = oneOf(VIEWS, placement['view']);
  const display_mode = oneOf(DISPLAY_MODES, placement['display_mode']);
  if (!view) say('placement_details.view', `must be one of ${VIEWS.join(', ')}`);
  if (!display_mode) say('placement_details.display_mode', `must be one of ${DISPLAY_MODES.join(', ')}`);
  settleTexts(placement, ['widget_id', 'sub_view'], 'placement_details', say);
  return view && display_mode ? { ...placement, view, display_mode } : undefined;
}

function readAttributes(json: unknown, say: Say): Attributes | undefined {
  const attributes = copyObject(json, 'attributes', say);
  settleTexts(
    attributes,
    ['operating_system', 'user_agent', 'language', 'ip_address', 'platform_type'],
    'attributes',
    say,
  );
  const device = own(attributes, 'device_type');
  if (device !== undefined && !oneOf(DEVICE_TYPES, device))
    say('attributes.device_type', `must be one of ${DEVICE_TYPES.join(', ')}`);
  return attributes;
}

function readMetadata(json: unknown, say: Say): CustomMetadata | undefined {
  const metadata = copyObject(json, 'custom_metadata', say);
  const isSandbox = own(metadata, 'is_sandbox');
  if (isSandbox !== undefined && typeof isSandbox !== 'boolean')
    say('custom_metadata.is_sandbox', 'must be true or false');
  return metadata;
}
