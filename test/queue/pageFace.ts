import { publicQueue, type Queue } from '../../src/queue/openQueue.ts';
import type { SessionQueue } from '../../src/queue/openCore.ts';

/** A page's queue with checks and statistics on top, as the inspector has it. */
export type FacedQueue = Omit<Required<Omit<SessionQueue, 'record'>>, keyof Queue> & Queue;

export function pageFace(queue: Required<Omit<SessionQueue, 'record'>>): FacedQueue {
  return {
    ...queue,
    ...publicQueue(queue),
    async purge() {
      queue.notes.clear();
      await queue.rows.clear();
    },
  };
}
