import { expect, test } from 'offerlet/testing/playwright';
import { SHOP, serveShop } from './shopPage.ts';

test.beforeEach(({ context }) => serveShop(context));

test('a click reaches the relay, and opens the target without the network', async ({ page, offers }) => {
  await offers.setScenario('one-offer');
  await page.goto(`${SHOP}/thank-you`);
  expect(await offers.accept()).toBe('https://offers.offerlet.test/1');
  await expect(offers).toHaveDelivered('BRAND_CLICK');
  await expect(offers).toHaveDelivered('BRAND_CLICK', { brand_properties: { offer_id: 'offer-1' } });
  await expect(offers).not.toHaveDelivered('ELEMENT_CLICK');
  await expect(offers).toHaveOutcome('rendered');
  await expect(offers).not.toHaveOutcome('no_offers');
  expect(offers.requests[0]?.placement_details.view).toBe('THANK_YOU');
});

test('decline, back and accept act on the offer that is shown', async ({ page, offers }) => {
  await page.goto(`${SHOP}/thank-you`);
  await offers.decline();
  await expect(offers.part('heading')).toHaveText('A free audiobook of your choice');
  await offers.back();
  await offers.decline();
  await offers.accept();
  await expect(offers).toHaveDelivered('BRAND_CLICK', { brand_properties: { offer_id: 'offer-2' } });
  const moves = offers.delivered.filter(({ event_name }) => event_name === 'ELEMENT_CLICK');
  expect(moves.map(({ initiating_target }) => initiating_target)).toEqual([
    'INLINE_NAV_FORWARD',
    'INLINE_NAV_BACKWARD',
    'INLINE_NAV_FORWARD',
  ]);
});

test.describe('with its own offers', () => {
  test.use({ offerlet: { offers: [{ heading: 'Tea', target_url: 'https://leaf.example/tea?a=1' }], sandbox: false } });

  test('a target of the test opens without the network', async ({ page, offers }) => {
    await page.goto(`${SHOP}/thank-you`);
    await expect(offers.part('heading')).toHaveText('Tea');
    await expect(page.getByText('Sandbox')).toHaveCount(0);
    expect(await offers.accept()).toBe('https://leaf.example/tea?a=1');
  });
});

test.describe('with its own clock', () => {
  const time = new Date('2026-01-15T12:00:00Z');
  test.use({ offerlet: { now: time } });

  test('a page whose clock is at the same time delivers its events', async ({ page, offers }) => {
    await page.clock.install({ time });
    await page.goto(`${SHOP}/thank-you`);
    await expect(offers).toHaveDelivered('WIDGET_LOAD');
    expect(offers.receipts[0]?.received_at).toEqual(time);
  });

  test('a page with another clock delivers its events at the time of the network', async ({ page, offers }) => {
    await page.goto(`${SHOP}/thank-you`);
    await expect(offers).toHaveDelivered('WIDGET_LOAD');
    const [event] = offers.delivered;
    expect(Math.abs(Date.parse(event?.event_datetime ?? '') - time.getTime())).toBeLessThan(60_000);
  });
});

test('an overlay can be accepted at once, and closed', async ({ page, context, offers }) => {
  await serveShop(context, { 'display-mode': 'OVERLAY' });
  await page.goto(`${SHOP}/thank-you`);
  await offers.accept();
  await offers.dismiss();
  await expect(offers).toHaveDelivered('BRAND_CLICK');
  await page.reload();
  await expect(offers).toHaveOutcome('already_shown');
});

test('consent that is refused leaves nothing in the browser', async ({ page, offers }) => {
  await offers.setScenario('consent-denied');
  await page.goto(`${SHOP}/thank-you`);
  await expect(offers).toHaveOutcome('consent_denied');
  expect([offers.requests, await offers.stored()]).toEqual([[], []]);
});

test('pending consent shows nothing until it is given', async ({ page, offers }) => {
  await offers.setScenario('consent-pending');
  await page.goto(`${SHOP}/thank-you`);
  const error = await expect(offers).toHaveOutcome('rendered', { timeout: 100 }).catch(String);
  expect(error).toContain('Waiting for consent: ');
  expect([offers.requests, await offers.stored()]).toEqual([[], []]);
  await offers.consent(true);
  await expect(offers).toHaveOutcome('rendered');
});

test('a failed expectation says what was delivered, what the mount did, and why', async ({ page, offers }) => {
  await offers.setScenario('no-offers');
  await page.goto(`${SHOP}/thank-you`);
  await expect(offers).toHaveDelivered('WIDGET_LOAD');
  const error = await expect(offers).toHaveDelivered('BRAND_CLICK', {}, { timeout: 100 }).catch(String);
  expect(error).toContain(`No BRAND_CLICK was delivered.
Delivered: WIDGET_LOAD.
Outcome: no_offers: The relay returned no offers that can be shown.
Scenario no-offers: Nothing is shown and no gap remains.`);
});

test('a failed expectation shows the hint of the outcome, and events that wait', async ({ page, offers }) => {
  await offers.setScenario('offers-502');
  await page.goto(`${SHOP}/thank-you`);
  await expect(offers).toHaveOutcome('network_error');
  const outcome = await expect(offers).toHaveOutcome('rendered', { timeout: 100 }).catch(String);
  expect(outcome).toContain('The outcome is not rendered.\nOutcome: network_error: ');
  expect(outcome).toContain('Look at the log of the relay');
  await offers.setScenario('offline');
  await page.goto(`${SHOP}/other`);
  await expect(offers).toHaveOutcome('rendered');
  const error = await expect(offers).toHaveDelivered('WIDGET_LOAD', {}, { timeout: 100 }).catch(String);
  expect(error).toContain('Still on the page: WIDGET_LOAD');
  expect(error).toContain('Scenario offline: ');
});

const GAPS = {
  '#offers { height: 300px }': ['#offers { height: 300px }'],
  '@media (width > 1px) { #offers { min-block-size: 80px; padding: 12px } }': ['padding: 12px'],
  '#around { padding-block: 30px }': ['#around { padding-block: 30px }'],
  'body { display: flex; flex-direction: column; gap: 25px }': ['25 px', 'Held open by what surrounds it'],
};

for (const [css, expected] of Object.entries(GAPS)) {
  test(`a gap is a failure that names its rule: ${css}`, async ({ page, context, offers }) => {
    await serveShop(context, {}, (html) =>
      html
        .replace('</head>', `<style>${css}</style></head>`)
        .replace(/<div id="offers"[^>]*><\/div>/, '<div id="around"><div id="offers"></div></div>'),
    );
    await offers.setScenario('no-offers');
    await page.clock.install();
    await page.goto(`${SHOP}/thank-you`);
    await expect(offers).not.toLeaveNoGap();
    await page.clock.fastForward(4_000);
    const error = await expect(offers).toLeaveNoGap({ timeout: 1_500 }).catch(String);
    for (const text of expected) expect(error).toContain(text);
    expect(error).toContain('Outcome: no_offers');
    await page.addStyleTag({ content: '#around:has([data-offerlet="empty"]) { display: none }' });
    await expect(offers).toLeaveNoGap();
  });
}

test('reserved space that only has to collapse is not a gap, offers that are shown are not examined', async ({
  page,
  context,
  offers,
}) => {
  await serveShop(context, {}, (html) =>
    html.replace('</head>', '<style>#offers { min-height: 400px }</style></head>'),
  );
  await offers.setScenario('no-offers');
  await page.goto(`${SHOP}/thank-you`);
  await expect(offers).not.toLeaveNoGap();
  await expect(offers).toLeaveNoGap();
  await offers.setScenario('one-offer');
  await page.reload();
  await expect(offers).toHaveOutcome('rendered');
  const error = await expect(offers).toLeaveNoGap({ timeout: 100 }).catch(String);
  expect(error).toContain('Offers are shown.');
});

test('an action without an offer says why none is shown', async ({ page, offers }) => {
  await offers.setScenario('no-offers');
  await page.goto(`${SHOP}/thank-you`);
  const error = await offers.accept().catch(String);
  expect(error).toContain('No offer with this control is shown');
  expect(error).toContain('Outcome: no_offers: The relay returned no offers that can be shown.');
  expect(error).toContain('Scenario no-offers: ');
});

test('a page without offerlet is named as the reason, a script that is missing by its URL', async ({
  page,
  context,
  offers,
}) => {
  const failure = () => expect(offers).toHaveDelivered('WIDGET_LOAD', {}, { timeout: 100 }).catch(String);
  await page.goto('about:blank');
  expect(await failure()).toContain('offerlet has reported nothing on this page.');
  await context.route('**/offerlet.js', (route) => route.fulfill({ status: 404 }));
  await page.goto(`${SHOP}/thank-you`);
  expect(await failure()).toContain(`This script of the page did not load: ${SHOP}/offerlet.js`);
});

test.describe('with an expected relay', () => {
  test.use({ offerlet: { relay: '/api/offers' } });

  test('a page that names another one fails as it will in production', async ({ page, offers }) => {
    await page.goto(`${SHOP}/thank-you`);
    await expect(offers).toHaveOutcome('refused');
    const error = await expect(offers).toHaveOutcome('rendered', { timeout: 100 }).catch(String);
    expect(error).toContain('Outcome: refused: ');
    expect(error).toContain('The page requested /offers/recommendations, and the relay is at /api/offers.');
  });
});

test("a shop's own requests are not touched", async ({ page, context, offers }) => {
  await context.route('**/api/recommendations', (route) => route.fulfill({ status: 404 }));
  await page.goto(`${SHOP}/thank-you`);
  await offers.outcome();
  const status = await page.evaluate(
    async () => (await fetch('/api/recommendations', { method: 'POST', body: '{"basket":1}' })).status,
  );
  expect(status).toBe(404);
});

test('a relay on another origin is served as well', async ({ page, context, offers }) => {
  await serveShop(context, { relay: 'https://api.shop.example/partner/offers' });
  await page.goto(`${SHOP}/thank-you`);
  await expect(offers).toHaveDelivered('WIDGET_LOAD');
});
