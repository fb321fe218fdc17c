import { readFileSync } from 'node:fs';
import { expect, test, type Page } from '@playwright/test';
import { DEMO_ADVERTISERS, DEMO_OFFERS, type DemoOffer } from '../../../src/network/seed/demoOffers.ts';
import { offersOf, useFixture } from './pageFixture.ts';
import { scriptTag, shop } from './pageShop.ts';
import { letPass, paint } from '../drivers/letPass.ts';
import { waitForRelay } from '../drivers/patience.ts';
import { poll } from '../drivers/poll.ts';

const fixture = useFixture();

const ROOT = new URL('../../../', import.meta.url);
/** The rules for the space of INLINE offers, as docs/reference/page.md has them. */
const RESERVED =
  /```css\n([^`]*#offers, offer-let .*?)```/s.exec(
    readFileSync(new URL('docs/reference/page.md', ROOT), 'utf8'),
  )?.[1] ?? '';
const ELEMENT =
  '<script async src="/offerlet.js"></script><offer-let relay="/offers" view="THANK_YOU" display-mode="INLINE"></offer-let>';
const BELOW = '<p>Your parcel leaves us tomorrow.</p>'.repeat(4);
const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 900 } } as const;

/** The layout shift of empty space that closes, as docs/reference/page.md states it. */
function saidCls(): { phone: number; desktop: number } {
  const text = readFileSync(new URL('docs/reference/page.md', ROOT), 'utf8');
  const [, phone, desktop] = /\(CLS\) of at most (0\.\d+) on a phone, (0\.\d+) on a desktop/.exec(text) ?? [];
  return { phone: Number(phone), desktop: Number(desktop) };
}

/** Measures everything that moves without the shopper's doing. */
async function observeShift(page: Page): Promise<void> {
  await page.addInitScript(() => {
    Object.assign(window, { shift: 0, isOver: false });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) window.shift += (entry as unknown as { value: number }).value;
    }).observe({ type: 'layout-shift', buffered: true });
    document.addEventListener('offerlet', ({ detail }: CustomEventInit<{ code?: string }>) => {
      if (detail?.code) Object.assign(window, { isOver: true });
    });
  });
}

/** Until a second after the outcome. */
async function shiftOf(page: Page, place: string, css = RESERVED): Promise<number> {
  await page.clock.install();
  await observeShift(page);
  const html = shop(place + BELOW, `<style>${css}</style>`).replace(/<div id="offers"[^>]*><\/div>/, '');
  await page.goto(fixture.page('/shift', html));
  await page.waitForFunction('isOver');
  await letPass(page, 1_000);
  await paint(page);
  return page.evaluate(() => window.shift);
}

/** A response with some of the sandbox's own offers, as the sandbox network writes it: one at a time, or a list of several. */
function responseWith(...offers: readonly DemoOffer[]): unknown {
  const response = offersOf(Math.max(offers.length, offers[1] ? 0 : 10), { sandbox: true });
  const entries = Object.values(response.recommendations as Record<string, { advertiser: object; offer: object }>);
  for (const [index, { slug, advertiser, assets, ...offer }] of offers.entries()) {
    const { name, description } = DEMO_ADVERTISERS.find((one) => one.slug === advertiser) ?? {};
    Object.assign(entries[index]?.advertiser ?? {}, { name, description });
    Object.assign(entries[index]?.offer ?? {}, offer, {
      assets: assets?.map(({ asset_type }, insertion_order) => ({
        id: `${slug}-${insertion_order}`,
        asset_type,
        image_url: 'https://cdn.example/picture.svg',
        insertion_order,
        should_trigger_claim_flow: false,
      })),
    });
  }
  const [group] = response.recommendation_groups as object[];
  Object.assign(group ?? {}, {
    heading: 'Picked for you by our partners',
    ...(offers[1] && { slot_context: 'SCROLLABLE' }),
  });
  return response;
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
    // Somebody is there: what is empty closes after four seconds without that, and a busy machine takes longer.
    await page.addInitScript(() => void setInterval(() => document.dispatchEvent(new Event('pointermove')), 500));
    expect(await shiftOf(page, place)).toBeLessThanOrEqual(0.001);
    expect(await shiftOf(page, place, ':where(offer-let:not([hidden])) { display: block }')).toBeLessThanOrEqual(0.001);
  });
}

/** The heights of docs/reference/page.md: of the offers named in each row, below 700 px and from there on. */
const HEIGHTS = [
  ...readFileSync(new URL('docs/reference/page.md', ROOT), 'utf8').matchAll(
    /^\| ([^|]+) \| `(\d+)px` \| `(\d+)px` \|$/gm,
  ),
].map(([, what = '', narrow, wide]) => ({ what, narrow: Number(narrow), wide: Number(wide) }));
/** Text wraps as its font has it, and machines have others. */
const FONT = 'node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2';
const KINDS: Readonly<Record<string, (offer: DemoOffer) => boolean>> = {
  all: () => true,
  'without pictures': ({ assets }) => !assets?.length,
  'with pictures': ({ assets }) => Boolean(assets?.length),
};

for (const [size, widths] of Object.entries({ narrow: [360], wide: [700] })) {
  test(`the heights that docs/reference/page.md names fit three of four offers of the sandbox in ${size} windows`, async ({
    page,
  }) => {
    await waitForRelay(page);
    const body = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
    await page.route('**/font.woff2', (route) => route.fulfill({ path: FONT }));
    await page.route('https://cdn.example/*', (route) => route.fulfill({ contentType: 'image/svg+xml', body }));
    expect(HEIGHTS.map(({ what }) => what)).toEqual([...Object.keys(KINDS), 'a list of three']);
    for (const { what, ...named } of HEIGHTS) {
      const offers = DEMO_OFFERS.filter(KINDS[what] ?? (() => true));
      const shown = KINDS[what]
        ? offers.map((offer) => [offer])
        : offers.map((_, at) => offers.slice(at, at + 3)).slice(0, -2);
      const all: number[] = [];
      for (const width of widths) {
        let next = 0;
        fixture.reply = () => responseWith(...(shown[next++ % shown.length] as DemoOffer[]));
        await page.setViewportSize({ width, height: 900 });
        const element = '<offer-let relay="/offers" view="THANK_YOU" display-mode="INLINE"></offer-let>';
        const rules = `<style>@font-face { font-family: Test; src: url(/font.woff2) } offer-let { display: block; --offerlet-font: Test }</style>`;
        await page.goto(
          fixture.page(
            '/all',
            shop(`<script async src="/offerlet.js"></script>${element.repeat(shown.length)}`, rules),
          ),
        );
        const heights = (): Promise<number[]> =>
          page.evaluate(() =>
            [...document.querySelectorAll('offer-let')].map(
              (place) => place.shadowRoot?.firstElementChild?.getBoundingClientRect().height ?? 0,
            ),
          );
        await poll(async () => (await heights()).filter(Boolean).length).toBe(shown.length);
        await page.evaluate(() => document.fonts.ready);
        all.push(...(await heights()));
      }
      // Three of four fit, and few would in less. Where a font lacks letters, or they are placed otherwise, some need a line more.
      const height = named[size as 'narrow' | 'wide'];
      const shareOf = (px: number): number => all.filter((one) => one <= px).length / all.length;
      const found = `${what}: ${all.toSorted((one, other) => one - other).join(' ')}`;
      expect.soft(shareOf(height), found).toBeGreaterThanOrEqual(0.6);
      expect.soft(shareOf(height - 20), found).toBeLessThanOrEqual(0.8);
    }
  });
}

test('empty space that closes in view costs no more CLS than docs/reference/page.md says', async ({ page }) => {
  fixture.reply = (_, response) => void response.writeHead(503).end();
  const place = `<div id="offers"></div>${scriptTag()}`;
  for (const size of ['phone', 'desktop'] as const) {
    const said = saidCls()[size];
    expect(said, 'what the page says').toBeGreaterThan(0);
    await page.setViewportSize(SIZES[size]);
    await shiftOf(page, place);
    await page.clock.fastForward(4_000);
    await poll(() => page.locator('#offers').evaluate((element) => element.clientHeight)).toBe(0);
    await paint(page);
    const cls = await page.evaluate(() => window.shift);
    expect(cls).toBeLessThanOrEqual(said);
  }
});

test('with a page of content below, empty space closes as smoothly as docs/reference/page.md says', async ({
  page,
}) => {
  fixture.reply = (_, response) => void response.writeHead(503).end();
  const said = saidCls().phone;
  expect(said, 'what the page says').toBeGreaterThan(0);
  // A frame that comes late would count for two: the animation goes on when a frame was painted, by the time of one.
  await page.addInitScript(() => {
    const animate = Element.prototype.animate;
    Element.prototype.animate = function (...given) {
      const animation = animate.apply(this, given);
      animation.pause();
      const step = (): void => {
        const now = Number(animation.currentTime) + 1000 / 60;
        if (now >= Number(animation.effect?.getComputedTiming().endTime)) return animation.finish();
        animation.currentTime = now;
        requestAnimationFrame(() => setTimeout(step));
      };
      requestAnimationFrame(() => setTimeout(step));
      return animation;
    };
  });
  await page.setViewportSize(SIZES.phone);
  await observeShift(page);
  const place = `<div id="offers"></div>${scriptTag()}${'<p>Your parcel leaves us tomorrow.</p>'.repeat(60)}`;
  const html = shop(place, `<style>${RESERVED}</style>`).replace(/<div id="offers"[^>]*><\/div>/, '');
  await page.goto(fixture.page('/shift', html));
  await poll(() => page.locator('#offers').evaluate((element) => element.clientHeight)).toBe(0);
  await poll(() =>
    page.evaluate(() => document.getAnimations().every(({ playState }) => playState === 'finished')),
  ).toBe(true);
  await paint(page);
  const cls = await page.evaluate(() => window.shift);
  expect(cls).toBeGreaterThan(said / 2);
  expect(cls).toBeLessThan(said + 0.05);
});

test('the reserved space is not printed', async ({ page }) => {
  fixture.reply = () => offersOf(3);
  await shiftOf(page, `<div id="offers"></div>${scriptTag()}`);
  const height = (): Promise<number> => page.locator('#offers').evaluate((element) => element.clientHeight);
  expect(await height()).toBeGreaterThanOrEqual(HEIGHTS[0]?.wide ?? Infinity);
  await page.emulateMedia({ media: 'print' });
  expect(await height()).toBe(0);
});

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
  fixture.reply = async () => {
    await paint(page); // what was never painted does not shift
    return offersOf(1);
  };
  expect(await shiftOf(page, `<div id="offers"></div>${scriptTag()}`, '')).toBeGreaterThan(0.001);
});
