import { ID_MAX_LENGTH } from '../wire/limits.ts';
import type { StoredEvent } from './events.ts';

/** The objects and fields that are stored; the empty name is the event itself. */
const PARTS = /^((brand|product)_properties|)$/;
const FIELDS =
  /^((asset|advertiser|event|insertion|offer|product|session)_id|event_name|event_datetime|initiating_target)$/;

/**
 * Returns the event as it is stored, with the known fields only: whatever else the caller's object carries, an e-mail say,
 * is left out. Throws a TypeError that names the invalid field.
 */
export function toStored(given: unknown): StoredEvent {
  // Old versions of Prototype.js put a `toJSON` on strings: the replacer reads the value itself.
  const known = JSON.stringify(given ?? {}, function (this: Readonly<Record<string, unknown>>, name) {
    const value = this[name] ?? undefined;
    if (PARTS.test(name)) return value;
    if (!FIELDS.test(name)) return undefined;
    if (value !== undefined && (typeof value !== 'string' || value.length > ID_MAX_LENGTH)) refuse(name);
    return value;
  });
  const event = {
    event_id: newId(),
    event_datetime: new Date().toISOString(),
    ...(JSON.parse(known) as Omit<StoredEvent, 'event_id' | 'event_datetime'>),
  };
  const { event_name } = event;
  if (!/^(WIDGET|BRAND|ELEMENT|PRODUCT)_/.test(event_name)) refuse('event_name: only servers report a CONVERSION');
  if (!event.session_id) refuse('session_id');
  if (!Date.parse(event.event_datetime)) refuse('event_datetime');
  return event;
}

function refuse(name: string): never {
  throw TypeError(`Invalid ${name}`);
}

/** Returns a random UUID. `crypto.randomUUID` exists on secure pages only, and some apps have no `crypto`. */
function newId(): string {
  const { crypto } = globalThis as { crypto?: Partial<Crypto> };
  return (
    crypto?.randomUUID?.() ??
    '10000000-1000-4000-8000-100000000000'.replace(/[018]/g, (digit) =>
      (Number(digit) ^ ((Math.random() * 16) >> (Number(digit) / 4))).toString(16),
    )
  );
}
