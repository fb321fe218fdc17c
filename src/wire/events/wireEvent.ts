// POST /events and POST /events/batch, with the field names of the wire. See docs/project/wire.md#events.

import { own, type Parsed, plainText } from '../json.ts';
import { BATCH_MAX_EVENTS } from '../limits.ts';

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

/** One event as it is sent. */
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
 * Reads a 207, or any other batch response with results: what it says about each of the `sent` events, matched by `index`
 * and never by position. See docs/project/wire.md#batch-responses.
 */
export function readBatchResponse(json: unknown, sent: number): readonly EventResult[] {
  const given = own(json, 'results');
  const results: readonly unknown[] = Array.isArray(given) ? given : [];
  // Nearly every response lists its results in the order of the events.
  const isInOrder = results.length === sent && results.every(isAtItsIndex);
  return (isInOrder ? results : inOrder(results, sent)).map(readResult);
}

function isAtItsIndex(result: unknown, at: number): boolean {
  return own(result, 'index') === at;
}

/** The result of each index; `undefined` where there is none, or more than one. */
function inOrder(results: readonly unknown[], sent: number): readonly unknown[] {
  const found = new Map<unknown, unknown>();
  for (const result of results) {
    const index = own(result, 'index');
    found.set(index, found.has(index) ? undefined : result);
  }
  return [...Array(sent).keys()].map((index) => found.get(index));
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
