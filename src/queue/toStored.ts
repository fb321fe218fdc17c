import { EVENT_NAMES, type BrandProperties } from '../wire/events.ts';
import { own } from '../wire/json.ts';
import type { StoredEvent } from './events.ts';

/** Characters of one field: far above any identifier, far below a batch. */
const FIELD_MAX_LENGTH = 8_000;
const BRAND_FIELDS = ['offer_id', 'advertiser_id', 'insertion_id'] as const satisfies readonly (keyof BrandProperties)[];

/**
 * The event as it is kept, built field by field from what the wire knows: whatever else the caller's object carries, an
 * e-mail say, stays out of the store. Throws a TypeError that names what is wrong.
 */
export function toStored(given: unknown): StoredEvent {
  const event_name = EVENT_NAMES.find((name) => name === own(given, 'event_name'));
  if (!event_name) throw new TypeError(`event_name must be one of ${EVENT_NAMES.join(', ')}`);
  if (event_name === 'CONVERSION') {
    throw new TypeError("a CONVERSION is reported by the advertiser's or the merchant's server, never from a page");
  }
  const event_datetime = text(given, 'event_datetime') ?? new Date().toISOString();
  if (!(Date.parse(event_datetime) > 0)) throw new TypeError('event_datetime must be an RFC 3339 date and time');
  const event: Record<string, unknown> = {
    event_id: text(given, 'event_id') ?? newId(),
    event_name,
    event_datetime,
    session_id: text(given, 'session_id', true),
  };
  const put = (name: string, value: unknown): void => void (value === undefined || (event[name] = value));
  put('initiating_target', text(given, 'initiating_target'));
  put('brand_properties', part(given, 'brand_properties', BRAND_FIELDS));
  put('asset_id', text(given, 'asset_id'));
  put('product_properties', part(given, 'product_properties', ['product_id']));
  return event as unknown as StoredEvent;
}

function part(given: unknown, name: string, fields: readonly string[]): Record<string, unknown> | undefined {
  const found = own(given, name);
  return found === undefined ? undefined : Object.fromEntries(fields.map((field) => [field, text(found, field, true)]));
}

function text(from: unknown, name: string, isRequired = false): string | undefined {
  const value = own(from, name);
  if (value === undefined && !isRequired) return undefined;
  if (typeof value === 'string' && value && value.length <= FIELD_MAX_LENGTH) return value;
  throw new TypeError(`${name} must be text of 1 to ${FIELD_MAX_LENGTH} characters`);
}

/** A random UUID; `crypto.randomUUID` exists on secure pages only. */
function newId(): string {
  const hex = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte, at) =>
    (at === 6 ? (byte & 15) | 64 : at === 8 ? (byte & 63) | 128 : byte).toString(16).padStart(2, '0'),
  ).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
