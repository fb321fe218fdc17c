import { readFileSync } from 'node:fs';
import { expect, test, type Page } from '@playwright/test';
import { offersOf, useFixture } from './pageFixture.ts';
import { options, scriptTag, shop } from './pageShop.ts';
import { poll } from '../drivers/poll.ts';
import { letPass, paint, useClock } from '../drivers/letPass.ts';

const fixture = useFixture();
useClock();

const RESERVED = '<style>#offers,offer-let{display:block;min-block-size:600px}</style>';
const DOCS = readFileSync('docs/reference/page.md', 'utf8');
/** What docs/reference/page.md says to write: the space, and what hides the place at once. */
const RECIPE = [/```css\n(.+?)```/s, /To hide the place at once:\n\n```css\n(.+?)```/s].map(
  (rule) => rule.exec(DOCS)?.[1],
);
const TAG = `<div id="offers" class="mine"></div>${scriptTag()}`;
const ELEMENT =
  '<script async src="/offerlet.js"></script><offer-let id="offers" relay="/offers" view="THANK_YOU" display-mode="INLINE"></offer-let>';
const BELOW = '<p id="below">Your parcel leaves us tomorrow.</p>';
const SPACE = '<div style="height:1500px"></div>';

const REPLIES: Record<string, () => void> = {
  'no offers': () => (fixture.reply = () => offersOf(0)),
  'a relay that fails': () => (fixture.reply = (_, response) => void response.writeHead(503).end()),
  'an invalid response': () => (fixture.reply = () => ({ session_id: 1 })),
};

declare global {
  interface Window {
    shift: number;
  }
}

async function open(page: Page, body: string, head = RESERVED): Promise<void> {
  await page.addInitScript(() => {
    window.shift = 0;
    new PerformanceObserver((entries) => {
      for (const entry of entries.getEntries() as unknown as { value: number; hadRecentInput: boolean }[])
        if (!entry.hadRecentInput) window.shift += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
  });
  await page.goto(fixture.page('/place', shop(body, head).replace(/<div id="offers" style[^>]*><\/div>/, '')));
}

const state = (page: Page): Promise<string | null> => page.locator('#offers').getAttribute('data-offerlet');
const height = (page: Page): Promise<number> =>
  page.locator('#offers').evaluate((place) => place.getBoundingClientRect().height);
const shift = async (page: Page): Promise<number> => {
  for (let at = 0; at < 7; at++) {
    await page.mouse.move(5, 5 + at); // the shopper is there: idle seconds begin anew
    await letPass(page, 100);
  }
  await paint(page);
  return page.evaluate(() => window.shift);
};

for (const [what, reply] of Object.entries(REPLIES)) {
  test(`${what} leaves no gap once the place is out of view, and shifts nothing`, async ({ page }) => {
    reply();
    await open(page, TAG + BELOW + SPACE);
    await poll(() => state(page)).toBe('empty');
    expect([await height(page), await shift(page)]).toEqual([600, 0]);
    const top = await page.evaluate(() => {
      scrollTo(0, 1_000);
      return document.querySelector('#below + div')?.getBoundingClientRect().top;
    });
    await poll(() => height(page)).toBe(0);
    expect(await page.evaluate(() => document.querySelector('#below + div')?.getBoundingClientRect().top)).toBe(top);
    expect(await shift(page)).toBeLessThanOrEqual(0.001);
  });
}

for (const [way, body] of Object.entries({
  'data-target': TAG + BELOW,
  '<offer-let>': ELEMENT + BELOW,
  'data-target below the fold': SPACE + TAG + BELOW,
}))
  test(`the card fills its space by ${way}, and shifts nothing`, async ({ page }) => {
    fixture.reply = () => offersOf(1);
    await open(page, body + SPACE);
    await poll(() => state(page)).toBe('rendered');
    const free = await page.evaluate(() => {
      const place = document.querySelector('#offers') as HTMLElement;
      const root = (place.shadowRoot ?? place.firstElementChild?.shadowRoot) as ShadowRoot;
      const bottom = (of: string): number => root.querySelector(of)?.getBoundingClientRect().bottom ?? 0;
      return [
        place.getBoundingClientRect().bottom - bottom('.surface'),
        bottom('.surface') - bottom('.surface > :last-child'),
      ];
    });
    expect(free[0]).toBeCloseTo(0, 0);
    expect(free[1]).toBeLessThan(32);
    expect(await height(page)).toBe(600);
    expect(await shift(page)).toBeLessThanOrEqual(0.001);
  });

test('no offers below the fold leave no gap at once', async ({ page }) => {
  fixture.reply = () => offersOf(0);
  await open(page, SPACE + TAG + BELOW + SPACE);
  await poll(() => height(page)).toBe(0);
  expect([await state(page), await shift(page)]).toEqual(['empty', 0]);
});

for (const reducedMotion of ['no-preference', 'reduce'] as const)
  test(`the last decline closes the gap while shifts are the shopper's, motion: ${reducedMotion}`, async ({ page }) => {
    await page.emulateMedia({ reducedMotion });
    fixture.reply = () => offersOf(1);
    await open(page, TAG + BELOW + SPACE);
    await poll(() => state(page)).toBe('rendered');
    await page.getByRole('button', { name: 'No, thanks' }).click();
    await poll(() => state(page)).toBe('closed');
    await poll(() => height(page)).toBe(0);
    const takes = await page
      .locator('#offers')
      .evaluate((place) => place.getAnimations()[0]?.effect?.getTiming().duration);
    // Shifts within 500 ms of input do not count. A busy machine may paint what moves later than that.
    expect(takes).toBe(reducedMotion === 'reduce' ? 0 : 200);
    if (takes === 0) expect(await shift(page)).toBeLessThanOrEqual(0.001);
  });

for (const [way, place] of [
  ['data-target', TAG],
  ['<offer-let>', ELEMENT],
] as const)
  test(`the rule that hides the place at once does so by ${way}`, async ({ page }) => {
    const display = (): Promise<string> => page.locator('#offers').evaluate((place) => getComputedStyle(place).display);
    fixture.reply = () => offersOf(0);
    await open(page, place + BELOW, `<style>${RECIPE.join('')}</style>`);
    await poll(() => state(page)).toBe('empty');
    expect(await display()).toBe('none');
    fixture.reply = () => offersOf(1);
    await page.reload();
    await page.getByRole('button', { name: 'No, thanks' }).click();
    await poll(() => state(page)).toBe('closed');
    expect(await display()).toBe('none');
  });

test('on a page too short to scroll, empty space closes after four idle seconds, for less CLS than its share', async ({
  page,
}) => {
  REPLIES['a relay that fails']?.();
  await page.setViewportSize({ width: 1280, height: 800 });
  await open(page, TAG + BELOW);
  await poll(() => state(page)).toBe('empty');
  for (let moves = 0; moves < 5; moves++) {
    await page.clock.fastForward(1_000);
    await page.mouse.move(100 + moves, 100);
  }
  expect(await height(page)).toBe(600); // somebody is there
  await page.clock.fastForward(4_000);
  await poll(() => height(page)).toBe(0);
  const cls = await shift(page);
  expect(cls).toBeGreaterThan(0); // one line of text below it moved
  expect(cls).toBeLessThan(0.1);
});

test('with nothing below it, empty space closes in view and shifts nothing', async ({ page }) => {
  fixture.reply = () => offersOf(0);
  await open(page, TAG);
  await poll(() => state(page)).toBe('empty');
  await page.clock.fastForward(4_000);
  await poll(() => height(page)).toBe(0);
  expect([await state(page), await shift(page)]).toEqual(['empty', 0]);
});

test('empty space closes at once in a tab that nobody sees', async ({ page }) => {
  fixture.reply = () => offersOf(0);
  await open(page, TAG + BELOW);
  await poll(() => state(page)).toBe('empty');
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => 'hidden' });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  expect(await height(page)).toBe(0);
});

test('the gap closes slowly, or at once where less motion is preferred', async ({ page }) => {
  for (const reducedMotion of ['no-preference', 'reduce'] as const) {
    await page.emulateMedia({ reducedMotion });
    await open(page, TAG + BELOW + SPACE);
    await page.getByRole('button', { name: 'No, thanks' }).click();
    const animations = await page.evaluate(() =>
      document
        .querySelector('#offers')
        ?.getAnimations()
        .map(({ effect }) => effect?.getTiming().duration),
    );
    expect(animations).toEqual([reducedMotion === 'reduce' ? 0 : 200]);
  }
});

test('dismiss() leaves the gap until it is out of view, and destroy() leaves the place as it was', async ({ page }) => {
  const code = `window.offers = showOffers(${options('INLINE')});`;
  const script = `<script type="module">import { showOffers } from '/index.js'; ${code}</script>`;
  await open(page, `<div id="offers" class="mine"></div>${BELOW}${SPACE}${script}`);
  await poll(() => state(page)).toBe('rendered');
  await page.evaluate(() => (window as unknown as { offers: { dismiss(): void } }).offers.dismiss());
  expect([await state(page), await height(page)]).toEqual(['closed', 600]);
  await page.evaluate(() => scrollTo(0, 1_000));
  await poll(() => height(page)).toBe(0);
  await page.evaluate(() => (window as unknown as { offers: { destroy(): void } }).offers.destroy());
  expect(await page.evaluate(() => document.querySelector('#offers')?.outerHTML)).toBe(
    '<div id="offers" class="mine"></div>',
  );
  expect(await height(page)).toBe(600);
});

test('denied consent empties the place, and later consent fills it again', async ({ page }) => {
  const code = `window.offers = showOffers({ ...${options('INLINE')}, consent: false });`;
  const script = `<script type="module">import { showOffers } from '/index.js'; ${code}</script>`;
  await open(page, `<div id="offers"></div>${BELOW}${SPACE}${script}`);
  const consent = (isGiven: boolean): Promise<void> =>
    page.evaluate(
      (isGiven) => (window as unknown as { offers: { consent(is: boolean): void } }).offers.consent(isGiven),
      isGiven,
    );
  await poll(() => state(page)).toBe('empty');
  await consent(true);
  await poll(() => state(page)).toBe('rendered');
  await page.evaluate(
    "document.querySelector('#offers').addEventListener('offerlet', ({ detail }) => { if (detail.type === 'outcome') window.last = detail.code })",
  );
  await consent(false);
  await poll(() => state(page)).toBe('closed');
  expect(await page.evaluate('window.last')).toBe('consent_denied');
});

test('a layer of the script tag marks nothing', async ({ page }) => {
  await open(page, `<div id="offers"></div>${scriptTag({ 'display-mode': 'OVERLAY', target: '' })}`);
  await expect(page.getByRole('dialog')).toBeVisible();
  expect(await page.locator('[data-offerlet]').count()).toBe(0);
});
