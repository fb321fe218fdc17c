import { own } from '../wire/json.ts';
import type { StoredEvent } from './events.ts';

/** Characters of one field, as the receivers have it; so 20 events always fit into a batch and 1,000 into 2 MiB. */
const FIELD_MAX_LENGTH = 200;

/**
 * The event as it is kept, built field by field from what the wire knows: whatever else the caller's object carries, an
 * e-mail say, stays out of the store. Throws a TypeError that names what is wrong.
 */
export function toStored(given: unknown): StoredEvent {
  const event: Record<string, unknown> = {
    event_id: newId(),
    event_datetime: new Date().toISOString(),
    ...pick(given, 'event_id event_name event_datetime session_id initiating_target asset_id'),
  };
  for (const name of ['brand_properties', 'product_properties']) {
    const part = own(given, name);
    if (part) event[name] = pick(part, 'offer_id advertiser_id insertion_id product_id');
  }
  if (event.event_name === 'CONVERSION') throw TypeError('Only servers report a CONVERSION, never a page');
  if (!/^(WIDGET|BRAND|ELEMENT|PRODUCT)_/.test(String(event.event_name))) refuse('event_name');
  if (!event.session_id) refuse('session_id');
  if (!Date.parse(String(event.event_datetime))) refuse('event_datetime');
  return event as unknown as StoredEvent;
}

function pick(given: unknown, names: string): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const name of names.split(' ')) {
    const value = own(given, name) ?? undefined;
    if (value === undefined) continue;
    if (typeof value !== 'string' || value.length > FIELD_MAX_LENGTH) refuse(name);
    picked[name] = value;
  }
  return picked;
}

function refuse(name: string): never {
  throw TypeError(`Invalid ${name}`);
}

/** A random UUID. `crypto.randomUUID` exists on secure pages only; the address of a blob ends in one everywhere. */
function newId(): string {
  return crypto.randomUUID?.() ?? URL.createObjectURL(new Blob()).slice(-36);
}
