import { fileURLToPath } from 'node:url';
import { createElement } from 'react';
// @ts-expect-error react-dom's types are not installed: only tests would use them
import { renderToString } from 'react-dom/server';
import { expect, test, type Page } from '@playwright/test';
import type { OffersProps } from '../../../src/react.ts';
import { bundle } from '../drivers/bundle.ts';
import { useFixture } from '../page/pageFixture.ts';
import { cardOf } from '../page/htmlPage.ts';
import { block, scriptTag, shop } from '../page/pageShop.ts';
import { poll } from '../drivers/poll.ts';
import { letPass, useClock } from '../drivers/letPass.ts';

// The built one: Playwright does not load style sheets.
const built = new URL('../../../dist/react.js', import.meta.url).href;

const fixture = useFixture();
useClock();
test.beforeEach(async () => {
  const code = await bundle(fileURLToPath(new URL('../../views/reactOffers.ts', import.meta.url)), 'es');
  fixture.page('/react-offers.js', code, { 'content-type': 'text/javascript' });
});

const INLINE: OffersProps = {
  relay: '/offers',
  request: {
    user_details: { external_guid: 'c-42' },
    placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' },
    order_details: { order_id: '7' },
  },
};
const OVERLAY: OffersProps = {
  ...INLINE,
  request: { ...INLINE.request, placement_details: { view: 'THANK_YOU', display_mode: 'OVERLAY' } },
};

async function open(page: Page, props: OffersProps, html = '', root = 'undefined'): Promise<string[]> {
  const lines: string[] = [];
  page.on('console', (message) => {
    // The logos of the fixture are at hosts that do not exist.
    const isOurs = /error|warning/.test(message.type()) && !message.text().startsWith('Failed to load resource');
    if (isOurs) lines.push(message.text());
  });
  page.on('pageerror', ({ message }) => lines.push(message));
  const call = `<script type="module">import { draw } from '/react-offers.js'; draw(${JSON.stringify(props)}, ${root});</script>`;
  await page.goto(fixture.page('/react', shop(html + call)));
  return lines;
}

/** Renders the component with other properties: an expression of the page, or `undefined` for without the component. */
const rerender = (page: Page, props: string) => page.evaluate(`seen.render(${props})`);
const outcomes = (page: Page) => page.evaluate('seen.outcomes');
const accept = (page: Page) => page.locator('[part~=accept]');
const requests = () => fixture.asked.filter(({ path }) => path.endsWith('recommendations')).map(({ body }) => body);
const loads = () => fixture.names().filter((name) => name === 'WIDGET_LOAD').length;

test('under StrictMode offers are requested, counted and reported once, and a click is delivered', async ({
  page,
  context,
}) => {
  const lines = await open(page, INLINE);
  await expect(accept(page)).toHaveCount(1);
  await poll(fixture.names).toContain('BRAND_VIEW');
  const opened = context.waitForEvent('page');
  await accept(page).click();
  await (await opened).close();
  await poll(fixture.names).toContain('BRAND_CLICK');
  expect([requests().length, loads()]).toEqual([1, 1]);
  expect(await outcomes(page)).toEqual(['rendered']);
  expect(await page.evaluate('seen.events.filter((type) => type === "no_offers")')).toEqual([]);
  expect(lines).toEqual([]);
});

test('a render with new objects and functions of the same values changes nothing', async ({ page }) => {
  await open(page, INLINE);
  await poll(() => outcomes(page)).toEqual(['rendered']);
  await rerender(page, '{ onOutcome: () => seen.outcomes.push("new"), className: "wide" }');
  await rerender(page, '{}');
  await letPass(page, 300);
  expect(requests()).toHaveLength(1);
  expect(await outcomes(page)).toEqual(['rendered']);
  await expect(accept(page)).toBeVisible();
});

test('events carry the headers of the last render, as a token may have been renewed', async ({ page, context }) => {
  await open(page, { ...INLINE, headers: { authorization: 'Bearer first' } });
  await poll(() => outcomes(page)).toEqual(['rendered']);
  await rerender(page, "{ headers: { authorization: 'Bearer second' } }");
  const opened = context.waitForEvent('page');
  await accept(page).click();
  await (await opened).close();
  await poll(fixture.names).toContain('BRAND_CLICK');
  const [first] = fixture.asked;
  const last = fixture.asked.findLast(({ body }) => JSON.stringify(body).includes('BRAND_CLICK'));
  expect([first, last].map((asked) => asked?.headers.authorization)).toEqual(['Bearer first', 'Bearer second']);
  expect(requests()).toHaveLength(1);
});

test('headers and a fetch that are false in a later render are none, and a source that comes later decides', async ({
  page,
}) => {
  await open(page, { ...INLINE, consent: 'required', headers: { authorization: 'Bearer first' } });
  await rerender(page, '{ headers: false, fetch: false, consent: (decide) => decide(true) }');
  await expect(accept(page)).toBeVisible();
  await poll(fixture.names).toContain('WIDGET_VIEW');
  expect(fixture.asked.map((asked) => asked.headers.authorization).filter(Boolean)).toEqual([]);
});

test('headers and a fetch that first come in a later render are used', async ({ page }) => {
  await open(page, { ...INLINE, consent: 'required' });
  const fetch = "(url, how) => fetch(url, { ...how, headers: { ...how.headers, 'x-by': 'page' } })";
  await rerender(page, `{ consent: true, headers: { authorization: 'Bearer late' }, fetch: ${fetch} }`);
  await expect(accept(page)).toBeVisible();
  expect(fixture.asked[0]?.headers).toMatchObject({ authorization: 'Bearer late', 'x-by': 'page' });
});

test('leaving the page and coming back shows the order’s offers again and counts nothing twice', async ({ page }) => {
  await open(page, INLINE);
  await poll(fixture.names).toContain('WIDGET_VIEW');
  for (let visit = 0; visit < 3; visit++) {
    await rerender(page, 'undefined');
    await expect(accept(page)).toHaveCount(0);
    await rerender(page, '{}');
    await expect(accept(page)).toBeVisible();
  }
  await letPass(page, 300);
  const once = ['WIDGET_LOAD', 'WIDGET_DISPLAY', 'BRAND_DISPLAY', 'BRAND_VIEW', 'WIDGET_VIEW'];
  expect(fixture.names().toSorted()).toEqual(once.toSorted());
  expect(requests()).toHaveLength(1);
});

test('another order requests other offers; the callbacks are those of the last render', async ({ page }) => {
  await open(page, INLINE);
  await poll(() => outcomes(page)).toEqual(['rendered']);
  const request = JSON.stringify({ ...INLINE.request, order_details: { order_id: '8' } });
  await rerender(page, `{ request: ${request}, onOutcome: ({ code }) => seen.outcomes.push('8: ' + code) }`);
  await poll(() => outcomes(page)).toEqual(['rendered', '8: rendered']);
  expect(requests().map(({ order_details }) => order_details)).toEqual([{ order_id: '7' }, { order_id: '8' }]);
});

test('consent follows its property', async ({ page }) => {
  await open(page, { ...INLINE, consent: false });
  await poll(() => outcomes(page)).toEqual(['consent_denied']);
  expect(requests()).toEqual([]);
  await rerender(page, '{ consent: true }');
  await expect(accept(page)).toBeVisible();
  await poll(() => outcomes(page)).toEqual(['consent_denied', 'rendered']);
  await rerender(page, '{ consent: false }');
  await expect(accept(page)).toHaveCount(0);
  await rerender(page, '{ consent: true }');
  await expect(accept(page)).toBeVisible();
});

test('a dialog opens without a place in the page, and is gone after leaving', async ({ page }) => {
  const lines = await open(page, OVERLAY);
  await expect(page.locator('offer-let-layer [part~=accept]')).toBeVisible();
  await rerender(page, 'undefined');
  await expect(page.locator('offer-let-layer')).toHaveCount(0);
  expect(lines).toEqual([]);
});

test('hydration leaves a card in the HTML alone, without a warning, and the script takes it over', async ({ page }) => {
  const { Offers } = (await import(built)) as { Offers: (props: OffersProps) => null };
  const json = block({ order_id: '7', shopper: {} });
  const props = { ...INLINE, prefetched: json as never, html: cardOf(json) };
  const html = `<main id="root">${renderToString(createElement(Offers, props)) as string}</main>
    <script>const [card] = document.querySelectorAll('[data-offerlet-card]');
      window.nodes = [...card.shadowRoot.querySelectorAll('section, section *')];</script>`;
  const lines = await open(page, props, html, "document.querySelector('#root')");
  await poll(() => outcomes(page)).toEqual(['rendered']);
  const shown = '[...document.querySelector("#root > div > div").shadowRoot.querySelectorAll("section, section *")]';
  expect(await page.evaluate(`nodes.every((node, at) => node === ${shown}[at])`)).toBe(true);
  expect(lines).toEqual([]);
  expect(requests()).toEqual([]);
  await rerender(page, '{ html: "<p>Another</p>", className: "wide" }');
  await letPass(page, 300);
  await expect(accept(page)).toHaveCount(1);
  await rerender(page, 'undefined');
  await expect(accept(page)).toHaveCount(0);
});

test('a component that a browser renders has no HTML to take over, and writes none', async ({ page }) => {
  const prefetched = block({ order_id: '7', shopper: {} }) as never;
  const lines = await open(page, { ...INLINE, prefetched, html: '<div data-offerlet-card="x" id="card"></div>' });
  await expect(accept(page)).toHaveCount(1);
  await expect(page.locator('#card')).toHaveCount(0);
  expect(lines).toEqual([]);
});

test('hydration keeps what the server rendered, without a warning, and nothing below it moves', async ({ page }) => {
  await page.addInitScript(() => {
    Object.assign(window, { shift: 0 });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        (window as unknown as { shift: number }).shift += (entry as unknown as { value: number }).value;
    }).observe({ type: 'layout-shift', buffered: true });
  });
  const { Offers } = (await import(built)) as { Offers: (props: OffersProps) => null };
  const html = `<main id="root">${renderToString(createElement(Offers, INLINE)) as string}</main><p>Below</p>`;
  const lines = await open(
    page,
    INLINE,
    html,
    "Object.assign(document.querySelector('#root'), { first: document.querySelector('#root').firstChild })",
  );
  await expect(accept(page)).toBeVisible();
  await letPass(page, 300);
  expect(lines).toEqual([]);
  expect(
    await page.evaluate("(({ first, firstChild }) => first === firstChild)(document.querySelector('#root'))"),
  ).toBe(true);
  expect(await page.evaluate('shift')).toBeLessThanOrEqual(0.001);
});

test('a withdrawal in another tab holds when another request is rendered, until the property changes', async ({
  page,
  context,
}) => {
  await open(page, INLINE);
  await expect(accept(page)).toBeVisible();
  const other = await context.newPage();
  await other.goto(fixture.page('/other', shop(scriptTag({ consent: 'denied' }))));
  await expect(accept(page)).toHaveCount(0);
  await rerender(page, `{ request: ${JSON.stringify({ ...INLINE.request, order_details: { order_id: '8' } })} }`);
  await letPass(page, 300);
  expect(requests()).toHaveLength(1);
  await rerender(page, '{ consent: true, maxOffers: 1 }');
  await expect(accept(page)).toBeVisible();
});
