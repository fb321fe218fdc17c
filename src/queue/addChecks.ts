import type { DeadLetter, FlushOutcome, QueueStats, TrackedEvent } from './events.ts';
import type { Core } from './openCore.ts';
import { readStats } from './readStats.ts';
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
export function addChecks(core: Core): Queue {
  const { rows, total, track, flush, close } = core;

  return {
    track: async (given) => track(toStored(given)),
    async flush() {
      const before = total.delivered;
      await flush();
      const now = await readStats(core);
      return { ...now, delivered: now.delivered - before, kept: now.onDisk + now.inMemory };
    },
    purge: rows.purge,
    stats: () => readStats(core),
    async deadLetters() {
      // More than there are.
      const { first } = await rows.read(1e6);
      return ([...first.values()] as DeadLetter[]).filter(({ reason }) => reason);
    },
    close,
  };
}
