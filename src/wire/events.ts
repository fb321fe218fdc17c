// POST /events and POST /events/batch, with the field names of the wire. See docs/project/wire.md#events.

import { uuidFromText } from './hash.ts';
import {
  checkCost,
  collectProblems,
  isAbsent,
  isObject,
  oneOf,
  own,
  parseDatetime,
  plainText,
  readId,
  problemsText,
  toJson,
  type AddProblem,
  type JsonObject,
  type Parsed,
} from './json.ts';
import {
  BATCH_MAX_EVENTS,
  EVENT_MAX_AGE_MS,
  EVENT_MAX_AHEAD_MS,
  EVENT_MAX_BEFORE_SESSION_MS,
  ID_MAX_LENGTH,
} from './limits.ts';

export const EVENT_NAMES = [
  'WIDGET_LOAD',
  'WIDGET_DISPLAY',
  'WIDGET_VIEW',
  'BRAND_DISPLAY',
  'BRAND_VIEW',
  'BRAND_CLICK',
  'ELEMENT_CLICK',
  'PRODUCT_DISPLAY',
  'PRODUCT_VIEW',
  'PRODUCT_CLICK',
  'CONVERSION',
] as const;
export type EventName = (typeof EVENT_NAMES)[number];

/** Used in every display mode, in spite of the `INLINE_` prefix. */
export const TARGETS = [
  'INLINE_SLOT',
  'INLINE_ACTION_BUTTON',
  'INLINE_ASSET_TILE',
  'INLINE_NAV_FORWARD',
  'INLINE_NAV_BACKWARD',
  'INLINE_FOOTER_BRAND',
  'INLINE_FOOTER_PRIVACY',
  'INLINE_TILE',
] as const;
export type Target = (typeof TARGETS)[number];

export interface BrandProperties {
  offer_id: string;
  advertiser_id: string;
  insertion_id: string;
}

export interface ConversionProperties {
  conversion_id: string;
  order_id?: string | undefined;
  amount?: number | string;
  currency_code?: string;
}

/** One event in the form in which it is sent. */
export interface WireEvent {
  /** The idempotency key, created once, when the event happened. */
  event_id?: string;
  event_name: EventName;
  /** RFC 3339, by the clock of the shopper's device. */
  event_datetime: string;
  session_id: string;
  initiating_target?: Target;
  brand_properties?: BrandProperties;
  asset_id?: string;
  product_properties?: { product_id: string };
  conversion_properties?: ConversionProperties;
}

/** Returns the id of an event that counts once: the same wherever and however often it is reported, so that duplicates are dropped. */
export function onceId(session_id: string, event_name: EventName, id?: string, asset_id?: string): string {
  return uuidFromText(toJson([session_id, event_name, id, asset_id]));
}

/** The response header in which an offerlet relay says its time, in milliseconds since 1970. */
export const TIME_HEADER = 'offerlet-time';

/** Why one event of a batch was not accepted. Real networks leave it out; the sandbox network always sends it. */
export interface ResultError {
  code: string;
  message: string;
  retryable: boolean;
}

export interface BatchResult {
  index: number;
  success: boolean;
  error?: ResultError;
}

/** The body of a 202, of a 207 and of a 502 with results. */
export interface BatchResults {
  results: readonly BatchResult[];
  accepted: number;
  failed: number;
}

/** Why one event of a batch was refused, and whether it may be sent again. */
export interface Refusal {
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  readonly retryable: boolean;
}

/**
 * What a batch response says about one event. `unknown`: its result is missing, duplicated or unreadable; the sender keeps
 * the event, because the relay drops duplicates.
 */
export type EventResult = 'accepted' | 'unknown' | Refusal;

/** Returns the 1 to 20 raw events of a batch body. Each event is parsed and can fail on its own. */
export function parseBatch(json: unknown): Parsed<readonly unknown[]> {
  const events = own(json, 'events');
  if (Array.isArray(events) && events.length >= 1 && events.length <= BATCH_MAX_EVENTS)
    return { ok: true, value: events };
  return { ok: false, problems: [{ path: 'events', message: `must be an array of 1 to ${BATCH_MAX_EVENTS} events` }] };
}

/** Creates the response body of a batch: the results and how many of each. */
export function batchResponse(results: readonly BatchResult[]): BatchResults {
  const accepted = results.filter((result) => result.success).length;
  return { results, accepted, failed: results.length - accepted };
}

/** Returns the status of a batch, which follows from its results: all accepted 202, some 207, none 502. */
export function batchStatus({ accepted, failed }: { accepted: number; failed: number }): 202 | 207 | 502 {
  return accepted === 0 ? 502 : failed === 0 ? 202 : 207;
}

/**
 * Reads a network's response to a batch of `sent` events; `undefined` when it is about the call as a whole. 201 and 202 mean
 * all: a network need not list them.
 */
export function readBatchResults(
  { status, json }: { readonly status: number; readonly json: unknown },
  sent: number,
): readonly EventResult[] | undefined {
  const isAccepted = status === 201 || status === 202;
  if (!isAccepted && status !== 207 && !(status === 502 && Array.isArray(own(json, 'results')))) return undefined;
  const results = readBatchResponse(json, sent);
  return isAccepted ? results.map((result) => (result === 'unknown' ? 'accepted' : result)) : results;
}

/**
 * Reads a 207, or any other batch response with results: what it says about each of the `sent` events, matched by `index`
 * and never by position. See docs/project/wire.md#batch-responses.
 */
export function readBatchResponse(json: unknown, sent: number): readonly EventResult[] {
  const given = own(json, 'results');
  // The result of each index; `undefined` where there is none, or more than one.
  const found = new Map<unknown, unknown>();
  for (const result of Array.isArray(given) ? (given as unknown[]) : []) {
    const index = own(result, 'index');
    found.set(index, found.has(index) ? undefined : result);
  }
  return [...Array(sent).keys()].map((index) => readResult(found.get(index)));
}

function readResult(result: unknown): EventResult {
  const success = own(result, 'success');
  return success === true ? 'accepted' : success === false ? readRefusal(own(result, 'error')) : 'unknown';
}

function readRefusal(error: unknown): Refusal {
  return {
    code: plainText(own(error, 'code'), 100),
    message: plainText(own(error, 'message'), 300),
    retryable: own(error, 'retryable') !== false,
  };
}

/**
 * Parses one event and checks that it has every field its kind requires. Unknown fields are dropped. The receiver checks
 * the event's age and whether its session exists.
 */
export function parseEvent(json: unknown): Parsed<WireEvent> {
  if (!isObject(json)) return { ok: false, problems: [{ path: '', message: 'the event must be a JSON object' }] };
  const { problems, addProblem } = collectProblems();
  const event_name = oneOf(EVENT_NAMES, own(json, 'event_name'));
  if (!event_name) addProblem('event_name', `must be one of ${EVENT_NAMES.join(', ')}, in upper case`);
  const event_datetime = own(json, 'event_datetime');
  const isDated = isDatetime(event_datetime);
  if (!isDated) addProblem('event_datetime', 'must be an RFC 3339 date and time, such as 2026-11-21T09:00:00.000Z');
  const session_id = idAt(json, 'session_id', '', addProblem);
  const event_id = optionalId(json, 'event_id', addProblem);
  const asset_id = optionalId(json, 'asset_id', addProblem);
  const target = own(json, 'initiating_target');
  const initiating_target = oneOf(TARGETS, target);
  if (!isAbsent(target) && !initiating_target) addProblem('initiating_target', `must be one of ${TARGETS.join(', ')}`);
  const names = event_name ? NAMES[event_name] : {};
  if (names.target && isAbsent(target)) addProblem('initiating_target', `is required on an ${event_name}`);
  const leadsOn = names.target && initiating_target?.startsWith('INLINE_NAV');
  const brand_properties = readBrand(json, names.offer === true || leadsOn === true, addProblem);
  const product_properties = readProduct(json, names.product === true, addProblem);
  const conversion_properties = readConversion(json, names.conversion === true, addProblem);
  if (problems.length > 0 || !event_name || !session_id || !isDated) return { ok: false, problems };

  const value: WireEvent = { event_name, event_datetime, session_id };
  if (event_id) value.event_id = event_id;
  if (initiating_target) value.initiating_target = initiating_target;
  if (brand_properties) value.brand_properties = brand_properties;
  if (asset_id) value.asset_id = asset_id;
  if (product_properties) value.product_properties = product_properties;
  if (conversion_properties) value.conversion_properties = conversion_properties;
  return { ok: true, value };
}

/** What is certainly a date and a time: parsing it costs six times as much. */
const PLAIN = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?Z$/;

/** Whether a value is an RFC 3339 date and time. */
function isDatetime(value: unknown): value is string {
  return typeof value === 'string' && (PLAIN.test(value) || parseDatetime(value) !== undefined);
}

/** What each event must name besides its session; see the table in docs/project/wire.md#events. */
const NAMES: Readonly<Record<EventName, { target?: true; offer?: true; product?: true; conversion?: true }>> = {
  WIDGET_LOAD: {},
  WIDGET_DISPLAY: {},
  WIDGET_VIEW: {},
  BRAND_DISPLAY: { offer: true },
  BRAND_VIEW: { offer: true },
  BRAND_CLICK: { offer: true },
  // It names the offer if it leads to another one.
  ELEMENT_CLICK: { target: true },
  PRODUCT_DISPLAY: { offer: true, product: true },
  PRODUCT_VIEW: { offer: true, product: true },
  PRODUCT_CLICK: { offer: true, product: true },
  CONVERSION: { offer: true, conversion: true },
};

function readBrand(json: unknown, isRequired: boolean, addProblem: AddProblem): BrandProperties | undefined {
  const brand = partAt(json, 'brand_properties', isRequired, addProblem);
  if (!brand) return undefined;
  const offer_id = idAt(brand, 'offer_id', 'brand_properties.', addProblem);
  const advertiser_id = idAt(brand, 'advertiser_id', 'brand_properties.', addProblem);
  const insertion_id = idAt(brand, 'insertion_id', 'brand_properties.', addProblem);
  return offer_id && advertiser_id && insertion_id ? { offer_id, advertiser_id, insertion_id } : undefined;
}

function readProduct(json: unknown, isRequired: boolean, addProblem: AddProblem): { product_id: string } | undefined {
  const product = partAt(json, 'product_properties', isRequired, addProblem);
  const product_id = product && idAt(product, 'product_id', 'product_properties.', addProblem);
  return product_id ? { product_id } : undefined;
}

function readConversion(json: unknown, isRequired: boolean, addProblem: AddProblem): ConversionProperties | undefined {
  const conversion = partAt(json, 'conversion_properties', isRequired, addProblem);
  const conversion_id = conversion && idAt(conversion, 'conversion_id', 'conversion_properties.', addProblem);
  if (!conversion_id) return undefined;
  checkCost(conversion, 'conversion_properties', addProblem);
  const value: ConversionProperties = { conversion_id };
  const amount = own(conversion, 'amount');
  const currency_code = own(conversion, 'currency_code');
  if (!isAbsent(own(conversion, 'order_id')))
    value.order_id = idAt(conversion, 'order_id', 'conversion_properties.', addProblem);
  if (typeof amount === 'number' || typeof amount === 'string') value.amount = amount;
  if (typeof currency_code === 'string') value.currency_code = currency_code;
  return value;
}

/** The object at a field; a problem when it is something else, or missing though it is required. */
function partAt(json: unknown, name: string, isRequired: boolean, addProblem: AddProblem): JsonObject | undefined {
  const part = own(json, name);
  if (isObject(part)) return part;
  if (!isAbsent(part)) addProblem(name, 'must be an object');
  else if (isRequired) addProblem(name, 'is required on this kind of event');
  return undefined;
}

function idAt(object: unknown, name: string, path: string, addProblem: AddProblem): string | undefined {
  const id = readId(own(object, name));
  if (!id) addProblem(path + name, `must be a non-empty string of at most ${ID_MAX_LENGTH} characters`);
  return id;
}

function optionalId(object: unknown, name: string, addProblem: AddProblem): string | undefined {
  return isAbsent(own(object, name)) ? undefined : idAt(object, name, '', addProblem);
}

/** What a network knows about the session that an event names. */
export interface EventSession {
  readonly created_at: Date;
  /** What was shown in the session, by insertion_id. */
  readonly insertions: Readonly<Record<string, { readonly offer_id: string }>>;
}

/** An event that may be stored, or why not. Sending it again would not help, so none of these errors is retryable. */
type EventVerdict<Session extends EventSession> =
  | { readonly ok: true; readonly event: WireEvent; readonly at: number; readonly session: Session }
  | { readonly ok: false; readonly error: ResultError };

/** Parses an event as a network does; `judgeEvent` checks it against its session later. */
export function readEvent(
  raw: unknown,
): { readonly ok: true; readonly event: WireEvent } | { readonly ok: false; readonly error: ResultError } {
  const parsed = parseEvent(raw);
  if (parsed.ok) return { ok: true, event: parsed.value };
  return refuseEvent('INVALID_EVENT', problemsText(parsed.problems));
}

/** Checks the time of an event and that it belongs to its session (src/network/contract/rules.md#e6, src/network/contract/rules.md#e8). */
export function judgeEvent<Session extends EventSession>(
  event: WireEvent,
  session: Session | undefined,
  now: number,
): EventVerdict<Session> {
  const at = parseDatetime(event.event_datetime) ?? Number.NaN;
  if (at - now > EVENT_MAX_AHEAD_MS)
    return refuseEvent('EVENT_IN_THE_FUTURE', 'event_datetime is more than 5 minutes ahead of the network');
  if (!(now - at <= EVENT_MAX_AGE_MS)) return refuseEvent('EVENT_TOO_OLD', 'event_datetime is more than 30 days ago');
  if (!session) return refuseEvent('UNKNOWN_SESSION', 'session_id is not a session of this publisher');
  const opened = session.created_at.getTime();
  if (now - opened > EVENT_MAX_AGE_MS)
    return refuseEvent('SESSION_TOO_OLD', 'session_id is a session that is older than 30 days');
  // Otherwise a session opened today could rewrite the figures of any of the last 30 days.
  if (opened - at > EVENT_MAX_BEFORE_SESSION_MS)
    return refuseEvent('EVENT_BEFORE_SESSION', 'event_datetime is more than 5 minutes before the session was created');
  const brand = event.brand_properties;
  if (brand) {
    const insertion = Object.hasOwn(session.insertions, brand.insertion_id)
      ? session.insertions[brand.insertion_id]
      : undefined;
    if (!insertion)
      return refuseEvent('UNKNOWN_INSERTION', 'brand_properties.insertion_id is not an insertion of this session');
    if (insertion.offer_id !== brand.offer_id)
      return refuseEvent('UNKNOWN_INSERTION', 'brand_properties.offer_id is not the offer of this insertion');
  }
  return { ok: true, event, at, session };
}

export function refuseEvent(code: string, message: string): { readonly ok: false; readonly error: ResultError } {
  return { ok: false, error: { code, message, retryable: false } };
}
