import { test, expect } from 'offerlet/testing/playwright';

test('refused consent stores nothing', async ({ page, offers }) => {
  await offers.setScenario('consent-denied');
  await page.goto('/thank-you');
  await expect(offers).toHaveOutcome('consent_denied');
  expect(offers.requests).toEqual([]);
  expect(await offers.stored()).toEqual([]);
});
