import { promisifyRequest as done } from 'idb-keyval';
import type { DeadLetter, FlushOutcome, QueueStats, TrackedEvent } from './events.ts';
import type { Core } from './openCore.ts';
import { DEAD, isWaiting, NOTE } from './rows/key.ts';
import { isIdle } from './rows/rows.ts';
import { toStored } from './toStored.ts';

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
      storage: isMemory ? 'memory' : (rows.storage ?? 'indexeddb'),
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
      const stored = await rows.run('readonly', (store) =>
        done<unknown[]>(store.getAll(IDBKeyRange.bound(DEAD, NOTE))),
      );
      // Rows that are in memory are all read.
      const all = stored ?? [...(await rows.read()).first.values()];
      return (all as DeadLetter[]).filter(({ reason }) => reason);
    },
    close,
  };
}
