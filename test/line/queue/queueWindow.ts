import type { FacedQueue } from '../../queue/pageFace.ts';
import type { openSessionQueue } from './pageQueue.ts';
import type { openQueue } from '../../../src/queue/openQueue.ts';
import type { withdrawConsent } from '../../../src/queue/withdrawal.ts';
import type { QueueEvent } from '../../../src/queue/events.ts';

declare global {
  // What the page of `queueFixture.ts` puts there.
  var offerletQueue: { openQueue: typeof openQueue };
  var offerletSessionQueue: { openSessionQueue: typeof openSessionQueue; withdrawConsent: typeof withdrawConsent };
  /** Without notes and `withdraw` on pages opened without `?page`. */
  var queue: FacedQueue;
  var openPage: (endpoint?: string) => FacedQueue;
  /** How often `onWithdrawn` was called. */
  var withdrawn: number;
  var emitted: QueueEvent[];
  var track: (from: string, count: number, name?: string) => Promise<void[]>;
}
