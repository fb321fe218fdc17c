import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Sale, ShopReport } from '../../demo/report/metrics.ts';
import { createShop } from '../../demo/shop.ts';
import type { Listening } from '../../src/cli/listen.ts';
import { serve } from '../../src/sandbox/startNetwork.ts';
import { createNetwork, type Network } from '../../src/network.ts';
import { createRelay } from '../../src/relay.ts';

const SHOP = 'http://127.0.0.1:4173';
type Handler = (request: Request) => Promise<Response>;

let network: Network;
let server: Listening;
let shop: Handler;
let testRelay: Handler;

beforeAll(async () => {
  network = await createNetwork({ memory: true, seed: 'empty', networkUrl: () => server.url, log: () => undefined });
  server = await serve((request, from) => network.fetch(request, from), { port: 0 });
  const { management, publisher_reporting, integration } = network.describe().keys;
  const keys = {
    management: management ?? '',
    publisher_reporting: publisher_reporting ?? '',
    integration: integration ?? '',
  };
  await stock(keys.management);
  shop = createShop({ network: server.url, keys, folders: { widget: '/nowhere', shop: '/nowhere' } });
  const options = { apiKey: keys.integration, networkUrl: server.url, version: '1.0.0', forwardEventIds: true };
  testRelay = createRelay({ ...options, basePath: '/offers', sandbox: true });
});
afterAll(async () => {
  await server?.close();
  await network?.close();
});

/** One offer, for which its advertiser pays 10.00 per sale. */
async function stock(key: string): Promise<void> {
  const categories = await fetch(`${server.url}/adnet/adconfig/categories/`, { headers: { 'x-api-key': key } });
  const body = (await categories.json()) as { categories: { subcategories: { remote_id: string }[] }[] };
  const added = await fetch(`${server.url}/sandbox/offers`, {
    method: 'POST',
    body: JSON.stringify({
      advertiser: { name: 'Vantry' },
      subcategory_id: body.categories[0]?.subcategories[0]?.remote_id,
      heading: 'A case you can repair',
      target_url: '/visit',
      cta_details: { accept_copy: 'See it', decline_copy: 'No thanks' },
      price_per_conversion: '10.00',
    }),
  });
  expect(added.status).toBe(200);
}

async function post(handler: Handler, path: string, body?: object): Promise<Response> {
  return handler(
    new Request(SHOP + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    }),
  );
}

/** Loads the offers of a relay and accepts the first one, with the events that the widget reports. */
async function accept(handler: Handler, relay: string, view = 'THANK_YOU'): Promise<void> {
  const asked = await post(handler, `${relay}/recommendations`, {
    user_details: { external_guid: 'shopper' },
    placement_details: { view, display_mode: 'INLINE', widget_id: 'demo-shop' },
  });
  const { session_id, recommendation_groups } = (await asked.json()) as {
    session_id: string;
    recommendation_groups: { items: { insertion_id: string; offer_id: string; advertiser_id: string }[] }[];
  };
  const { insertion_id, offer_id, advertiser_id } = recommendation_groups[0]?.items[0] ?? {};
  const brand_properties = { insertion_id, offer_id, advertiser_id };
  const event = (event_name: string, more: object = {}): object => ({
    event_id: crypto.randomUUID(),
    event_name,
    event_datetime: new Date().toISOString(),
    session_id,
    ...more,
  });
  const sent = await post(handler, `${relay}/events/batch`, {
    events: [
      event('WIDGET_LOAD'),
      event('WIDGET_DISPLAY'),
      event('BRAND_DISPLAY', { initiating_target: 'INLINE_SLOT', brand_properties }),
      event('BRAND_CLICK', { initiating_target: 'INLINE_ACTION_BUTTON', brand_properties }),
    ],
  });
  expect(sent.status).toBe(202);
}

async function report(): Promise<ShopReport> {
  return (await (await shop(new Request(`${SHOP}/report.json`))).json()) as ShopReport;
}

const BOTH = ['widget_displays', 'impressions', 'clicks', 'conversions'];
const counts = ({ shop }: ShopReport) => ({
  channel: ['feed_loads', ...BOTH].map((metric) => shop.channel[metric] ?? 0),
  publisher: ['widget_loads', ...BOTH].map((metric) => shop.publisher[metric] ?? 0),
});

test('without an accepted offer no sale is reported', async () => {
  const answer = await post(shop, '/report/sale');
  expect(answer.status).toBe(409);
  expect(await answer.json()).toEqual({ message: 'Nobody has accepted an offer yet.' });
});

test('a test order is counted, except for its sale, which earns nothing', async () => {
  await accept(testRelay, '/offers');
  expect(counts(await report())).toEqual({ channel: [1, 1, 1, 1, 0], publisher: [1, 1, 1, 1, 0] });
  const sale = (await (await post(shop, '/report/sale')).json()) as Sale;
  expect(sale).toEqual({ advertiser: 'Vantry', isCounted: false, channel_payout: 0, publisher_payout: 0 });
});

test('a counted order’s sale pays both sides, and both reports include it', async () => {
  await accept(shop, '/counted/offers');
  const sale = (await (await post(shop, '/report/sale')).json()) as Sale;
  expect(sale).toEqual({ advertiser: 'Vantry', isCounted: true, channel_payout: 2, publisher_payout: 6 });
  const after = await report();
  expect(counts(after)).toEqual({ channel: [2, 2, 2, 2, 1], publisher: [2, 2, 2, 2, 1] });
  expect([after.shop.channel['channel_payout'], after.shop.publisher['publisher_payout']]).toEqual([2, 6]);
  expect(after.samples.at(-1)?.counts).toEqual({ Loads: 2, Impressions: 2, Clicks: 2, Conversions: 1 });
});

test('tracking pages are counted apart, because the publisher report leaves them out', async () => {
  await accept(shop, '/counted/offers', 'ORDER_TRACKING');
  const after = await report();
  expect(counts(after)).toEqual({ channel: [2, 2, 2, 2, 1], publisher: [2, 2, 2, 2, 1] });
  expect(after.tracking).toMatchObject({ feed_loads: 1, clicks: 1, conversions: 0 });
  const sale = (await (await post(shop, '/report/sale')).json()) as Sale;
  expect(sale).toMatchObject({ isCounted: true, channel_payout: 2 });
});

test('the count starts from zero on request, and after a reset of the network', async () => {
  expect((await post(shop, '/report/restart')).status).toBe(204);
  expect(counts(await report())).toEqual({ channel: [0, 0, 0, 0, 0], publisher: [0, 0, 0, 0, 0] });
  await fetch(`${server.url}/sandbox/reset`, { method: 'POST', body: '{"seed":"empty"}' });
  const reset = await report();
  expect(counts(reset)).toEqual({ channel: [0, 0, 0, 0, 0], publisher: [0, 0, 0, 0, 0] });
});

test('no page, script or report contains a key', async () => {
  for (const path of [
    '/orders/1001',
    '/report',
    '/report.json',
    '/desk.css',
    '/shop.css',
    '/orders/1001?frame=phone',
  ]) {
    const answer = await shop(new Request(SHOP + path));
    expect(answer.status, path).toBe(200);
    expect(await answer.text()).not.toMatch(/adnet_/);
  }
});

test('an unknown path is a 404', async () => {
  for (const path of ['/orders/', '/orders/12345678901', '/orders/1001/other', '/../package.json', '/offerlet/../x.js'])
    expect((await shop(new Request(SHOP + path))).status, path).toBe(404);
  expect((await post(shop, '/orders/1001')).status).toBe(405);
  expect((await shop(new Request(`${SHOP}/`, { method: 'PUT' }))).status).toBe(405);
  const order = await shop(new Request(`${SHOP}/?mode=PULLUP&offerlet=inspect`));
  expect(order.headers.get('location')).toMatch(/\/orders\/\d+\?mode=PULLUP&offerlet=inspect$/);
});
