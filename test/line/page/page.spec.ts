import { expect, test } from '@playwright/test';
import { offersOf, useFixture } from './pageFixture.ts';
import { HASH, openWith, options, outcomeOf } from './pageShop.ts';
import { poll } from '../drivers/poll.ts';
import { letPass, useClock } from '../drivers/letPass.ts';

const fixture = useFixture();
useClock();

test('onEvent and the DOM event on the host report the same, and explain returns all events', async ({ page }) => {
  await openWith(
    page,
    fixture,
    `window.dom = []; document.querySelector('#offers').addEventListener('offerlet', (event) => dom.push(event.detail));
     window.offers = showOffers(${options('INLINE', 'onEvent, sandbox: true')});`,
  );
  expect(await outcomeOf(page)).toEqual({ code: 'rendered', message: '1 offer is on the page' });
  expect(fixture.asked[0]?.body).toMatchObject({ custom_metadata: { is_sandbox: true } });
  await page.locator('[part~=decline]').click();
  await page.waitForFunction('heard.some(({ type }) => type === "delivered")');
  const { heard, dom, told } = (await page.evaluate('({ heard, dom, told: offers.explain() })')) as Record<string, any>; // oxlint-disable-line typescript/no-explicit-any
  const types = heard.map(({ type }: { type: string }) => type);
  for (const type of ['outcome', 'tracked', 'display', 'decline', 'dismiss', 'delivered'])
    expect(types).toContain(type);
  expect(types.indexOf('display')).toBeLessThan(types.indexOf('decline'));
  expect(dom.map(({ type }: { type: string }) => type)).toContain('display');
  expect(told).toMatchObject({
    outcome: { code: 'rendered' },
    request: {
      view: 'THANK_YOU',
      display_mode: 'INLINE',
      user_details: ['email_hash'],
      isSandbox: true,
      isRemembering: false,
    },
    response: { offers: 1, isRemembered: false, isCounted: true },
  });
  expect(told.tracked).toEqual(expect.arrayContaining(['WIDGET_LOAD', 'BRAND_DISPLAY', 'ELEMENT_CLICK']));
  expect(JSON.stringify(told)).not.toContain(HASH);
});

for (const mode of ['OVERLAY', 'FULLSCREEN', 'PULLUP']) {
  test(`${mode} opens, is seen, and leaves nothing when it is closed`, async ({ page }) => {
    fixture.reply = () => offersOf(2);
    await openWith(page, fixture, `window.offers = showOffers(${options(mode, 'onEvent, maxOffers: 1')});`);
    expect(await outcomeOf(page)).toMatchObject({ code: 'rendered', message: '1 offer is on the page' });
    await expect(page.locator('[part~=accept]').first()).toBeVisible();
    await poll(fixture.names).toContain('BRAND_VIEW');
    await page.evaluate('offers.dismiss()');
    await expect(page.locator('offer-let-layer')).toHaveCount(0);
    expect(await page.evaluate('heard.filter(({ type }) => type === "dismiss")')).toEqual([
      { type: 'dismiss', by: 'page' },
    ]);
    expect(fixture.names().filter((name) => name === 'BRAND_DISPLAY')).toHaveLength(1);
  });
}

test('a layer waits until the page’s modal is closed', async ({ page }) => {
  await openWith(
    page,
    fixture,
    `const modal = document.createElement('dialog'); modal.textContent = 'Cookies?'; document.body.append(modal); modal.showModal();
     window.modal = modal; window.offers = showOffers(${options('OVERLAY')});`,
  );
  await poll(() => fixture.asked.length).toBeGreaterThan(0);
  await letPass(page, 600);
  await expect(page.locator('offer-let-layer')).toHaveCount(0);
  await page.evaluate('modal.close()');
  expect(await outcomeOf(page)).toMatchObject({ code: 'rendered' });
  await expect(page.locator('[part~=accept]')).toBeVisible();
});

test('a second layer waits for the first', async ({ page }) => {
  await openWith(
    page,
    fixture,
    `window.first = showOffers(${options('OVERLAY')}); await first.outcome; window.offers = showOffers(${options('PULLUP')});`,
  );
  await letPass(page, 600);
  await expect(page.locator('offer-let-layer')).toHaveCount(1);
  await page.evaluate('first.dismiss()');
  expect(await outcomeOf(page)).toMatchObject({ code: 'rendered' });
});

test('a user agent that declares itself a bot is shown offers and not counted, except in sandbox', async ({
  browser,
}) => {
  const context = await browser.newContext({
    userAgent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  });
  const page = await context.newPage();
  await openWith(page, fixture, `window.offers = showOffers(${options('INLINE')});`);
  expect(await outcomeOf(page)).toMatchObject({ code: 'rendered' });
  await letPass(page, 600);
  expect(fixture.events).toEqual([]);
  fixture.reply = () => offersOf(1, { sandbox: true });
  await page.reload();
  await poll(fixture.names).toContain('BRAND_DISPLAY');
  await context.close();
});
