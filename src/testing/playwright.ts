import {
  test as base,
  type PlaywrightTestArgs,
  type PlaywrightTestOptions,
  type PlaywrightWorkerArgs,
  type PlaywrightWorkerOptions,
  type TestType,
} from '@playwright/test';
import { fakeRelay, type FakeRelayOptions } from './fakeRelay.ts';
import { type OffersOnPage, createOffersOnPage, describePage } from './offersOnPage.ts';
import { QUEUE_PREFIX, serveRelay, watchPage } from './serveRelay.ts';

export type { OffersOnPage } from './offersOnPage.ts';
export { expect } from './expectOffers.ts';

/** The fixtures that this `test` adds to Playwright's own. */
export interface OfferletFixtures {
  /** Options of the fake relay: `test.use({ offerlet: { offers: 1 } })`. */
  offerlet: FakeRelayOptions;
  /** The offers of this test. A test that names it reaches no real relay. */
  offers: OffersOnPage;
}

type TestArgs = PlaywrightTestArgs & PlaywrightTestOptions & OfferletFixtures;
type WorkerArgs = PlaywrightWorkerArgs & PlaywrightWorkerOptions;

/** Playwright's `test`, with the fixtures `offers` and `offerlet`. */
export const test: TestType<TestArgs, WorkerArgs> = base.extend<OfferletFixtures>({
  offerlet: [{}, { option: true }],
  async offers({ page, context, offerlet }, use, testInfo) {
    const relay = fakeRelay(offerlet);
    await context.addInitScript(watchPage, QUEUE_PREFIX);
    await serveRelay(context, relay);
    const offers = createOffersOnPage({ page, relay });
    await offers.setScenario(offerlet.scenario);
    await use(offers);
    if (testInfo.status === testInfo.expectedStatus || page.isClosed()) return;
    const reported = await offers.reported().catch(() => []);
    const body = JSON.stringify({ page: await describePage(page), reported, received: relay.receipts }, null, 2);
    await testInfo.attach('offerlet', { body, contentType: 'application/json' });
  },
});
