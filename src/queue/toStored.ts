import { ID_MAX_LENGTH } from '../wire/limits.ts';
import { complete } from './complete.ts';
import type { StoredEvent, TrackedEvent } from './events.ts';

/** The objects and fields that are stored; the empty name is the event itself. */
const PARTS = /^((brand|product)_properties|)$/;
const FIELDS =
  /^((asset|advertiser|event|insertion|offer|product|session)_id|event_name|event_datetime|initiating_target)$/;

/**
 * Returns the event for the store, with the known fields only: whatever else the caller's object carries, an email say,
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
  const event = complete(JSON.parse(known) as TrackedEvent);
  const { event_name } = event;
  if (!/^(WIDGET|BRAND|ELEMENT|PRODUCT)_/.test(event_name)) refuse('event_name: only servers report a CONVERSION');
  if (!event.session_id) refuse('session_id');
  if (!Date.parse(event.event_datetime)) refuse('event_datetime');
  return event;
}

function refuse(name: string): never {
  throw TypeError(`Invalid ${name}`);
}
