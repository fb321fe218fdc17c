// Offers are painted before anything is stored, locked, counted or sent. Nothing is lost or counted twice for that.
import { expect, test, type Page } from '@playwright/test';
import { useFixture } from './pageFixture.ts';
import { block, everythingStored, inScript, scriptTag, shop } from './pageShop.ts';
import { poll } from '../drivers/poll.ts';

const fixture = useFixture();

const ONCE = ['BRAND_DISPLAY', 'BRAND_VIEW', 'WIDGET_DISPLAY', 'WIDGET_LOAD', 'WIDGET_VIEW'];
const accept = (page: Page) => page.locator('[part~=accept]');
const requests = (): number => fixture.asked.filter(({ path }) => path.endsWith('/recommendations')).length;
const code = (page: Page): Promise<unknown> => page.evaluate('offerlet.explain()[0].outcome?.code');
const sessionOf = ({ response }: { response: unknown }): string => (response as { session_id: string }).session_id;
const sessions = (): string[] => [...new Set(fixture.events.map(({ session_id }) => session_id))];

/** In the page: records, in order, the calls to storage and the first frame that shows an offer. */
function record(): void {
  const log: string[] = [];
  Object.assign(window, { log });
  const tell = <T extends object>(of: T, name: keyof T & string): void => {
    const original = of[name] as (...given: unknown[]) => unknown;
    of[name] = function (this: unknown, ...given: unknown[]) {
      log.push(name);
      return original.apply(this, given);
    } as never;
  };
  tell(IDBFactory.prototype, 'open');
  tell(IDBObjectStore.prototype, 'put');
  tell(LockManager.prototype, 'request');
  tell(Storage.prototype, 'setItem');
  tell(SubtleCrypto.prototype, 'digest');
  tell(window, 'fetch');
  const look = (): void => {
    const hosts = document.querySelectorAll('#offers > *, offer-let-layer');
    const [button] = [...hosts].flatMap(({ shadowRoot }) => shadowRoot?.querySelector('[part~=accept]') ?? []);
    const isShown = button?.checkVisibility({ visibilityProperty: true }) && !button.closest('dialog:not([open])');
    if (isShown) log.push('frame');
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/** Blocks every request for a lock until `release` is called, as a slow disk or another tab would. */
function holdLocks(): void {
  const { request } = LockManager.prototype;
  const held = new Promise<void>((resolve) => Object.assign(window, { release: resolve }));
  LockManager.prototype.request = async function (this: LockManager, ...given: unknown[]) {
    await held;
    return request.apply(this, given as never);
  } as never;
}

for (const mode of ['INLINE', 'OVERLAY', 'FULLSCREEN', 'PULLUP'] as const) {
  test(`${mode}: prefetched offers are in a frame before storage, locks, hashes or requests are used`, async ({
    page,
  }) => {
    await page.addInitScript(record);
    const tag = scriptTag({ 'display-mode': mode, 'email-hash': '', email: 'ada@example.com' });
    await page.goto(fixture.page('/thanks', shop(inScript(block({ display_mode: mode })) + tag)));
    await poll(() => fixture.names().toSorted()).toEqual(ONCE);
    const log = (await page.evaluate('log')) as string[];
    expect(log[0]).toBe('frame');
    expect(log).toEqual(expect.arrayContaining(['open', 'request', 'put']));
  });

  test(`${mode}: requested offers are in a frame before anything is written`, async ({ page }) => {
    await page.addInitScript(record);
    await page.goto(fixture.page('/thanks', shop(scriptTag({ 'display-mode': mode }))));
    await poll(() => fixture.names().toSorted()).toEqual(ONCE);
    const log = (await page.evaluate('log')) as string[];
    const [painted, put, set] = [log.indexOf('frame'), log.indexOf('put'), log.indexOf('setItem')];
    expect(painted).toBeGreaterThan(log.indexOf('fetch'));
    expect(put).toBeGreaterThan(painted);
    expect(set).toBeGreaterThan(painted);
  });
}

test('an order that only the database remembers, as after a kill, replaces the prefetched session, which reports nothing', async ({
  page,
}) => {
  const [first, second] = [block(), block()];
  await page.goto(fixture.page('/thanks', shop(inScript(first) + scriptTag())));
  await poll(() => fixture.names().toSorted()).toEqual(ONCE);
  // Chromium writes localStorage seconds later.
  await page.evaluate('localStorage.clear()');
  fixture.page('/thanks', shop(inScript(second) + scriptTag()));
  await page.reload();
  await poll(() => code(page)).toBe('rendered');
  expect(await page.evaluate('offerlet.explain()[0]')).toMatchObject({
    prefetched: 'Not used. The order is remembered on this device',
    response: { session_id: sessionOf(first), isRemembered: true },
  });
  await expect(accept(page)).toHaveCount(1);
  await page.waitForTimeout(1_300);
  expect(fixture.names().toSorted()).toEqual(ONCE);
  expect(sessions()).toEqual([sessionOf(first)]);
});

test('offers that were closed are closed again when only the database remembers it', async ({ page }) => {
  const tag = scriptTag({ 'display-mode': 'OVERLAY' });
  await page.goto(fixture.page('/thanks', shop(inScript(block({ display_mode: 'OVERLAY' })) + tag)));
  await page.locator('[part~=close]').click();
  await poll(() => everythingStored(page)).toContain('closed');
  await page.evaluate('localStorage.clear()');
  fixture.page('/thanks', shop(inScript(block({ display_mode: 'OVERLAY' })) + tag));
  await page.reload();
  await poll(() => code(page)).toBe('already_shown');
  await expect(page.locator('offer-let-layer')).toHaveCount(0);
  expect(sessions()).toHaveLength(1);
});

test('what the shopper does before it is known whether the offers count is reported once it is', async ({ page }) => {
  await page.addInitScript(holdLocks);
  const mine = block({ display_mode: 'OVERLAY' });
  await page.goto(fixture.page('/thanks', shop(inScript(mine) + scriptTag({ 'display-mode': 'OVERLAY' }))));
  await expect(accept(page)).toBeVisible();
  await page.waitForTimeout(700); // what comes as a layer opens was meant for the page
  await accept(page).click();
  await page.locator('[part~=close]').click();
  await expect(accept(page)).toHaveCount(0);
  expect(fixture.asked).toEqual([]);
  await page.evaluate('release()');
  await expect(page.locator('offer-let-layer')).toHaveCount(0);
  await poll(() => fixture.names()).toContain('BRAND_CLICK');
  const names = (await page.evaluate('offerlet.explain()[0].tracked')) as string[];
  expect(names.filter((name) => !name.endsWith('VIEW'))).toEqual([
    'WIDGET_LOAD',
    'WIDGET_DISPLAY',
    'BRAND_DISPLAY',
    'BRAND_CLICK',
  ]);
  expect(sessions()).toEqual([sessionOf(mine)]);
  const types = await page.evaluate('offerlet.explain()[0].events.map(({ type }) => type)');
  expect(types).toEqual(expect.arrayContaining(['outcome', 'impression', 'click', 'dismiss']));
  await page.reload();
  await page.evaluate('release()');
  await poll(() => code(page)).toBe('already_shown');
});

test('a denial before it is known whether the offers count removes them, and nothing was stored or sent', async ({
  page,
}) => {
  await page.addInitScript(holdLocks);
  await page.goto(fixture.page('/thanks', shop(inScript(block()) + scriptTag())));
  await expect(accept(page)).toBeVisible();
  await page.evaluate('offerlet.consent(false)');
  await expect(accept(page)).toHaveCount(0);
  await page.evaluate('release()');
  await page.waitForTimeout(1_300);
  expect(fixture.asked).toEqual([]);
  expect(await everythingStored(page)).not.toMatch(/session_id|offerlet:/);
});

test('a page that replaces the place while it is painted, as hydration does, has the offers in the new one', async ({
  page,
}) => {
  await page.addInitScript(holdLocks);
  await page.goto(fixture.page('/thanks', shop(inScript(block()) + scriptTag())));
  await expect(accept(page)).toBeVisible();
  await page.evaluate(() => {
    const place = document.querySelector('#offers');
    place?.replaceWith(Object.assign(document.createElement('div'), { id: 'offers' }));
  });
  await page.evaluate('release()');
  await expect(accept(page)).toBeVisible();
  await poll(() => fixture.names().toSorted()).toEqual(ONCE);
  expect(requests()).toBe(0);
});
