import { own } from '../wire/json.ts';
import type { StoredEvent } from './events.ts';

/** Characters of one field: far above any identifier, far below a batch. */
const FIELD_MAX_LENGTH = 8_000;

/**
 * The event as it is kept, built field by field from what the wire knows: whatever else the caller's object carries, an
 * e-mail say, stays out of the store. Throws a TypeError that names what is wrong.
 */
export function toStored(given: unknown): StoredEvent {
  const event = pick(given, 'event_id', 'event_name', 'event_datetime', 'session_id', 'initiating_target', 'asset_id');
  event.event_id ??= newId();
  event.event_datetime ??= new Date().toISOString();
  if (event.event_name === 'CONVERSION')
    throw new TypeError('A CONVERSION is reported by servers only, never by a page');
  if (!/^(WIDGET|BRAND|ELEMENT|PRODUCT)_[A-Z]+$/.test(String(event.event_name))) refuse('event_name');
  if (!(Date.parse(String(event.event_datetime)) > -Infinity)) refuse('event_datetime');
  if (!event.session_id) refuse('session_id');
  for (const [name, ...fields] of [
    ['brand_properties', 'offer_id', 'advertiser_id', 'insertion_id'],
    ['product_properties', 'product_id'],
  ] as const) {
    if (own(given, name)) event[name] = pick(own(given, name), ...fields);
  }
  return event as unknown as StoredEvent;
}

function pick(given: unknown, ...names: readonly string[]): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const name of names) {
    const value = own(given, name);
    if (value == null) continue;
    if (typeof value !== 'string' || value.length > FIELD_MAX_LENGTH) refuse(name);
    picked[name] = value;
  }
  return picked;
}

function refuse(name: string): never {
  throw new TypeError(`Not a valid ${name}`);
}

/** A random UUID; `crypto.randomUUID` exists on secure pages only. */
function newId(): string {
  return '10000000-1000-4000-8000-100000000000'.replace(/[018]/g, (digit) =>
    (+digit ^ ((crypto.getRandomValues(new Uint8Array(1))[0] ?? 0) & (15 >> (+digit / 4)))).toString(16),
  );
}
