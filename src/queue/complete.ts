import type { StoredEvent, TrackedEvent } from './events.ts';

/** Returns the event with an id and a time; its own take precedence. */
export function complete(event: TrackedEvent): StoredEvent {
  return { event_id: newId(), event_datetime: new Date().toISOString(), ...event };
}

/** Returns a random id. `crypto.randomUUID` exists on secure pages only, and some apps have no `crypto`. */
function newId(): string {
  return globalThis.crypto?.randomUUID?.() ?? [Date.now(), Math.random(), Math.random()].join('-');
}
