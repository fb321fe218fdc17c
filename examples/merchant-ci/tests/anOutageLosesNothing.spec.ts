import { test, expect } from 'offerlet/testing/playwright';

test('an outage loses nothing', async ({ page, offers }) => {
  await offers.setScenario('offline');
  await page.goto('/thank-you');
  await offers.accept();
  await expect(offers).not.toHaveDelivered('BRAND_CLICK');

  await offers.setScenario(); // the network is back
  await page.reload();
  await expect(offers).toHaveDelivered('BRAND_CLICK');
});
