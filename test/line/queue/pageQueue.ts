// What the page and its queue use, bundled for the fixture.
export { openPageQueue } from '../../../src/queue/openPageQueue.ts';
export { withdrawConsent } from '../../../src/queue/withdrawConsent.ts';
