import { addChecks, type Queue } from '../../src/queue/addChecks.ts';
import type { SessionQueue } from '../../src/queue/openSessionQueue.ts';

/** A page's queue with checks and statistics on top, as the inspector has it. */
export type FacedQueue = Omit<SessionQueue, keyof Queue> & Queue;

export function pageFace(queue: SessionQueue): FacedQueue {
  return {
    ...queue,
    ...addChecks(queue),
    async purge() {
      queue.notes.forget();
      await queue.rows.purge();
    },
  };
}
