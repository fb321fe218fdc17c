// What the page and its queue use, bundled for the fixture.
import { openSessionQueue as open, type SessionQueueOptions } from '../../../src/queue/openCore.ts';
import { openNotedCore } from '../../../src/queue/openNotedCore.ts';
import { pageFace, type FacedQueue } from '../../queue/pageFace.ts';

export { withdrawConsent } from '../../../src/queue/withdrawal.ts';

export function openSessionQueue(options: SessionQueueOptions): FacedQueue {
  return pageFace(open(options, openNotedCore));
}
