import { expect, test, type Page } from '@playwright/test';
import { useFixture } from './pageFixture.ts';
import { everythingStored, openWith, options, outcomeOf, scriptTag, shop } from './pageShop.ts';
import { poll } from '../drivers/poll.ts';
import { letPass, useClock } from '../drivers/letPass.ts';

const fixture = useFixture();
useClock();

/** Nothing was requested, and nothing is stored. */
async function expectSilence(page: Page): Promise<void> {
  await letPass(page, 400);
  expect(fixture.asked).toEqual([]);
  expect(await page.evaluate('indexedDB.databases()')).toEqual([]);
  expect(await page.evaluate('localStorage.length + sessionStorage.length + document.cookie.length')).toBe(0);
}

test('consent: false requests and stores nothing', async ({ page }) => {
  await openWith(page, fixture, `window.offers = showOffers(${options('INLINE', 'consent: false')});`);
  expect(await outcomeOf(page)).toMatchObject({ code: 'consent_denied' });
  await expectSilence(page);
});

test('a decision that was pushed before the script loaded is used', async ({ page }) => {
  const early = '<script>(window.offerlet ||= []).push((o) => o.consent(false))</script>';
  await page.goto(fixture.page('/early', shop(early + scriptTag())));
  await page.waitForFunction('window.offerlet.show');
  await expectSilence(page);
});

test('withdrawing consent takes down the offers of other tabs, where a click then stores nothing', async ({
  page,
  context,
}) => {
  const other = await context.newPage();
  for (const [at, tab] of [page, other].entries()) {
    await tab.goto(fixture.page('/tabs', shop(scriptTag({ 'order-id': `order-${at}`, 'display-mode': 'OVERLAY' }))));
    await expect(tab.locator('[part~=accept]')).toBeVisible();
  }
  await poll(() => fixture.names().filter((name) => name === 'WIDGET_VIEW')).toHaveLength(2);
  // A click whose listener the widget can no longer take away.
  await other.evaluate(() => {
    const button = document.querySelector('offer-let-layer')?.shadowRoot?.querySelector<HTMLElement>('[part~=decline]');
    Object.assign(window, { press: () => button?.click() });
  });
  const before = fixture.asked.length;
  await page.evaluate('offerlet.consent(false)');
  await expect(other.locator('offer-let-layer')).toHaveCount(0);
  await other.evaluate('press()');
  await letPass(other, 500);
  for (const tab of [page, other]) expect(await everythingStored(tab)).not.toMatch(/BRAND|session_id|seen|offerlet:/);
  expect(fixture.asked).toHaveLength(before);
  // A later mount of that tab waits for a newer decision there.
  await other.evaluate(`offerlet.show(${options('INLINE')})`);
  await letPass(other, 300);
  expect(fixture.asked).toHaveLength(before);
  await other.evaluate('offerlet.consent(true)');
  await expect(other.locator('#offers [part~=accept]')).toBeVisible();
});

test('a mount’s own denial or pending decision holds after page consent, until the page decides again', async ({
  page,
}) => {
  await page.goto(fixture.page('/own', shop(scriptTag({ consent: 'required' }))));
  await page.waitForFunction('window.offerlet?.show');
  await page.evaluate('offerlet.consent(true)');
  await expect(page.locator('[part~=accept]')).toHaveCount(1);
  await poll(fixture.names).toContain('WIDGET_VIEW');
  const before = fixture.asked.length;
  const mount = (name: string, consent: string): Promise<unknown> =>
    page.evaluate(
      `(() => { const target = document.body.appendChild(document.createElement('div'));
      window['${name}'] = offerlet.show({ ...${options('INLINE')}, target, consent: ${consent} }); })()`,
    );
  await mount('denied', 'false');
  await mount('open', 'new Promise((resolve) => (window.decide = resolve))');
  expect(await page.evaluate('denied.outcome')).toMatchObject({ code: 'consent_denied' });
  await letPass(page, 600);
  expect(fixture.asked).toHaveLength(before);
  // Nor does one mount's no take down, or make the device forget, what the shopper allowed for the page.
  await expect(page.locator('[part~=accept]')).toHaveCount(1);
  expect(await everythingStored(page)).toContain('session_id');
  await page.evaluate('offerlet.consent(true)');
  await expect(page.locator('[part~=accept]')).toHaveCount(3);
  // The decision that is overtaken says nothing any more.
  await page.evaluate('decide(false)');
  await letPass(page, 200);
  await expect(page.locator('[part~=accept]')).toHaveCount(3);
  await page.evaluate('offerlet.consent(false)');
  await expect(page.locator('[part~=accept]')).toHaveCount(0);
  await mount('late', 'true');
  expect(await page.evaluate('late.outcome')).toMatchObject({ code: 'consent_denied' });
});

test('a denial clears an earlier page’s queue even without a remembered order, and creates no database', async ({
  page,
}) => {
  fixture.accept = (_, response) => void response.writeHead(503).end();
  await page.goto(fixture.page('/unremembered', shop(scriptTag({ 'order-id': '' }))));
  await poll(fixture.names).toContain('BRAND_DISPLAY');
  expect(await everythingStored(page)).toContain('BRAND_DISPLAY');
  await openWith(page, fixture, `window.offers = showOffers(${options('INLINE', 'consent: false')});`);
  expect(await outcomeOf(page)).toMatchObject({ code: 'consent_denied' });
  const before = fixture.asked.length; // the page before may have sent until it went
  await poll(() => everythingStored(page)).not.toMatch(/BRAND|session_id|offerlet:/);
  await letPass(page, 1_500);
  expect(fixture.asked).toHaveLength(before); // none of it was sent any more
});
