import { beforeAll, expect, test } from 'vitest';
import { ReportingClient } from 'offerlet-operator';
import { createShop } from '../../demo/shop.ts';
import { createRelay } from '../../src/relay.ts';
import { posting } from '../fixtures/posting.ts';
import { ofSuite } from '../fixtures/opened.ts';
import { event, serveTestNetwork, type Shown } from '../network/testNetwork.ts';

const SHOP = 'http://127.0.0.1:4173';
type Handler = (request: Request) => Promise<Response>;

const world = ofSuite(serveTestNetwork);
let shop: Handler;
let testRelay: Handler;
let reports: ReportingClient<'channel'>;

beforeAll(async () => {
  const { url, network } = world;
  const { management = '', integration = '' } = network.describe().keys;
  await world.offer({ target_url: '/visit', price_per_conversion: '10.00' });
  reports = new ReportingClient({ networkUrl: url, apiKey: management, variant: 'channel' });
  // A busy machine does not decide whether there are offers.
  const timeouts = { recommendations: 60_000, events: 60_000 };
  const from = { network: url, apiKey: integration, console: '/console', publisher: 'p-1', timeouts };
  shop = createShop({ ...from, folders: { widget: '/nowhere', shop: '/nowhere' } });
  const options = { apiKey: integration, networkUrl: url, version: '1.0.0', forwardEventIds: true, timeouts };
  testRelay = createRelay({ ...options, basePath: '/offers', sandbox: true });
});

async function post(handler: Handler, path: string, body?: object): Promise<Response> {
  return handler(new Request(SHOP + path, body ? posting(body) : { method: 'POST' }));
}

/** Loads the offers of a relay and accepts the first one, with the events that the widget reports. */
async function accept(handler: Handler, relay: string): Promise<void> {
  const asked = await post(handler, `${relay}/recommendations`, {
    user_details: { external_guid: 'shopper' },
    placement_details: { view: 'THANK_YOU', display_mode: 'INLINE', widget_id: 'demo-shop' },
  });
  const { session_id, recommendation_groups } = (await asked.json()) as {
    session_id: string;
    recommendation_groups: { items: Shown['items'] }[];
  };
  const session = { session_id, items: recommendation_groups[0]?.items ?? [] };
  const now = { event_datetime: new Date().toISOString() };
  const names = ['WIDGET_LOAD', 'WIDGET_DISPLAY', 'BRAND_DISPLAY', 'BRAND_CLICK'];
  const events = names.map((name) => event(name, session, now));
  expect((await post(handler, `${relay}/events/batch`, { events })).status).toBe(202);
}

/** What the channel's report has by now: clicks, conversions and the channel's payout. */
async function counts(): Promise<(number | null | undefined)[]> {
  const { summary } = await reports.report({ metrics: ['clicks', 'conversions', 'channel_payout'] });
  return [summary.clicks, summary.conversions, summary.channel_payout];
}

/** Opens the advertiser's shop as *Report a sale* does, and buys there. Resolves to what its page says. */
async function buy(): Promise<{ status: number; html: string }> {
  const { headers } = await shop(new Request(`${SHOP}/sale`));
  const landing = await fetch(headers.get('location') ?? '');
  const order_id = /name="order_id" value="([\w-]+)"/.exec(await landing.text())?.[1];
  if (order_id === undefined) return { status: landing.status, html: '' };
  const bought = await fetch(landing.url, { method: 'POST', body: new URLSearchParams({ order_id }) });
  return { status: bought.status, html: await bought.text() };
}

test('without an accepted offer there is no advertiser to buy from', async () => {
  expect((await buy()).status).toBe(404);
});

test('a test order is counted, except for its sale, which earns nothing', async () => {
  await accept(testRelay, '/offers');
  expect(await buy()).toMatchObject({
    status: 200,
    html: expect.stringContaining('Thank you for your order') as string,
  });
  expect(await counts()).toEqual([1, 0, 0]);
});

test('a counted order’s sale pays the channel', async () => {
  await accept(shop, '/counted/offers');
  expect((await buy()).status).toBe(200);
  expect(await counts()).toEqual([2, 1, 2]);
});

test('the report beside the shop is the console’s, for this shop and today', async () => {
  const { status, headers } = await shop(new Request(`${SHOP}/report`));
  expect([status, headers.get('location')]).toEqual([
    302,
    expect.stringMatching(/^http:\/\/127\.0\.0\.1:4173\/console\/\?period=today&.*&by=widget_id&.*&publisher=p-1$/),
  ]);
});

test('no page or script contains a key', async () => {
  for (const path of ['/orders/1001', '/desk.css', '/shop.css', '/orders/1001?frame=phone']) {
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
