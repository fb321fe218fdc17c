import { isObject, own, type Parsed } from '../json.ts';
import { oneOf } from '../oneOf.ts';
import { readOrder, readPurchases } from './readOrder.ts';
import { collectProblems, copyObject, isAbsent, normalizeTexts, type AddProblem } from '../problems.ts';
import {
  DISPLAY_MODES,
  VIEWS,
  type Attributes,
  type CustomMetadata,
  type PlacementDetails,
  type IdentifiedRequest,
} from './request.ts';
import { readUser } from './readUser.ts';

const DEVICE_TYPES = ['MOBILE', 'TABLET', 'DESKTOP'] as const;

/**
 * Parses a recommendations request: exactly one identifier, a known view and display mode, and optional parts of the right
 * type. Unknown top-level fields are dropped; unknown fields inside the parts are kept.
 */
export function parseRecommendationRequest(json: unknown): Parsed<IdentifiedRequest> {
  if (!isObject(json)) return { ok: false, problems: [{ path: '', message: 'the body must be a JSON object' }] };
  const { problems, addProblem } = collectProblems();
  const user_details = readUser(own(json, 'user_details'), addProblem);
  const placement_details = readPlacement(own(json, 'placement_details'), addProblem);
  const order_details = readOrder(own(json, 'order_details'), addProblem);
  const purchases = readPurchases(own(json, 'purchases'), addProblem);
  const attributes = readAttributes(own(json, 'attributes'), addProblem);
  const custom_metadata = readMetadata(own(json, 'custom_metadata'), addProblem);
  if (problems.length > 0 || !user_details || !placement_details) return { ok: false, problems };

  const value: IdentifiedRequest = { user_details, placement_details };
  if (order_details) value.order_details = order_details;
  if (purchases) value.purchases = purchases;
  if (attributes) value.attributes = attributes;
  if (custom_metadata) value.custom_metadata = custom_metadata;
  for (const field of ['shipping', 'billing', 'running_experiments'] as const) {
    if (!isAbsent(own(json, field))) value[field] = own(json, field);
  }
  return { ok: true, value };
}

function readPlacement(json: unknown, addProblem: AddProblem): PlacementDetails | undefined {
  const placement = copyObject(json, 'placement_details', addProblem);
  if (!placement) {
    if (isAbsent(json)) addProblem('placement_details', 'is required');
    return undefined;
  }
  const view = oneOf(VIEWS, placement['view']);
  const display_mode = oneOf(DISPLAY_MODES, placement['display_mode']);
  if (!view) addProblem('placement_details.view', `must be one of ${VIEWS.join(', ')}`);
  if (!display_mode) addProblem('placement_details.display_mode', `must be one of ${DISPLAY_MODES.join(', ')}`);
  normalizeTexts(placement, ['widget_id', 'sub_view'], 'placement_details', addProblem);
  return view && display_mode ? { ...placement, view, display_mode } : undefined;
}

function readAttributes(json: unknown, addProblem: AddProblem): Attributes | undefined {
  const attributes = copyObject(json, 'attributes', addProblem);
  normalizeTexts(
    attributes,
    ['operating_system', 'user_agent', 'language', 'ip_address', 'platform_type'],
    'attributes',
    addProblem,
  );
  const device = own(attributes, 'device_type');
  if (device !== undefined && !oneOf(DEVICE_TYPES, device))
    addProblem('attributes.device_type', `must be one of ${DEVICE_TYPES.join(', ')}`);
  return attributes;
}

function readMetadata(json: unknown, addProblem: AddProblem): CustomMetadata | undefined {
  const metadata = copyObject(json, 'custom_metadata', addProblem);
  const isSandbox = own(metadata, 'is_sandbox');
  if (isSandbox !== undefined && typeof isSandbox !== 'boolean')
    addProblem('custom_metadata.is_sandbox', 'must be true or false');
  return metadata;
}
