import { readFileSync } from 'node:fs';
import { expect, test, type Page } from '@playwright/test';
import { useFixture } from './pageFixture.ts';
import { openWith, options, outcomeOf, scriptTag, shop } from './pageShop.ts';
import { poll } from '../drivers/poll.ts';
import { letPass, useClock } from '../drivers/letPass.ts';

const fixture = useFixture();
useClock();

const questions = () => fixture.asked.filter(({ path }) => path.endsWith('/recommendations')).length;
const accept = (page: Page) => page.locator('[part~=accept]').first();

function linesOf(page: Page): string[] {
  const lines: string[] = [];
  page.on('console', (message) => message.type() !== 'error' && lines.push(message.text()));
  page.on('pageerror', (error) => lines.push(`uncaught: ${error.message}`));
  return lines;
}

test('a page with an old Prototype.js gets its offers, and its events arrive as lists', async ({ page }) => {
  const lines = linesOf(page);
  const old = `<script>${readFileSync('test/views/prototypeLike.js', 'utf8')}</script>`;
  await page.goto(fixture.page('/old', shop(scriptTag({ 'email-hash': '', email: 'anna@example.com' }), old)));
  await expect(accept(page)).toBeVisible();
  await poll(fixture.names).toContain('BRAND_VIEW');
  expect(fixture.asked[0]?.body.user_details).toEqual({ email_hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(lines).toEqual([]);
});

test('a page that freezes every prototype gets its offers', async ({ page }) => {
  const lines = linesOf(page);
  const freeze = `<script>for (const what of [Object, Array, Function, Promise, String, Map, Set, Element, Node, Event, EventTarget, HTMLElement, Response, Headers])
    Object.freeze(what.prototype), Object.freeze(what);</script>`;
  await page.goto(fixture.page('/frozen', shop(scriptTag(), freeze)));
  await expect(accept(page)).toBeVisible();
  await poll(fixture.names).toContain('BRAND_VIEW');
  expect(lines).toEqual([]);
});

test('a layer that cannot open leaves the page as it was', async ({ page }) => {
  await page.addInitScript(() => {
    HTMLDialogElement.prototype.showModal = () => {
      throw new Error('a polyfill of the page');
    };
  });
  await openWith(page, fixture, `window.offers = showOffers(${options('OVERLAY')});`);
  expect((await outcomeOf(page)).code).toBe('failed');
  expect(await page.evaluate('document.adoptedStyleSheets.length')).toBe(0);
  await expect(page.locator('offer-let-layer')).toHaveCount(0);
});

test('if the script is loaded twice, the second one warns and does nothing', async ({ page }) => {
  const lines = linesOf(page);
  await page.goto(
    fixture.page(
      '/twice',
      shop(scriptTag() + scriptTag({ 'order-id': '1002' }).replace('offerlet.js', 'offerlet.js?v=2')),
    ),
  );
  await expect(accept(page)).toBeVisible();
  expect(lines).toEqual([expect.stringContaining('already')]);
  expect(questions()).toBe(1);
});

test('next to another version from npm, each element is shown once, by the first', async ({ page }) => {
  const lines = linesOf(page);
  const element = '<offer-let relay="/offers" view="THANK_YOU" display-mode="INLINE" external-guid="42"></offer-let>';
  const scripts = `<script src="/offerlet.js"></script><script type="module" src="/element.js"></script>`;
  await page.goto(fixture.page('/versions', shop(element + scripts)));
  await expect(accept(page)).toBeVisible();
  await letPass(page, 300);
  expect(questions()).toBe(1);
  await expect(page.locator('[part~=accept]')).toHaveCount(1);
  expect(lines).toEqual([]);
});

test('calls from before the script loaded run once it has, and one that throws stops no other', async ({ page }) => {
  const early = `<script>(window.offerlet ||= []).push(() => { throw new Error('mine') });
    (window.offerlet ||= []).push((o) => (window.offers = o.show(${options('INLINE')})));</script>`;
  await page.goto(fixture.page('/queued', shop(`${early}<script async src="/offerlet.js"></script>`)));
  await expect(accept(page)).toBeVisible();
  expect(await outcomeOf(page)).toMatchObject({ code: 'rendered' });
  expect(await page.evaluate('offerlet.explain().length')).toBe(1);
  expect(questions()).toBe(1);
});

test('<offer-let> shows offers at its place, and survives being moved', async ({ page }) => {
  const element = `<script async src="/offerlet.js"></script><main><offer-let relay="/offers" view="THANK_YOU" display-mode="INLINE" external-guid="42"></offer-let></main><footer></footer>`;
  await page.goto(fixture.page('/element', shop(element)));
  await expect(page.locator('main offer-let [part~=accept]')).toBeVisible();
  expect(fixture.asked[0]?.body.user_details).toEqual({ external_guid: '42' });
  await page.evaluate("document.querySelector('footer').append(document.querySelector('offer-let'))");
  await letPass(page, 200);
  await expect(page.locator('footer offer-let [part~=accept]')).toBeVisible();
  expect(questions()).toBe(1);
});

test('an <offer-let> that is removed stops, and shows offers again when it returns', async ({ page }) => {
  const element = `<script async src="/offerlet.js"></script><offer-let relay="/offers" view="THANK_YOU" display-mode="INLINE" order-id="9"></offer-let>`;
  await page.goto(fixture.page('/away', shop(element)));
  await expect(accept(page)).toBeVisible();
  await page.evaluate("window.gone = document.querySelector('offer-let'); gone.remove()");
  await expect.poll(() => page.evaluate('[gone.mount, offerlet.explain().length]')).toEqual([undefined, 0]);
  await page.evaluate('document.body.append(gone)');
  await expect(accept(page)).toBeVisible();
  expect(questions()).toBe(1);
});
