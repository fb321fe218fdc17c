import type { DeadLetter, FlushOutcome, QueueEvent, QueueStats, Send, TrackedEvent } from './events.ts';
import { DEAD, isWaiting } from './rows/key.ts';
import { openCore, type Core } from './openCore.ts';
import { openRows } from './rows/openRows.ts';
import { isIdle } from './rows/rows.ts';
import { toStored } from './toStored.ts';

/** Options of `openQueue`. */
export interface QueueOptions {
  /** Where batches are posted, e.g. `/offers/events/batch`. */
  endpoint: string;
  /** Queues of one name on one origin are one queue. By default it is named after its endpoint, so that no event goes astray. */
  name?: string | undefined;
  /** Replaces the built-in POST to `endpoint`. */
  send?: Send | undefined;
  /** Called with each step in an event's life. What it throws is ignored. */
  onEvent?: ((event: QueueEvent) => void) | undefined;
}

/** A queue of events that outlives the page. */
export interface Queue {
  /** Resolves when the event is on disk (in memory where the browser has no storage); rejects when it is not a valid event. */
  track(event: TrackedEvent): Promise<void>;
  /** Sends now what may be sent now, also after a pause, and reports what came of it. Retry-After is still obeyed. */
  flush(): Promise<FlushOutcome>;
  /** Empties the queue, dead letters included. Resolves when nothing is left on disk, however slow storage is. */
  purge(): Promise<void>;
  stats(): Promise<QueueStats>;
  /** The events that will never be accepted, and why. */
  deadLetters(): Promise<DeadLetter[]>;
  /** Writes what is pending, hands it over as a closing page does, and stops. What is left waits for the next page. */
  close(): Promise<void>;
}

/** Opens the queue, which begins to send what earlier pages have left. */
export function openQueue({ endpoint, name, send, onEvent }: QueueOptions): Queue {
  return addChecks(openCore({ endpoint, name, send, onEvent, openRows }));
}

/** Returns the public queue of a core: it checks what it is given, and counts. */
export function addChecks({ rows, sender, total, track, flush, close }: Core): Queue {
  async function stats(): Promise<QueueStats> {
    const { keys } = await rows.read();
    const waiting = keys.filter(isWaiting).length;
    const isMemory = rows.isMemory();
    return {
      onDisk: isMemory ? 0 : waiting,
      inMemory: isMemory ? waiting : 0,
      inFlight: [...rows.known.values()].filter((row) => !isIdle(row)).length,
      deadLetters: keys.filter((key) => key > DEAD).length,
      storage: isMemory ? 'memory' : rows.storage,
      ...total,
      ...sender.state(),
    };
  }

  return {
    track: async (given) => track(toStored(given)),
    async flush() {
      const before = total.delivered;
      await flush();
      const now = await stats();
      return { ...now, delivered: now.delivered - before, kept: now.onDisk + now.inMemory };
    },
    purge: rows.purge,
    stats,
    async deadLetters() {
      return ((await rows.deadRows()) as DeadLetter[]).filter(({ reason }) => reason);
    },
    close,
  };
}
