// The three ways onto a page, each on the whole line: a real relay, a real network, nothing stubbed but the shop's own page.
import { fileURLToPath } from 'node:url';
import { expect, test, type Page } from '@playwright/test';
import { bundle } from '../drivers/bundle.ts';
import { shop } from './pageShop.ts';
import { sharedSandbox, type Sandbox } from '../drivers/sandbox.ts';
import { poll } from '../drivers/poll.ts';

let sandbox: Sandbox;
const scripts = new Map<string, string>();
test.describe.configure({ mode: 'serial' });
test.beforeAll(async () => {
  test.setTimeout(120_000);
  sandbox = await sharedSandbox();
  for (const [name, format] of [
    ['script-tag', 'iife'],
    ['element', 'es'],
    ['index', 'es'],
  ] as const) {
    const entry = fileURLToPath(new URL(`../../../src/${name}.ts`, import.meta.url));
    scripts.set(`/${name}.js`, await bundle(entry, format));
  }
});

const ATTRIBUTES = (prefix: string): string =>
  Object.entries({ view: 'THANK_YOU', 'display-mode': 'INLINE', 'external-guid': 'me', 'widget-id': 'mine' })
    .map(([name, value]) => ` ${prefix}${name}="${value}"`)
    .join('');

const WAYS: readonly [way: string, html: (relay: string) => string, mount: string][] = [
  [
    'the script tag',
    (relay) =>
      `<script async src="/script-tag.js" data-relay="${relay}" data-target="#offers"${ATTRIBUTES('data-')}></script>`,
    'offerlet.explain()[0]',
  ],
  [
    '<offer-let>',
    (relay) =>
      `<offer-let relay="${relay}"${ATTRIBUTES('')}></offer-let><script type="module" src="/element.js"></script>`,
    'document.querySelector("offer-let").offers.explain()',
  ],
  [
    'showOffers',
    (relay) => `<script type="module">import { showOffers } from '/index.js';
      window.offers = showOffers({ relay: '${relay}', target: '#offers', request: { user_details: { external_guid: 'me' },
        placement_details: { view: 'THANK_YOU', display_mode: 'INLINE', widget_id: 'mine' } } });</script>`,
    'offers.explain()',
  ],
];

for (const [way, html, mount] of WAYS) {
  test(`by ${way} an offer is requested, seen, accepted, and every event reaches the network once`, async ({
    page,
    context,
  }) => {
    const lines: string[] = [];
    // The browser's own remarks are about this page, which no server sent: it has no address to load pictures from.
    page.on('console', (message) => message.type() !== 'error' && lines.push(message.text()));
    page.on('pageerror', (error) => lines.push(error.message));
    await open(page, shop(html(sandbox.relay)));
    const accept = page.locator('article [part~=accept]');
    await expect(accept).toBeVisible();
    await page.waitForFunction(`${mount}.response`);
    const { session_id } = (await page.evaluate(`${mount}.response`)) as { session_id: string };
    await poll(() => arrived(session_id)).toContain('WIDGET_VIEW stored');

    const opened = context.waitForEvent('page');
    await accept.click();
    await (await opened).waitForLoadState(); // the advertiser's page, of the network's own
    // Some offers of the catalogue have product tiles, whose events arrive as well.
    const withoutTiles = async () => (await arrived(session_id)).filter((event) => !event.startsWith('PRODUCT_'));
    await poll(withoutTiles, { timeout: 10_000 }).toEqual([
      'BRAND_CLICK stored',
      'BRAND_DISPLAY stored',
      'BRAND_VIEW stored',
      'WIDGET_DISPLAY stored',
      'WIDGET_LOAD stored',
      'WIDGET_VIEW stored',
    ]);
    await poll(() => page.evaluate(`${mount}.queue.waiting`)).toBe(0);
    expect(lines).toEqual([]);
  });
}

/** Opens a page of the shop's own origin, so that the relay is called as in production. */
async function open(page: Page, html: string): Promise<void> {
  await page.route(`${sandbox.shop}/*.js`, async (route) => {
    const body = scripts.get(new URL(route.request().url()).pathname);
    return body ? route.fulfill({ body, contentType: 'text/javascript' }) : route.continue();
  });
  await page.route(`${sandbox.shop}/mine`, (route) => route.fulfill({ body: html, contentType: 'text/html' }));
  await page.goto(`${sandbox.shop}/mine`);
}

/** What the network has stored about a session, each event with its result. */
async function arrived(session_id: string): Promise<string[]> {
  const response = await fetch(`${sandbox.network}/sandbox/events?session_id=${session_id}`);
  const { events } = (await response.json()) as { events: { event: { event_name: string }; status: string }[] };
  return events.map(({ event, status }) => `${event.event_name} ${status}`).toSorted();
}
