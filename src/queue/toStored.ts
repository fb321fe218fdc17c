import { ID_MAX_LENGTH } from '../wire/limits.ts';
import type { StoredEvent } from './events.ts';

/** What is kept of an event; the empty name is the event itself. */
const PARTS = /^((brand|product)_properties|)$/;
const FIELDS =
  /^((asset|advertiser|event|insertion|offer|product|session)_id|event_name|event_datetime|initiating_target)$/;

/**
 * The event as it is kept, nothing in it but what the wire knows: whatever else the caller's object carries, an e-mail say,
 * stays out of the store. Throws a TypeError that names what is wrong.
 */
export function toStored(given: unknown): StoredEvent {
  // Old versions of Prototype.js put a `toJSON` on strings: the replacer goes back to the value itself.
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

/** A random UUID. `crypto.randomUUID` exists on secure pages only; the address of a blob ends in one everywhere. */
function newId(): string {
  return crypto.randomUUID?.() ?? URL.createObjectURL(new Blob()).slice(-36);
}
