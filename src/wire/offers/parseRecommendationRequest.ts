import {
  isObject,
  own,
  type Parsed,
  oneOf,
  checkCost,
  collectProblems,
  isAbsent,
  type AddProblem,
  type JsonObject,
} from '../json.ts';
import {
  DISPLAY_MODES,
  VIEWS,
  type Attributes,
  type CustomMetadata,
  type PlacementDetails,
  type IdentifiedRequest,
  IDENTIFIERS,
  type UserDetails,
  type OrderDetails,
  type Purchase,
} from './request.ts';

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

/**
 * Reads the shopper, who must be named by exactly one identifier. Empty identifiers are dropped, unknown fields are kept,
 * and `email_hash` is lower-cased.
 */
function readUser(json: unknown, addProblem: AddProblem): UserDetails | undefined {
  const user = copyObject(json, 'user_details', addProblem);
  if (!user) {
    if (isAbsent(json)) addProblem('user_details', 'is required');
    return undefined;
  }
  const details: UserDetails = user;
  const given: string[] = [];
  for (const name of IDENTIFIERS) {
    const value: unknown = user[name];
    delete user[name];
    if (isAbsent(value) || (typeof value === 'string' && value.trim() === '')) continue;
    given.push(name);
    if (typeof value !== 'string') addProblem(`user_details.${name}`, 'must be a string');
    else details[name] = name === 'email_hash' ? value.trim().toLowerCase() : value.trim();
  }
  if (given.length !== 1) {
    const held = given.length > 0 ? `; it has ${given.join(' and ')}` : '';
    addProblem('user_details', `must have exactly one of ${IDENTIFIERS.join(', ')}${held}`);
  }
  if (details.email_hash !== undefined && !/^[0-9a-f]{64}$/.test(details.email_hash)) {
    addProblem(
      'user_details.email_hash',
      'must be the SHA-256 of the trimmed, lower-cased email, as 64 hex characters',
    );
  }
  return details;
}

/** Reads the order: strings and cost are checked, unknown fields kept. */
function readOrder(json: unknown, addProblem: AddProblem): OrderDetails | undefined {
  const order = copyObject(json, 'order_details', addProblem);
  normalizeTexts(order, ['order_id'], 'order_details', addProblem);
  normalizeCost(order, 'order_details', addProblem);
  return order;
}

/** Reads the purchases: each is checked, unknown fields are kept, a numeric `quantity` becomes a string. */
function readPurchases(json: unknown, addProblem: AddProblem): Purchase[] | undefined {
  if (isAbsent(json)) return undefined;
  if (!Array.isArray(json)) {
    addProblem('purchases', 'must be an array');
    return undefined;
  }
  return json.map((item: unknown, index) => {
    const path = `purchases[${index}]`;
    if (isAbsent(item)) addProblem(path, 'must be an object');
    const purchase = copyObject(item, path, addProblem) ?? {};
    normalizeTexts(purchase, ['product_id', 'name', 'quantity'], path, addProblem);
    normalizeCost(purchase, path, addProblem);
    return purchase;
  });
}

function normalizeCost(object: Record<string, unknown> | undefined, path: string, addProblem: AddProblem): void {
  const cost = copyObject(own(object, 'cost_details'), `${path}.cost_details`, addProblem);
  if (!object || !cost) return;
  checkCost(cost, `${path}.cost_details`, addProblem);
  object['cost_details'] = cost;
}

/** Maximum characters of a text field: user agents have up to about 500. */
const TEXT_MAX = 1_000;

/** Copies the object at a path without absent fields and `__proto__`. Returns `undefined` when there is no object. */
function copyObject(value: unknown, path: string, addProblem: AddProblem): Record<string, unknown> | undefined {
  if (isAbsent(value)) return undefined;
  if (!isObject(value)) {
    addProblem(path, 'must be an object');
    return undefined;
  }
  return copyFields(value);
}

function copyFields(object: JsonObject): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(object)) if (key !== '__proto__' && !isAbsent(object[key])) copy[key] = object[key];
  return copy;
}

/** Checks that the named fields, where present, are strings. Converts numbers to strings in place. */
function normalizeTexts(
  object: Record<string, unknown> | undefined,
  names: readonly string[],
  path: string,
  addProblem: AddProblem,
): void {
  for (const name of names) {
    const value = object && Object.hasOwn(object, name) ? object[name] : undefined;
    if (!object || value === undefined) continue;
    const text = typeof value === 'number' ? String(value) : value;
    if (typeof text !== 'string' || text.length > TEXT_MAX || text.includes('\0')) {
      addProblem(`${path}.${name}`, `must be a string of at most ${TEXT_MAX} characters`);
    } else object[name] = text;
  }
}
