import { expect, type Page } from '@playwright/test';
import { toStorable } from '../../../src/session/findOffers.ts';
import type { Mount, ShowOptions } from '../../../src/page/showOptions.ts';
import type { WidgetProps } from '../../../src/widget/props.ts';
import type { SafeResponse } from '../../../src/wire/offers/response.ts';
import type { PageEvent } from '../../../src/session/openTrace.ts';
import { scriptTag } from '../../package/bytes.ts';
import { FOOTER, hero, placed } from '../../widget/offers.ts';

declare global {
  interface Window {
    offers?: Mount;
    events: PageEvent[];
    /** Milliseconds that the clock of the page is ahead: what only waits for it need not wait. */
    ahead: number;
  }
}

const SHOP = 'https://shop.test/';
const PICTURE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="96" height="96"><rect width="96" height="96" rx="16" fill="#14532d"/><circle cx="48" cy="48" r="22" fill="#fbbf24"/></svg>';

/** What a thank-you page looks like. */
export interface ShopPage {
  body?: string;
  head?: string;
  html?: string;
  /** Neither says how it is encoded nor how wide it is. */
  isBare?: boolean;
}

/** What the shopper gets to see: the response of the relay and the options of the page. */
export type Shown = Partial<Pick<WidgetProps, 'mode' | 'groups' | 'footer' | 'sandbox' | 'theme' | 'locale'>>;

/** Opens a thank-you page with the published script on it; nothing leaves the machine. */
export async function openShop(page: Page, { body = '', head = '', html = '', isBare }: ShopPage = {}): Promise<void> {
  await page.context().route(/^https:/, (route) => {
    const { hostname, pathname } = new URL(route.request().url());
    if (pathname === '/offerlet.js')
      return route.fulfill({ body: String(scriptTag()), contentType: 'text/javascript' });
    if (pathname === '/page.js') return route.fulfill({ body: PAGE, contentType: 'text/javascript' });
    if (pathname === '/offers/events/batch') return route.fulfill({ status: 202, json: accepted(route.request()) });
    if (hostname === 'images.test') return route.fulfill({ body: PICTURE, contentType: 'image/svg+xml' });
    if (hostname !== 'shop.test') return route.fulfill({ body: '<title>Brand</title>', contentType: 'text/html' });
    return route.fulfill({
      contentType: isBare ? 'text/html' : 'text/html; charset=utf-8',
      body: `<!doctype html><html lang="en" ${html}><head>${isBare ? '' : '<meta name="viewport" content="width=device-width">'}<title>Thank you</title>${head}</head>
<body><main><h1>Thank you, Ada</h1><p>Order 1001 is on its way.</p><button id="before">Track it</button>
<div id="offers"></div>${body}</main><script src="/offerlet.js"></script><script src="/page.js"></script></body></html>`,
    });
  });
  await page.goto(SHOP);
}

const PAGE = `window.events=[];window.ahead=0;window.offers=undefined;
{const now=performance.now.bind(performance);performance.now=()=>now()+window.ahead}`;

function accepted(request: { postDataJSON(): unknown }): unknown {
  const { events } = request.postDataJSON() as { events: unknown[] };
  return { results: events.map((_, index) => ({ index, success: true })), accepted: events.length, failed: 0 };
}

/** Makes the relay respond with these offers, and returns the options of `show` for them, as JSON. */
async function stock(page: Page, shown: Shown = {}): Promise<string> {
  const { mode = 'INLINE', groups = [hero(placed(0), placed(1), placed(2))], footer = FOOTER, sandbox = false } = shown;
  let placements = 0;
  const response: SafeResponse = {
    session_id: crypto.randomUUID(),
    // A test may use the same offer twice.
    groups: groups.map((group, index) => ({
      ...group,
      id: `group_${index}`,
      offers: group.offers.map((offer) => ({
        ...offer,
        offer_id: `offer-${++placements}`,
        insertion_id: `insertion-${placements}`,
      })),
    })),
    footer,
    sandbox,
    left_out: [],
  };
  await page.context().route(`${SHOP}offers/recommendations`, (route) => route.fulfill({ json: toStorable(response) }));
  const options: ShowOptions = {
    relay: '/offers',
    target: '#offers',
    request: {
      user_details: { external_guid: 'me' },
      placement_details: { view: 'THANK_YOU', display_mode: mode },
    },
    ...(shown.theme && { theme: shown.theme }),
    ...(shown.locale && { locale: shown.locale }),
  };
  return JSON.stringify(options);
}

/**
 * Shows offers as a page does, in the place of those that it has shown before, and waits until they are there. A pull-up arrives
 * as a peek and is opened, unless `peek` says that it stays one.
 */
export async function mount(page: Page, { peek, ...shown }: Shown & { peek?: true } = {}): Promise<void> {
  const options = await stock(page, shown);
  const { code } = await page.evaluate((given) => {
    const options = JSON.parse(given) as ShowOptions;
    window.offers?.destroy();
    const offers = window.offerlet?.show?.({ ...options, onEvent: (event) => void window.events.push(event) });
    if (!offers) throw new Error('The script has not loaded.');
    window.offers = offers;
    return offers.outcome;
  }, options);
  if (code !== 'rendered') throw new Error(`The outcome is ${code}`);
  if (shown.mode === 'PULLUP' && !peek) await openSheet(page);
}

/** Opens a pull-up by its handle, as a key does. */
async function openSheet(page: Page): Promise<void> {
  await page.evaluate(() => {
    document.querySelector('offer-let-layer')?.shadowRoot?.querySelector<HTMLElement>('[data-peek] .handle')?.click();
  });
}

/** What the shopper did so far, as reported to the page. */
export function acted(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    window.events.flatMap((event) => {
      if (event.type === 'click') return ['accept'];
      if (event.type === 'dismiss') return [`dismiss by ${event.by}`];
      return ['decline', 'next', 'back', 'product', 'footer', 'copy'].includes(event.type) ? [event.type] : [];
    }),
  );
}

/**
 * Accepts an offer by a middle click, as a shopper does who stays on the page. Without the tab that this opens: it costs as much
 * as the page.
 */
export async function accept(page: Page, link = page.locator('[part=accept]').first()): Promise<void> {
  await page.evaluate(() => addEventListener('auxclick', (event) => event.preventDefault(), { once: true }));
  await link.click({ button: 'middle' });
}

/** Lets the time pass in which a layer that has just opened, or an offer that follows another, ignores clicks. */
export async function listening(page: Page): Promise<void> {
  await page.evaluate(() => void (window.ahead += 450));
  await atRest(page);
}

/** Lets the time pass until an accepted offer is said to be open. The test has installed the clock of the page. */
export async function opened(page: Page): Promise<void> {
  const status = page.getByRole('status').first();
  await expect(status).not.toBeEmpty();
  await page.clock.fastForward(1_000);
  await expect(status.locator('.done')).toBeVisible();
  await atRest(page);
}

/** Waits until nothing in the widget moves. */
async function atRest(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const frame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve));
    const running = (): Animation[] =>
      [...document.querySelectorAll('*')]
        .flatMap(({ shadowRoot }) => shadowRoot?.getAnimations() ?? [])
        .filter(({ playState }) => playState === 'running');
    // The browser reports new sizes in the first frame, and shows in the second what follows from them.
    for (let frames = 0; frames < 2; frames++) await frame();
    for (let all = running(); all.length > 0; all = running())
      await Promise.allSettled(all.map(({ finished }) => finished));
  });
}
