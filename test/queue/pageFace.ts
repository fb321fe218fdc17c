import { addChecks, type Queue } from '../../src/queue/addChecks.ts';
import type { PageQueue } from '../../src/queue/openPageQueue.ts';

/** A page's queue with checks and statistics on top, as the inspector has it. */
export type FacedQueue = Omit<PageQueue, keyof Queue> & Queue;

export function pageFace(queue: PageQueue): FacedQueue {
  return {
    ...queue,
    ...addChecks(queue),
    async purge() {
      queue.notes.forget();
      await queue.rows.purge();
    },
  };
}
