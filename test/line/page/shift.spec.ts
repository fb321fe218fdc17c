import { expect, test, type Page } from '@playwright/test';
import { offersOf, startFixture, type Fixture } from './pageFixture.ts';
import { scriptTag, shop } from './pageShop.ts';

let fixture: Fixture;
test.beforeAll(async () => {
  fixture = await startFixture();
});
test.beforeEach(() => fixture.reset());
test.afterAll(() => fixture.close());

/** What the README tells merchants to write. */
const RESERVED = `#offers, offer-let { display: block; min-block-size: 320px }
  @media (width < 540px) { #offers, offer-let { min-block-size: 440px } }`;
const ELEMENT =
  '<script async src="/offerlet.js"></script><offer-let relay="/offers" view="THANK_YOU" display-mode="INLINE"></offer-let>';
const BELOW = '<p>Your parcel leaves us tomorrow.</p>'.repeat(4);
const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 900 } } as const;

/** Everything that moved without the shopper's doing, until a second after the outcome. */
async function shiftOf(page: Page, place: string, css = RESERVED): Promise<number> {
  await page.addInitScript(() => {
    Object.assign(window, { shift: 0, isOver: false });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) window.shift += (entry as unknown as { value: number }).value;
    }).observe({ type: 'layout-shift', buffered: true });
    document.addEventListener('offerlet', ({ detail }: CustomEventInit<{ code?: string }>) => {
      if (detail?.code) setTimeout(() => Object.assign(window, { isOver: true }), 1_000);
    });
  });
  const html = shop(place + BELOW, `<style>${css}</style>`).replace(/<div id="offers"[^>]*><\/div>/, '');
  await page.goto(fixture.page('/shift', html));
  await page.waitForFunction('isOver');
  return page.evaluate(() => window.shift);
}

declare global {
  interface Window {
    shift: number;
  }
}

for (const [way, place] of [
  ['data-target', `<div id="offers"></div>${scriptTag()}`],
  ['<offer-let>', ELEMENT],
] as const) {
  for (const [size, viewport] of Object.entries(SIZES)) {
    test(`offers by ${way} on a ${size} shift nothing in the space that the README reserves`, async ({ page }) => {
      await page.setViewportSize(viewport);
      fixture.reply = () => offersOf(3);
      expect(await shiftOf(page, place)).toBeLessThanOrEqual(0.001);
      await expect(page.locator('[part~=accept]').first()).toBeVisible();
    });
  }

  test(`no offers by ${way} shift nothing, with space reserved or without`, async ({ page }) => {
    fixture.reply = () => offersOf(0);
    expect(await shiftOf(page, place)).toBeLessThanOrEqual(0.001);
    expect(await shiftOf(page, place, 'offer-let { display: block }')).toBeLessThanOrEqual(0.001);
  });

  test(`a relay that fails shifts nothing by ${way}`, async ({ page }) => {
    fixture.reply = (_, response) => void response.writeHead(503).end();
    expect(await shiftOf(page, place)).toBeLessThanOrEqual(0.001);
  });
}

test('a later offer that is taller moves nothing in the one before it', async ({ page }) => {
  await page.setViewportSize(SIZES.phone);
  const answer = offersOf(3) as { recommendations: Record<string, { offer: { subheading: string } }> };
  for (const { offer } of Object.values(answer.recommendations).slice(-1))
    offer.subheading = 'A longer story than that of the others. '.repeat(6);
  fixture.reply = () => answer;
  const room = '#offers { display: block; min-block-size: 800px }';
  expect(await shiftOf(page, `<div id="offers"></div>${scriptTag()}`, room)).toBeLessThanOrEqual(0.001);
});

test('without reserved space the same offers do shift: the measure measures', async ({ page }) => {
  expect(await shiftOf(page, `<div id="offers"></div>${scriptTag()}`, '')).toBeGreaterThan(0.001);
});
