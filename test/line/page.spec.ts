import { expect, test } from '@playwright/test';
import { startFixture, type Fixture } from './pageFixture.ts';

let fixture: Fixture;
test.beforeAll(async () => {
  fixture = await startFixture();
});
test.beforeEach(() => fixture.reset());
test.afterAll(() => fixture.close());

const SCRIPT = `<script async src="/offerlet.js" data-relay="/offers" data-view="THANK_YOU" data-display-mode="INLINE"
  data-target="#offers" data-email-hash="${'a'.repeat(64)}" data-order-id="1001" data-order-amount="42.50" data-order-currency="EUR"></script>`;

function shop(body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Thank you</title><link rel="icon" href="data:,">
    <body><h1>Thank you</h1><div id="offers" style="min-height:300px"></div>${body}`;
}

test('the script tag asks, shows, and reports what was seen and clicked, in order', async ({ page, context }) => {
  await page.goto(fixture.page('/shop', shop(SCRIPT)));
  const accept = page.locator('#offers [part~=accept]');
  await expect(accept).toHaveText(/Yes, please/);
  expect(fixture.asked[0]).toMatchObject({
    path: '/offers/recommendations',
    body: {
      user_details: { email_hash: 'a'.repeat(64) },
      placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' },
      order_details: { order_id: '1001', cost_details: { amount: '42.50', currency_code: 'EUR' } },
    },
  });
  await page.waitForTimeout(1_500);
  const opened = context.waitForEvent('page');
  await accept.click();
  await (await opened).close();
  await expect
    .poll(fixture.names)
    .toEqual(['WIDGET_LOAD', 'WIDGET_DISPLAY', 'BRAND_DISPLAY', 'BRAND_VIEW', 'WIDGET_VIEW', 'BRAND_CLICK']);
  const brand_properties = { offer_id: 'offer-1', advertiser_id: 'adv-1', insertion_id: 'ins-1' };
  expect(fixture.events[2]).toMatchObject({ initiating_target: 'INLINE_SLOT', brand_properties });
  expect(fixture.events[5]).toMatchObject({ initiating_target: 'INLINE_ACTION_BUTTON', brand_properties });
});
