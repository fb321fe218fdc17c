import type { StoredEvent, TrackedEvent } from './events.ts';

/** Returns the event with an id and a time; its own take precedence. */
export function complete(event: TrackedEvent): StoredEvent {
  return { event_id: newId(), event_datetime: new Date().toISOString(), ...event };
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
