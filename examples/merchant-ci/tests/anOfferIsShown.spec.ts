import { test, expect } from 'offerlet/testing/playwright';

test.use({ offerlet: { offers: [{ heading: '20 % off coffee', advertiser: { name: 'Hillside Coffee' } }] } });

test('an offer is shown', async ({ page, offers }) => {
  await page.goto('/thank-you');
  await expect(offers).toHaveOutcome('rendered');
  await expect(offers.part('heading')).toHaveText('20 % off coffee');
  await expect(offers).toHaveDelivered('BRAND_VIEW');
});
