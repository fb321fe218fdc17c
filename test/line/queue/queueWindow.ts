import type { openQueue, Queue } from '../../../src/queue/openQueue.ts';
import type { QueueEvent } from '../../../src/queue/events.ts';

declare global {
  // What the page of `queueFixture.ts` puts there.
  var offerletQueue: { openQueue: typeof openQueue };
  var queue: Queue;
  var told: QueueEvent[];
  var track: (from: string, count: number, name?: string) => Promise<void[]>;
}
