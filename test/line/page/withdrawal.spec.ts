// Consent that is withdrawn while the page unloads: the next page reads and sends nothing from before.
import { expect, test, type Page } from '@playwright/test';
import { IS_LONG } from '../../fixtures/effort.ts';
import { useFixture } from './pageFixture.ts';
import { everythingStored, scriptTag, shop } from './pageShop.ts';
import { poll } from '../drivers/poll.ts';
import { useClock } from '../drivers/letPass.ts';

const fixture = useFixture();
useClock();

/** Rounds of each race: 36 in all where time allows. One finds what is always wrong. */
const ROUNDS = IS_LONG ? 9 : 1;
const STORED = /BRAND|WIDGET|session_id|seen|offerlet:/;
const sessions = (): unknown[] => [...new Set(fixture.events.map(({ session_id }) => session_id))];

/** What a busy machine does to a page that has little time left. */
async function slowDown(page: Page, ms: number): Promise<void> {
  await page.addInitScript((ms) => {
    const { databases } = IDBFactory.prototype;
    IDBFactory.prototype.databases = async function () {
      await new Promise((resolve) => setTimeout(resolve, ms));
      return databases.call(this);
    };
  }, ms);
}

/** Opens a page whose events wait on disk. */
async function openWithEvents(page: Page, tag = scriptTag()): Promise<void> {
  // No response, rather than a failure: the next page would wait before it sends anything.
  fixture.accept = () => new Promise(() => {});
  await page.goto(fixture.page('/thanks', shop(tag)));
  await expect(page.locator('[part~=accept]')).toBeVisible();
  await page.locator('[part~=accept]').click({ modifiers: ['Control'] });
  await poll(() => everythingStored(page)).toMatch(/BRAND_CLICK/);
  // One request is in flight: until it has a response, nothing more is sent.
  await poll(() => fixture.asked.length).toBeGreaterThan(1);
  fixture.forget();
}

/** Lets nothing more reach the database: the page is as good as gone. */
async function kill(page: Page): Promise<void> {
  await page.evaluate(() => {
    IDBDatabase.prototype.transaction = () => {
      throw new DOMException('gone', 'InvalidStateError');
    };
    IDBFactory.prototype.databases = () => new Promise(() => {});
    IDBFactory.prototype.open = () => ({ addEventListener() {} }) as unknown as IDBOpenDBRequest;
  });
}

for (const [way, go] of [
  ['a reload', 'location.reload()'],
  ['a navigation', "location.href = '/next'"],
] as const) {
  test(`a denial directly before ${way}: a page with consent sends nothing from before`, async ({ page }) => {
    // Longer than the page waits before it sends what is left: only the mark can stop it.
    await slowDown(page, 1_500);
    for (let round = 0; round < ROUNDS; round++) {
      await openWithEvents(page);
      const [before] = (await page.evaluate(
        'offerlet.explain().map(({ response }) => response.session_id)',
      )) as string[];
      fixture.page('/next', shop(scriptTag({ 'order-id': `next-${round}` })));
      await page.evaluate(`offerlet.consent(false); ${go}`).catch(() => undefined);
      await expect(page.locator('[part~=accept]')).toBeVisible();
      await poll(() => fixture.names().includes('WIDGET_VIEW')).toBe(true);
      expect(await everythingStored(page)).not.toContain(before);
      expect(sessions()).toHaveLength(1);
      expect(sessions()).not.toContain(before);
    }
  });

  test(`a denial directly before ${way}: a page that waits for consent finishes clearing`, async ({ page }) => {
    await slowDown(page, 400);
    for (let round = 0; round < ROUNDS; round++) {
      await openWithEvents(page);
      const waiting = shop(scriptTag({ consent: 'required' }));
      fixture.page('/thanks', waiting);
      fixture.page('/next', waiting);
      await page.evaluate(`offerlet.consent(false); ${go}`).catch(() => undefined);
      await page.waitForFunction('window.offerlet?.show');
      await poll(() => everythingStored(page)).not.toMatch(STORED);
      expect(fixture.asked).toEqual([]);
      await poll(() => page.evaluate('localStorage.length')).toBe(0);
      await page.evaluate('offerlet.consent(true)');
      await expect(page.locator('[part~=accept]')).toBeVisible();
      await poll(() => fixture.names().includes('WIDGET_LOAD')).toBe(true);
      expect(sessions()).toHaveLength(1);
    }
  });
}

test('the next page carries out a denial that a killed page could not, without IndexedDB in between', async ({
  page,
}) => {
  await slowDown(page, 3_000);
  await openWithEvents(page);
  await kill(page);
  await page.evaluate('offerlet.consent(false)');
  await page.goto(fixture.page('/next', shop(scriptTag({ 'order-id': 'next' }))));
  await poll(() => fixture.names().includes('WIDGET_VIEW')).toBe(true);
  expect(fixture.names()).not.toContain('BRAND_CLICK');
  expect(sessions()).toHaveLength(1);
});

test('a denial while localStorage is full is carried out all the same', async ({ page }) => {
  await slowDown(page, 3_000);
  await openWithEvents(page);
  await page.evaluate(() => {
    let text = 'x'.repeat(1 << 20);
    while (text.length > 0)
      try {
        localStorage.setItem('theirs', (localStorage.getItem('theirs') ?? '') + text);
      } catch {
        text = text.slice(text.length / 2 + 1);
      }
  });
  await kill(page);
  await page.evaluate('offerlet.consent(false); location.reload()').catch(() => undefined);
  await expect(page.locator('[part~=accept]')).toBeVisible();
  await poll(() => fixture.names().includes('WIDGET_VIEW')).toBe(true);
  expect(sessions()).toHaveLength(1);
  expect(fixture.names()).not.toContain('BRAND_CLICK');
});

test('a page that clears localStorage loses no event', async ({ page }) => {
  await openWithEvents(page);
  await page.evaluate('localStorage.clear()');
  await page.goto(fixture.page('/next', shop(scriptTag({ 'order-id': 'next' }))));
  await poll(() => fixture.names().includes('BRAND_CLICK')).toBe(true);
});
