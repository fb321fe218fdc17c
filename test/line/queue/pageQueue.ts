// What the page and its queue use, bundled for the fixture.
import { openPageQueue as open, type PageQueueOptions } from '../../../src/queue/openPageQueue.ts';
import { pageFace, type FacedQueue } from '../../queue/pageFace.ts';

export { withdrawConsent } from '../../../src/queue/withdrawConsent.ts';

export function openPageQueue(options: PageQueueOptions): FacedQueue {
  return pageFace(open(options));
}
