import { ID_MAX_LENGTH } from '../wire/limits.ts';
import type { DeadLetter, FlushOutcome, QueueStats, TrackedEvent } from './events.ts';
import { openBrowserRows, openCore, type Core, type QueueOptions } from './openCore.ts';
import { DEAD, isWaiting } from './rows.ts';

/** Opens the queue, which begins to send what earlier pages have left. */
export function openQueue(options: QueueOptions): Queue {
  return publicQueue(openCore(openBrowserRows, options));
}

/** A queue of events that outlives the page. */
export interface Queue {
  /** Resolves when the event is on disk (in memory where the browser has no storage); rejects when it is not a valid event. */
  track(event: TrackedEvent): Promise<void>;
  /** Sends what may be sent now, even during a pause, and reports the result. Retry-After is still obeyed. */
  flush(): Promise<FlushOutcome>;
  /** Empties the queue, dead letters included. Resolves when nothing is left on disk, however slow storage is. */
  purge(): Promise<void>;
  stats(): Promise<QueueStats>;
  /** The events that will never be accepted, and why. */
  deadLetters(): Promise<DeadLetter[]>;
  /** Writes what is pending, hands it over as a closing page does, and stops. What is left waits for the next page. */
  close(): Promise<void>;
}

/** Returns the public queue of a core: it checks what it is given, and counts. */
export function publicQueue(core: Core): Queue {
  const { rows, total, track, flush } = core;

  return {
    track: async (given) => track(toStored(given)),
    async flush() {
      const before = total.delivered;
      await flush();
      const now = await readStats(core);
      return { ...now, delivered: now.delivered - before, kept: now.onDisk + now.inMemory };
    },
    purge: rows.clear,
    stats: () => readStats(core),
    async deadLetters() {
      // More than there are.
      const { first } = await rows.read(1e6);
      return ([...first.values()] as DeadLetter[]).filter(({ reason }) => reason);
    },
    async close() {
      await core.close();
    },
  };
}

/** Resolves to what a queue holds, and how many events were delivered and dropped since it was opened. */
export async function readStats({ rows, sender, total }: Core): Promise<QueueStats> {
  const { keys } = await rows.read();
  const waiting = keys.filter(isWaiting).length;
  const { storage } = rows;
  const onDisk = storage === 'memory' ? 0 : waiting;
  return {
    onDisk,
    inMemory: waiting - onDisk,
    inFlight: [...rows.known.keys()].filter(isWaiting).length - rows.idle().length,
    deadLetters: keys.filter((key) => key > DEAD).length,
    storage,
    ...total,
    ...sender.state(),
  };
}

/** The objects and fields that are stored; the empty name is the event itself. */
const PARTS = /^((brand|product)_properties|)$/;
const FIELDS =
  /^((asset|advertiser|event|insertion|offer|product|session)_id|event_name|event_datetime|initiating_target)$/;

/**
 * Returns the event for the store, with the known fields only: whatever else the caller's object carries, an email say,
 * is left out. Throws a TypeError that names the invalid field.
 */
export function toStored(given: unknown): TrackedEvent {
  // Old versions of Prototype.js put a `toJSON` on strings: the replacer reads the value itself.
  const known = JSON.stringify(given ?? {}, function (this: Readonly<Record<string, unknown>>, name) {
    const value = this[name] ?? undefined;
    if (PARTS.test(name)) return value;
    if (!FIELDS.test(name)) return undefined;
    if (value !== undefined && (typeof value !== 'string' || value.length > ID_MAX_LENGTH)) refuse(name);
    return value;
  });
  const event = JSON.parse(known) as TrackedEvent;
  const { event_name, event_datetime, session_id } = event;
  if (!/^(WIDGET|BRAND|ELEMENT|PRODUCT)_/.test(event_name)) refuse('event_name: only servers report a CONVERSION');
  if (!session_id) refuse('session_id');
  if (event_datetime !== undefined && !Date.parse(event_datetime)) refuse('event_datetime');
  return event;
}

function refuse(name: string): never {
  throw TypeError(`Invalid ${name}`);
}
