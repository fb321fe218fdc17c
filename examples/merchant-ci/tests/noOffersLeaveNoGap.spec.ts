import { test, expect } from 'offerlet/testing/playwright';

test('no offers leave no gap', async ({ page, offers }) => {
  await offers.setScenario('no-offers');
  await page.goto('/thank-you');
  await expect(offers).toHaveOutcome('no_offers');
  await expect(offers).toLeaveNoGap();
});
