import { test, expect } from 'offerlet/testing/playwright';

test('a click reaches the relay', async ({ page, offers }) => {
  await offers.setScenario('one-offer');
  await page.goto('/thank-you');
  expect(await offers.accept()).toBe('https://offers.offerlet.test/1'); // the page that the click has opened
  await expect(offers).toHaveDelivered('BRAND_CLICK', { brand_properties: { offer_id: 'offer-1' } });
});
