// Offers are requested in the task in which the script runs, and shown while the page still loads.
import { expect, test, type Page } from '@playwright/test';
import { useFixture } from './pageFixture.ts';
import { block, inScript, scriptTag, shop } from './pageShop.ts';
import { poll } from '../drivers/poll.ts';

const fixture = useFixture();

const ONCE = ['BRAND_DISPLAY', 'BRAND_VIEW', 'WIDGET_DISPLAY', 'WIDGET_LOAD', 'WIDGET_VIEW'];
const accept = (page: Page) => page.locator('[part~=accept]');
const requests = (): number => fixture.asked.filter(({ path }) => path.endsWith('/recommendations')).length;
const NEVER = '<img src="/never.png" width="1" height="1" alt="">';

/** Opens a page whose image never arrives. */
async function openLoading(page: Page, body: string): Promise<void> {
  await page.route('**/never.png', () => undefined);
  await page.goto(fixture.page('/loading', shop(body)), { waitUntil: 'commit' });
}

for (const mode of ['INLINE', 'OVERLAY'] as const) {
  for (const [what, blocks] of [
    ['requested', ''],
    ['prefetched', inScript(block({ display_mode: mode }))],
  ] as const) {
    test(`${mode}: ${what} offers are shown and counted while an image of the page still loads`, async ({ page }) => {
      await openLoading(page, NEVER + blocks + scriptTag({ 'display-mode': mode }));
      await expect(accept(page)).toBeVisible();
      await poll(() => fixture.names().toSorted()).toEqual(ONCE);
      expect(await page.evaluate('document.readyState')).not.toBe('complete');
      expect(requests()).toBe(what === 'requested' ? 1 : 0);
    });
  }
}

test('the request leaves in the task in which the script runs, with a low priority', async ({ page }) => {
  await page.addInitScript(() => {
    const { fetch } = window;
    window.fetch = (url, init) => {
      if ((url as string).endsWith('/recommendations')) Object.assign(window, { priority: init?.priority });
      return fetch(url, init);
    };
  });
  await page.goto(fixture.page('/task', shop(scriptTag())));
  await expect(accept(page)).toBeVisible();
  expect(await page.evaluate('priority')).toBe('low');
  expect(
    await page.evaluate(async () => {
      let hasLeft = false;
      const { fetch } = window;
      window.fetch = (url, init) => {
        hasLeft = true;
        return fetch(url, init);
      };
      const { offerlet } = window as unknown as { offerlet: { show(options: object): void } };
      offerlet.show({
        relay: '/offers',
        target: '#offers',
        request: { placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' }, order_details: { order_id: 'x' } },
      });
      for (let turn = 0; turn < 50; turn++) await Promise.resolve();
      return hasLeft;
    }),
  ).toBe(true);
});

test('a place that comes after the script has run gets the offers, before the page has loaded', async ({ page }) => {
  await openLoading(
    page,
    `${scriptTag({ target: '#late' })}${NEVER}<script>setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<div id="late"></div>'), 500)</script>`,
  );
  await expect(page.locator('#late [part~=accept]')).toBeVisible();
  expect(await page.evaluate('document.readyState')).not.toBe('complete');
});

test('a page that replaces the place while it loads, as hydration does, has the offers in the new one', async ({
  page,
}) => {
  await openLoading(page, inScript(block()) + scriptTag() + NEVER);
  await expect(accept(page)).toBeVisible();
  await page.evaluate(() => {
    const place = document.querySelector('#offers');
    place?.replaceWith(Object.assign(document.createElement('div'), { id: 'offers' }));
  });
  await expect(accept(page)).toBeVisible();
  await expect(page.locator('#offers')).toHaveAttribute('data-offerlet', 'rendered');
  await poll(() => fixture.names().toSorted()).toEqual(ONCE);
  expect(requests()).toBe(0);
});

for (const [what, hostile] of [
  ['Promise has no finally', 'delete Promise.prototype.finally'],
  ['locks throw', "Object.defineProperty(navigator, 'locks', { get() { throw Error('no'); } })"],
  ['requestIdleCallback throws', 'window.requestIdleCallback = () => { throw Error("no") }'],
  ['requestIdleCallback never calls back', 'window.requestIdleCallback = () => 1'],
  ['MutationObserver throws', 'window.MutationObserver = class { constructor() { throw Error("no") } }'],
  ['customElements.define throws', 'customElements.define = () => { throw Error("no") }'],
  ['locks are never granted', 'LockManager.prototype.request = () => new Promise(() => {})'],
  ['the page writes itself anew when it has loaded', ''],
] as const) {
  test(`where ${what}, there is an outcome, and no error reaches the page`, async ({ page }) => {
    const errors: string[] = [];
    page.on('pageerror', ({ message }) => errors.push(message));
    await page.addInitScript(hostile);
    const rewrite = `<script>addEventListener('load', () => { const all = document.documentElement.outerHTML;
      if (!window.isNew) { window.isNew = true; document.open(); document.write(all); document.close(); } })</script>`;
    await page.goto(
      fixture.page('/hostile', shop(scriptTag({ 'display-mode': 'OVERLAY' }) + (hostile ? '' : rewrite))),
    );
    await poll(() => page.evaluate('window.offerlet?.explain?.()[0]?.outcome?.code')).toBe('rendered');
    expect(errors).toEqual([]);
  });
}
