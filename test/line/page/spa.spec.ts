// Pages that are replaced without a reload: offers leave with their tag or target, and a tag that runs again shows offers anew.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test, type Page } from '@playwright/test';
import { offersOf, useFixture } from './pageFixture.ts';
import { HASH, options, scriptTag } from './pageShop.ts';
import { poll } from '../drivers/poll.ts';
import { letPass, useClock } from '../drivers/letPass.ts';

const TURBO = readFileSync(createRequire(import.meta.url).resolve('@hotwired/turbo/dist/turbo.es2017-umd.js'), 'utf8');

const fixture = useFixture();
useClock();
let lines: string[] = [];
test.beforeEach(({ page }) => {
  fixture.page('/turbo.js', TURBO, { 'content-type': 'text/javascript' });
  fixture.reply = ({ body }) => {
    const { order_id } = body.order_details as { order_id: string };
    return JSON.parse(JSON.stringify(offersOf(1)).replace('Heading 1', `Offer for ${order_id}`)) as unknown;
  };
  lines = [];
  page.on('console', (line) => line.type() !== 'error' && lines.push(line.text()));
  page.on('pageerror', (error) => lines.push(String(error)));
});
test.afterEach(() => expect(lines).toEqual([]));

/** A page of a shop that Turbo drives: what it replaces is the body. */
function turboPage(body: string, head = ''): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title><link rel="icon" href="data:,">
    <script src="/turbo.js"></script>${head}</head><body>${body}</body></html>`;
}

const tag = (order: string, more: Record<string, string> = {}): string => scriptTag({ 'order-id': order, ...more });
const link = (path: string): string => `<a href="${path}">${path}</a>`;
const place = (order: string): string => `<h1>Order ${order}</h1><div id="offers"></div>`;
const heading = (page: Page) => page.locator('[part~=heading]');
const orders = (): unknown[] =>
  fixture.asked
    .filter(({ path }) => path.endsWith('/recommendations'))
    .map(({ body }) => (body.order_details as { order_id: string }).order_id);
const displays = (): number => fixture.names().filter((name) => name === 'BRAND_DISPLAY').length;

for (const mode of ['INLINE', 'OVERLAY', 'PULLUP'] as const) {
  test(`Turbo: ${mode} offers of one order are gone on the next, which shows its own`, async ({ page }) => {
    const body = (order: string, next: string): string =>
      place(order) + link(next) + tag(order, { 'display-mode': mode });
    fixture.page('/a', turboPage(body('A', '/b')));
    fixture.page('/b', turboPage(body('B', '/plain')));
    fixture.page('/plain', turboPage(`<h1>Cart</h1>${link('/a')}`));
    await page.goto(`${fixture.url}/a`);
    await expect(heading(page)).toHaveText('Offer for A');
    // A page that is left in the frame in which they appear has shown nothing yet.
    await poll(fixture.names).toContain('BRAND_DISPLAY');
    await page.evaluate("window.stays = true; Turbo.visit('/b')");
    await expect(heading(page)).toHaveText('Offer for B');
    await expect(heading(page)).toHaveCount(1);
    expect(await page.evaluate('stays')).toBe(true);
    await poll(displays).toBe(2);
    // A page without a tag has no offers, and nothing holds its scroll or focus.
    await page.evaluate("Turbo.visit('/plain')");
    await expect(page.locator('h1')).toHaveText('Cart');
    await expect(page.locator('offer-let-layer, [part~=card]')).toHaveCount(0);
    expect(await page.evaluate('document.documentElement.getAttribute("style")')).toBeFalsy();
    // Back to a page that Turbo has kept: the same order, which counts nothing twice.
    await page.goBack();
    await expect(heading(page)).toHaveText('Offer for B');
    await expect(heading(page)).toHaveCount(1);
    await poll(() => page.evaluate('offerlet.explain()[0].outcome?.code')).toBe('rendered');
    expect(displays()).toBe(2);
    expect(fixture.names().filter((name) => name === 'WIDGET_LOAD')).toHaveLength(2);
    expect(orders()).toEqual(['A', 'B']);
    expect(await page.locator('#offers > *').count()).toBe(mode === 'INLINE' ? 1 : 0);
  });
}

test('Turbo: a refresh that morphs leaves the offers of a permanent place alone', async ({ page }) => {
  const morph = '<meta name="turbo-refresh-method" content="morph">';
  const body = (text: string): string =>
    turboPage(place('A').replace('<div', '<div data-turbo-permanent') + tag('A') + text, morph);
  await page.goto(fixture.page('/a', body('<p>Packed</p>')));
  await expect(heading(page)).toHaveText('Offer for A');
  await page.evaluate("window.shown = document.querySelector('#offers').firstChild");
  fixture.page('/a', body('<p>Sent</p>'));
  await page.evaluate("Turbo.visit(location.href, { action: 'replace' })");
  await expect(page.locator('body > p')).toHaveText('Sent');
  await expect(heading(page)).toHaveText('Offer for A');
  expect(await page.evaluate("shown === document.querySelector('#offers').firstChild")).toBe(true);
  expect(orders()).toEqual(['A']);
});

test('Turbo: offers that wait for the relay never appear on the next page', async ({ page }) => {
  let respond = (): void => {};
  const held = new Promise<void>((resolve) => (respond = resolve));
  fixture.reply = async () => {
    await held;
    return offersOf(1);
  };
  fixture.page('/a', turboPage(place('A') + tag('A', { 'display-mode': 'OVERLAY' })));
  fixture.page('/plain', turboPage('<h1>Cart</h1>'));
  await page.goto(`${fixture.url}/a`);
  await poll(orders).toEqual(['A']);
  await page.evaluate("Turbo.visit('/plain')");
  await expect(page.locator('h1')).toHaveText('Cart');
  respond();
  await letPass(page, 500);
  await expect(page.locator('offer-let-layer')).toHaveCount(0);
  expect(fixture.names()).toEqual([]);
});

test('Turbo: calls of show() run on every page and log nothing; a copy of their offers is none when the shopper comes back', async ({
  page,
}) => {
  const script = '<script src="/offerlet.js"></script>';
  const show = (order: string): string =>
    `<script>offerlet.show({ ...${options('INLINE')}, request: { user_details: { email_hash: '${HASH}' },
      placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' }, order_details: { order_id: '${order}' } } })</script>`;
  // Turbo waits for it with the offers still in place, and copies the page meanwhile.
  const sheet = fixture.page('/b.css', '', { 'content-type': 'text/css' });
  let isCopied = false;
  await page.route(sheet, async (route) => {
    await poll(() => page.evaluate('Turbo.session.view.snapshotCache.keys.length')).toBe(1);
    isCopied = true;
    await route.continue();
  });
  fixture.page('/a', turboPage(place('A') + script + show('A')));
  fixture.page('/b', turboPage(place('B') + script + show('B'), `<link rel="stylesheet" href="/b.css">`));
  await page.goto(`${fixture.url}/a`);
  await expect(heading(page)).toHaveText('Offer for A');
  await page.evaluate("Turbo.visit('/b')");
  await expect(heading(page)).toHaveText('Offer for B');
  expect([isCopied, await page.evaluate('offerlet.explain().length')]).toEqual([true, 1]);
  await page.goBack();
  await expect(heading(page)).toHaveText('Offer for A');
  await expect(page.locator('#offers > *')).toHaveCount(1);
});

test('a target that is removed takes its offers and its watching with it', async ({ page }) => {
  const code = `window.offers = showOffers(${options('INLINE', 'onEvent: (event) => heard.push(event.type)')});`;
  const script = `<script type="module">import { showOffers } from '/index.js'; window.heard = []; ${code}</script>`;
  fixture.reply = () => offersOf(1);
  await page.goto(
    fixture.page('/target', turboPage(`${place('A')}${script}`).replace('<script src="/turbo.js"></script>', '')),
  );
  await expect(heading(page)).toBeVisible();
  await page.evaluate("document.querySelector('#offers').remove()");
  // In one task: what was sent before may still be reported as delivered.
  const more =
    '(() => { const before = heard.length; offers.consent(false); offers.dismiss(); return heard.length - before; })()';
  expect(await page.evaluate(more)).toBe(0);
});

test('a target that is only moved keeps its offers', async ({ page }) => {
  await page.goto(
    fixture.page(
      '/moved',
      turboPage(`<main></main>${place('A')}${tag('A')}`).replace('<script src="/turbo.js"></script>', ''),
    ),
  );
  await expect(heading(page)).toHaveText('Offer for A');
  await page.evaluate("document.querySelector('main').append(document.querySelector('#offers'))");
  await letPass(page, 100);
  await expect(page.locator('main [part~=heading]')).toHaveText('Offer for A');
});
