import { expect, test, type Page } from '@playwright/test';
import { thankYou, useTrustShop } from './trustShop.ts';
import { poll } from '../line/drivers/poll.ts';
import { letPass, useClock } from '../line/drivers/letPass.ts';
import { event } from '../relay/event.ts';
import { posting } from '../fixtures/posting.ts';

// What SECURITY.md promises about counting. Each title is a promise, word for word.
const shop = useTrustShop();
useClock();

const accept = (page: Page) => page.locator('[part~=accept]').first();
const arrived = () =>
  shop.calls.flatMap(({ body }) => (body.events ?? []) as { event_name: string; event_datetime: string }[]);
const post = (...events: unknown[]) => fetch(`${shop.url}/offers/events/batch`, posting({ events }));

test('The relay never forwards an event again once the network has accepted it.', async () => {
  const one = event();
  expect((await post(one)).status).toBe(202);
  expect((await post(one)).status).toBe(202);
  expect((await post(one, event())).status).toBe(202);
  expect(arrived()).toHaveLength(2);
});

test('Nobody can suppress an event by sending its id first from another session.', async () => {
  const one = event();
  expect((await post({ ...one, session_id: crypto.randomUUID() })).status).toBe(202);
  expect((await post(one)).status).toBe(202);
  expect((await post({ ...one, event_id: String(one['event_id']).toUpperCase() })).status).toBe(202);
  expect(arrived()).toHaveLength(3);
});

test('A page cannot report a conversion.', async () => {
  const conversion = event({ event_name: 'CONVERSION', conversion_properties: { conversion_id: 'c', amount: 999 } });
  const body = (await (await post(conversion, event())).json()) as { results: unknown[] };
  expect(body.results[0]).toMatchObject({ success: false, error: { retryable: false } });
  expect(arrived().map(({ event_name }) => event_name)).toEqual(['BRAND_DISPLAY']);
});

test('What was tracked is delivered after an outage, once, with the time at which it happened.', async ({ page }) => {
  shop.batchStatus = 503;
  await page.goto(shop.page('/', thankYou()));
  await expect(accept(page)).toBeVisible();
  await poll(() => arrived().length).toBeGreaterThan(0);
  const failedAt = Date.now();
  await page.goto('about:blank');
  shop.calls.length = 0;
  shop.batchStatus = 202;
  await page.goto(shop.page('/', thankYou()));
  await poll(() => arrived().map(({ event_name }) => event_name)).toContain('WIDGET_LOAD');
  await letPass(page, 1_500);
  const loads = arrived().filter(({ event_name }) => event_name === 'WIDGET_LOAD');
  expect(loads).toHaveLength(1);
  expect(Date.parse(loads[0]?.event_datetime ?? '')).toBeLessThan(failedAt);
});
