// WIRE.md's table of events, from a real page through a real relay to what the network has stored.
import { fileURLToPath } from 'node:url';
import { expect, test, type Page } from '@playwright/test';
import { createRelay } from '../../../src/relay.ts';
import { serve } from '../../../src/sandbox/startNetwork.ts';
import { WHOLE_CHROMIUM } from '../../playwright.config.ts';
import { scriptTag, shop } from '../page/pageShop.ts';
import { bundle } from '../drivers/bundle.ts';
import { waitForRelay } from '../drivers/patience.ts';
import { poll } from '../drivers/poll.ts';
import { serveTestNetwork } from '../../network/testNetwork.ts';

let line: Awaited<ReturnType<typeof startLine>>;
test.describe.configure({ mode: 'default' }); // one network serves them all
test.use({ ...WHOLE_CHROMIUM, viewport: { width: 1_000, height: 900 } });
test.beforeAll(async () => {
  line = await startLine();
  await addOffer('Teapots', {
    assets: [
      {
        asset_type: 'PRODUCT',
        image_url: 'https://cdn.example/pot.png',
        target_url: 'https://teapots.example/pot',
        should_trigger_claim_flow: true,
      },
    ],
  });
  await addOffer('Lamps', {});
});
test.afterAll(() => line?.close());
test.beforeEach(({ context }) => waitForRelay(context));

test('each event of an offer’s life: once, in order, with its target and properties', async ({ page }) => {
  const { session_id, offers } = await visit(page, 'INLINE');
  const [first, second] = offers;
  const current = (part: string) => page.locator(`article [part=${part}]`);
  const viewed = async ({ insertion_id, asset_id }: Shown): Promise<void> => {
    const views = async () => (await stored(session_id)).filter((e) => e.includes('_VIEW') && e.endsWith(insertion_id));
    await poll(views).toHaveLength(asset_id ? 2 : 1);
  };
  await viewed(first);
  await current('decline').click();
  await viewed(second);
  await page.getByRole('button', { name: 'Previous offer' }).click();
  await stepped(page);
  for (const link of await page.locator('[part=footer] a').all()) await opening(page, () => link.click());
  await current('accept').focus();
  await opening(page, () => page.keyboard.press('Enter'));
  await pass(page, 600); // no double click
  await current('decline').click(); // now it says: next
  await stepped(page);
  await opening(page, () => current('accept').click({ button: 'middle' }));
  await pass(page, 600);
  await opening(page, () => current('accept').dblclick());

  const about = ({ insertion_id }: Shown, ...events: string[]): string[] =>
    events.map((event) => `${event} ${insertion_id}`);
  const tile = (offer: Shown): string[] =>
    offer.asset_id
      ? about(offer, `PRODUCT_DISPLAY INLINE_TILE ${offer.asset_id}`, `PRODUCT_VIEW INLINE_TILE ${offer.asset_id}`)
      : [];
  const expected = [
    'WIDGET_LOAD',
    'WIDGET_DISPLAY',
    'WIDGET_VIEW',
    ...[first, second].flatMap((offer) => [
      ...about(offer, 'BRAND_DISPLAY INLINE_SLOT', 'BRAND_VIEW INLINE_SLOT'),
      ...tile(offer),
    ]),
    ...about(
      first,
      'ELEMENT_CLICK INLINE_NAV_FORWARD',
      'BRAND_CLICK INLINE_ACTION_BUTTON',
      'ELEMENT_CLICK INLINE_NAV_FORWARD',
    ),
    ...about(
      second,
      'ELEMENT_CLICK INLINE_NAV_BACKWARD',
      'BRAND_CLICK INLINE_ACTION_BUTTON',
      'BRAND_CLICK INLINE_ACTION_BUTTON',
    ),
    'ELEMENT_CLICK INLINE_FOOTER_BRAND',
    'ELEMENT_CLICK INLINE_FOOTER_PRIVACY',
  ];
  await poll(async () => (await stored(session_id)).toSorted()).toEqual(expected.toSorted());
  await page.waitForTimeout(500);
  const seen = await stored(session_id);
  expect(seen).toHaveLength(expected.length); // and nothing more came
  // What is displayed comes before what is viewed or clicked, the widget before its offers, the load before all.
  expect(seen.slice(0, 3)).toEqual(['WIDGET_LOAD', 'WIDGET_DISPLAY', ...about(first, 'BRAND_DISPLAY INLINE_SLOT')]);
  for (const offer of [first, second]) {
    const ofIt = seen.filter((event) => event.endsWith(offer.insertion_id) && !event.includes('BACKWARD'));
    expect(ofIt[0]).toContain('BRAND_DISPLAY');
  }
});

interface Shown {
  insertion_id: string;
  asset_id?: string;
}

interface Answer {
  session_id: string;
  recommendations: Record<string, { offer: { assets?: { id: string }[] } }>;
  recommendation_groups: { items: { offer_id: string; insertion_id: string }[] }[];
}

/** Opens the shop; returns the session and the offers in the order in which they are shown. */
async function visit(page: Page, mode: string): Promise<{ session_id: string; offers: [Shown, Shown] }> {
  await page.context().route(/^https:/, (route) => route.fulfill({ contentType: 'text/html', body: 'the brand' }));
  const picture = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
  await page
    .context()
    .route('https://cdn.example/*', (route) => route.fulfill({ contentType: 'image/svg+xml', body: picture }));
  let answer = {} as Answer;
  // Read on its way: the browser forgets the body of a response once the page has it.
  await page.route(/recommendations$/, async (route) => {
    const response = await route.fetch();
    answer = (await response.json()) as Answer;
    await route.fulfill({ response });
  });
  await page.addInitScript(
    'globalThis.ahead = 0; { const now = performance.now.bind(performance); performance.now = () => now() + ahead; }',
  );
  await page.goto(`${line.shop}/${mode}`);
  const outcome = (): Promise<unknown> => page.evaluate('offerlet.explain?.()[0]?.outcome?.code');
  await poll(outcome).toBe('rendered');
  await expect(page.locator('article [part=accept]')).toBeVisible();
  const offers = answer.recommendation_groups
    .flatMap(({ items }) => items)
    .map(({ offer_id, insertion_id }) => ({
      insertion_id,
      asset_id: answer.recommendations[offer_id]?.offer.assets?.[0]?.id,
    }));
  expect(offers).toHaveLength(2);
  return { session_id: answer.session_id, offers: offers as [Shown, Shown] };
}

/** Lets the time pass in which a step ignores clicks: 400 ms. */
const stepped = (page: Page): Promise<void> => pass(page, 500);

/** Turns the clock by which the widget measures the time between two clicks. */
async function pass(page: Page, ms: number): Promise<void> {
  await page.evaluate(`ahead += ${ms}`);
}

/** Does what opens the brand's tab, and closes that again. */
async function opening(page: Page, act: () => Promise<unknown>): Promise<void> {
  const [tab] = await Promise.all([page.context().waitForEvent('page'), act()]);
  await tab.close();
  await page.bringToFront();
}

/** What the network has stored of a session, oldest first: name, target, asset or product, insertion. */
async function stored(session_id: string): Promise<string[]> {
  const { events } = await line.network.control('GET', `/sandbox/events?session_id=${session_id}`);
  return (events as { status: string; event: Record<string, any> }[]) // oxlint-disable-line typescript/no-explicit-any
    .filter(({ status }) => status === 'stored')
    .map(({ event }) => event)
    .toSorted((a, b) => String(a.event_datetime).localeCompare(String(b.event_datetime)))
    .map((event) =>
      [
        event.event_name,
        event.initiating_target,
        event.asset_id ?? event.product_properties?.product_id,
        event.brand_properties?.insertion_id,
      ]
        .filter(Boolean)
        .join(' '),
    );
}

function addOffer(name: string, more: object): Promise<string> {
  const advertiser = { name, logo_url: 'https://cdn.example/logo.svg' };
  const cta_details = { accept_copy: 'Yes, please', decline_copy: 'No, thanks' };
  const target_url = `https://${name.toLowerCase()}.example/`;
  return line.network.offer({ advertiser, heading: `${name} for you`, target_url, cta_details, ...more });
}

/** Starts a shop's page, its relay and the network on its embedded database, each on a free port. */
async function startLine() {
  const script = await bundle(
    fileURLToPath(new URL('../../../src/script-tag.ts', import.meta.url)),
    'iife',
    'offerlet',
  );
  const served = await serveTestNetwork();
  const { integration = '' } = served.network.describe().keys;
  const relay = createRelay({
    apiKey: integration,
    version: '1.0.0',
    networkUrl: served.url,
    basePath: '/offers',
    forwardEventIds: true,
    sandbox: true,
    timeouts: { recommendations: 60_000 },
  });
  // A page per display mode; no order, so that each visit is a separate session.
  const page = (mode: string): string =>
    shop(scriptTag({ relay: '/offers', 'order-id': '', 'display-mode': mode, target: '#offers' })).replaceAll(
      '/offerlet.js',
      '/script.js',
    );
  const own = await serve(
    async (request, { ip }) => {
      const { pathname } = new URL(request.url);
      if (pathname === '/script.js') return new Response(script, { headers: { 'content-type': 'text/javascript' } });
      if (pathname.startsWith('/offers/')) return relay(request, ip === undefined ? {} : { ip });
      return new Response(page(pathname.slice(1)), { headers: { 'content-type': 'text/html' } });
    },
    { port: 0 },
  );
  return {
    shop: own.url,
    network: served,
    close: () => own.close().then(served.close),
  };
}
