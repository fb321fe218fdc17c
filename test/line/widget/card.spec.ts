import { expect, test, type Page } from '@playwright/test';
import { hero, list, pictures, placed } from '../../widget/offers.ts';
import { accept, listening, mount, opened, openShop } from './widgetPage.ts';

const MODES = ['OVERLAY', 'FULLSCREEN', 'PULLUP', 'INLINE'] as const;
const LAYERS = ['OVERLAY', 'FULLSCREEN', 'PULLUP'] as const;
const WINDOWS = [
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
];
const SENTENCE = 'With this order you get access to an offer that somebody has described at great length. ';
const SHORT = placed(1, { subheading: undefined, disclosure_details: undefined });
const TALL = placed(0, { subheading: SENTENCE.repeat(2), assets: pictures(4) });
const LONG = placed(2, { heading: SENTENCE.repeat(2).slice(0, 140), subheading: SENTENCE.repeat(4).slice(0, 320) });
/** Nothing above the widget, so that a test says how much of the window the widget itself needs. */
const BARE = '<style>body{margin:0}h1,h1~p,#before{display:none}</style>';

const CURRENT = 'article';
const decline = (page: Page): Promise<void> => page.locator(`${CURRENT} [part=decline]`).first().click();

type Box = Record<'x' | 'y' | 'width' | 'height', number>;

async function boxOf(page: Page, selector: string): Promise<Box> {
  const box = await page.locator(selector).first().boundingBox();
  if (!box) throw new Error(`${selector} has no box`);
  return box;
}

/** The boxes of several parts, measured in the same frame: a layer may still be moving. */
async function boxesOf<Names extends readonly string[]>(
  page: Page,
  ...selectors: Names
): Promise<{ [Index in keyof Names]: Box }> {
  await Promise.all(selectors.map((selector) => page.locator(selector).first().waitFor()));
  const boxes = await page.evaluate((selectors) => {
    const root = [...document.querySelectorAll('*')].find((element) => element.shadowRoot)?.shadowRoot;
    return selectors.map((selector) => root?.querySelector(selector)?.getBoundingClientRect().toJSON() as Box);
  }, selectors);
  return boxes as { [Index in keyof Names]: Box };
}

/** Whether the whole of an element is in the window, and nothing lies above it. */
function isInSight(page: Page, selector: string): Promise<boolean> {
  return page
    .locator(selector)
    .first()
    .evaluate((element) => {
      const { top, bottom, left, right } = element.getBoundingClientRect();
      const hit = (element.getRootNode() as ShadowRoot).elementFromPoint((left + right) / 2, (top + bottom) / 2);
      return top >= 0 && bottom <= innerHeight && (hit === element || element.contains(hit));
    });
}

test('a card is no wider than a parent that shrinks to fit it', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  for (const style of ['display:flex;flex-direction:column;align-items:center', 'display:inline-block', 'float:left']) {
    await openShop(page);
    await page.evaluate((css) => (document.querySelector('main') as HTMLElement).setAttribute('style', css), style);
    await mount(page, { mode: 'INLINE' });
    expect(await page.evaluate(() => document.documentElement.scrollWidth), style).toBe(320);
  }
});

test('a card is as tall as the offer it shows, whatever the others of its group are', async ({ page }) => {
  await openShop(page);
  for (const mode of ['OVERLAY', 'PULLUP', 'INLINE'] as const) {
    const alone = [];
    for (const offer of [SHORT, TALL]) {
      await mount(page, { mode, groups: [hero(offer)] });
      alone.push((await boxOf(page, '.surface')).height);
    }
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await mount(page, { mode, groups: [hero(SHORT, TALL)] });
    const [first, second] = alone;
    expect((await boxOf(page, '.surface')).height, mode).toBeCloseTo(first ?? 0, 0);
    await decline(page);
    expect((await boxOf(page, '.surface')).height, mode).toBeCloseTo(second ?? 0, 0);
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThan(60);
  }
});

for (const reducedMotion of ['reduce', 'no-preference'] as const) {
  test(`a step moves nothing above the card, and the bottom of the pull-up stays (${reducedMotion})`, async ({
    page,
  }) => {
    await page.emulateMedia({ reducedMotion });
    await openShop(page);
    for (const mode of MODES) {
      await mount(page, { mode, groups: [hero(SHORT, TALL)] });
      await listening(page);
      const edge = async (): Promise<number> => {
        const { y, height } = await boxOf(page, '.surface');
        return mode === 'PULLUP' ? y + height : y;
      };
      const heading = async (): Promise<number> => (await boxOf(page, `${CURRENT} [part=heading]`)).y;
      const before = [await edge(), await heading()];
      await decline(page);
      for (let frame = 0; frame < 5; frame++) {
        expect(await edge(), mode).toBeCloseTo(before[0] ?? 0, 0);
        if (mode !== 'PULLUP') expect(await heading(), mode).toBeCloseTo(before[1] ?? 0, 0);
      }
      const height = (await boxOf(page, '.surface')).height;
      await listening(page);
      const after = (await boxOf(page, '.surface')).height;
      if (reducedMotion === 'reduce') expect(height, mode).toBe(after);
    }
  });
}

test('long copy is clamped to three and four lines, and a button shows the rest', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 780 });
  await openShop(page);
  for (const mode of MODES) {
    await mount(page, { mode, groups: [hero(LONG)] });
    await listening(page);
    const heading = page.locator('[part=heading]');
    const lines = (part: string): Promise<number> =>
      page.locator(`[part=${part}]`).evaluate((text) => {
        return Math.round(text.getBoundingClientRect().height / parseFloat(getComputedStyle(text).lineHeight));
      });
    expect(await lines('subheading'), mode).toBe(4);
    // A window full of one offer has room for its heading.
    if (mode === 'FULLSCREEN') expect(await lines('heading')).toBeGreaterThan(3);
    else expect(await lines('heading'), mode).toBe(3);
    const more = page.getByRole('button', { name: 'More' });
    await expect(more).toHaveAttribute('aria-expanded', 'false');
    await more.focus();
    await page.keyboard.press('Enter');
    await expect(more).toHaveAttribute('aria-expanded', 'true');
    expect(await lines('subheading'), mode).toBeGreaterThan(6);
    expect(await heading.evaluate((text) => text.scrollHeight - text.clientHeight)).toBeLessThanOrEqual(8);
    expect(await page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.className)).toBe('more');
    await page.keyboard.press('Space');
    await expect(more).toHaveAttribute('aria-expanded', 'false');
    expect(await lines('subheading'), mode).toBe(4);
  }
});

test('the button for long copy comes and goes with the width, in every language, and reports no error', async ({
  page,
}) => {
  await page.addInitScript(() => {
    Object.assign(window, { errors: [] });
    addEventListener('error', ({ message }) => window.errors.push(message));
  });
  const offer = placed(0, { subheading: SENTENCE.repeat(3) });
  await openShop(page);
  for (const [locale, label] of Object.entries({ en: 'More', de: 'Mehr', fr: 'Plus', es: 'Más', ar: 'المزيد' })) {
    await page.setViewportSize({ width: 320, height: 700 });
    await mount(page, { locale, groups: [hero(offer)] });
    const more = page.getByRole('button', { name: label, exact: true });
    await expect(more).toBeVisible();
    await page.setViewportSize({ width: 1200, height: 700 });
    await expect(more).toBeHidden();
    await page.setViewportSize({ width: 320, height: 700 });
    await expect(more).toBeVisible();
  }
  expect(await page.evaluate(() => window.errors)).toEqual([]);
});

for (const [size, viewport] of Object.entries({
  'on a phone of 320 × 568': { width: 320, height: 568 },
  'at 200 % zoom': { width: 640, height: 360 },
})) {
  test(`accept and decline can be seen without scrolling ${size}, however long the copy is`, async ({ page }) => {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await openShop(page, { head: BARE });
    for (const mode of MODES) {
      for (const locale of ['en', 'ar']) {
        await mount(page, { mode, locale, sandbox: true, groups: [hero(LONG, SHORT)] });
        for (const part of ['accept', 'decline', 'heading'])
          expect(await isInSight(page, `${CURRENT} [part=${part}]`), `${mode} ${part}`).toBe(true);
      }
    }
  });
}

test('at 400 % zoom the badge and the start of the heading are in view, even after a step', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 180 });
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await openShop(page);
  for (const mode of LAYERS) {
    await mount(page, { mode });
    await listening(page);
    for (let step = 0; step < 2; step++) {
      expect(await isInSight(page, `${CURRENT} .badge`), mode).toBe(true);
      expect((await boxOf(page, `${CURRENT} [part=heading]`)).y, mode).toBeLessThan(160);
      await decline(page);
      await listening(page);
    }
  }
});

test('mark and position are beside the logo, and the whole name below the mark, in every mode and width', async ({
  page,
}) => {
  // What the last offer left of the place's height closes at once, not over frames in which the card has room for a panel.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const offers = Array.from({ length: 10 }, (_, number) => placed(number, {}, 'Nordlichtkaffeerösterei Hamburg'));
  for (const locale of ['de', 'ar']) {
    await openShop(page, { html: locale === 'ar' ? 'dir="rtl"' : '', head: BARE });
    for (const width of [320, 390, 1280]) {
      await page.setViewportSize({ width, height: 780 });
      for (const mode of MODES) {
        const size = `${mode} ${width} ${locale}`;
        const group = { ...hero(...offers), ...(width > 390 && { heading: 'Ausgewählt' }) };
        await mount(page, { mode, locale, sandbox: true, groups: [group] });
        await listening(page);
        await decline(page);
        const parts = ['.badges', '.brand', '.position', '.top', '.top .logo'].map((name) => `${CURRENT} ${name}`);
        const [badges, brand, position, card, logo] = await boxesOf(page, ...parts);
        if (!badges || !brand || !position || !card || !logo) throw new Error('A part is missing.');
        const startOf = ({ x, width }: Box): number => (locale === 'ar' ? -x - width : x);
        expect(brand.y, size).toBeGreaterThanOrEqual(badges.y + badges.height);
        const lineOf = (box: Box): number => (mode === 'FULLSCREEN' ? box.x + box.width / 2 : startOf(box));
        expect(lineOf(brand), size).toBeCloseTo(lineOf(badges), 0);
        await expect(page.locator(`${CURRENT} .top .logo`), size).toHaveCSS('line-height', `${logo.height - 2}px`);
        expect(startOf(position), size).toBeGreaterThan(startOf(badges));
        if (mode !== 'FULLSCREEN') expect(startOf(badges) - startOf(logo), size).toBeCloseTo(60, 0);
        const close = mode === 'INLINE' ? badges : await boxOf(page, '[part=close]');
        expect(Math.abs(position.y + position.height / 2 - close.y - close.height / 2), size).toBeLessThan(
          badges.height / 2 - 6,
        );
        const endOf = (box: Box): number => Math.round(startOf(box) + box.width);
        if (mode === 'FULLSCREEN') expect(endOf(position), size).toBeLessThanOrEqual(startOf(close) - 4);
        else expect(endOf(card) - endOf(position), size).toBe(mode === 'INLINE' ? 0 : 30); // of the close button
      }
    }
  }
});

test('the close button covers no letter of a long group heading', async ({ page }) => {
  const group = { ...hero(placed(0)), heading: 'Thank you for your order: our partners have something for you' };
  await openShop(page);
  for (const width of [320, 390, 600, 1280]) {
    await page.setViewportSize({ width, height: 780 });
    for (const mode of LAYERS) {
      for (const locale of ['en', 'ar']) {
        await mount(page, { mode, locale, groups: [group, list(placed(1))] });
        await listening(page);
        const covered = await page.evaluate(() => {
          const root = document.querySelector('offer-let-layer')?.shadowRoot;
          const close = root?.querySelector('[part=close]')?.getBoundingClientRect();
          const range = document.createRange();
          range.selectNodeContents(root?.querySelector('.heading') ?? document.body);
          return [...range.getClientRects()].some(
            ({ left, right, top, bottom }) =>
              close && left < close.right && right > close.left && top < close.bottom && bottom > close.top,
          );
        });
        expect(covered, `${mode} ${width} ${locale}`).toBe(false);
      }
    }
  }
});

test('after accept the heading stays above the code, nothing above it moves, and the filled button is Copy, then the way on', async ({
  page,
}) => {
  await page.addInitScript(() => (navigator.clipboard.writeText = async () => {}));
  await page.clock.install();
  await openShop(page, { head: BARE });
  for (const mode of MODES) {
    for (const viewport of WINDOWS) {
      await page.setViewportSize(viewport);
      await mount(page, { mode, groups: [hero(placed(0), placed(1))] });
      await listening(page);
      const boxes = async (): Promise<Record<'surface' | 'top' | 'place' | 'accept' | 'decline', Box>> => {
        const [surface, top, place, accept, decline] = await boxesOf(
          page,
          ...(['.surface', '.top', '.place', '[part=accept]', '[part=decline]'] as const),
        );
        return { surface, top, place, accept, decline };
      };
      const fills = (): Promise<string[]> =>
        page
          .locator('.actions > *, [role=status] button')
          .evaluateAll((all) => all.map((button) => getComputedStyle(button).backgroundColor).sort());
      const filledOnes = (): Promise<string[]> =>
        page
          .locator('.actions .main, [role=status] .main')
          .evaluateAll((all) => all.map(({ textContent }) => textContent ?? ''));
      const before = await boxes();
      const gap = before.accept.y - before.place.y - before.place.height;
      expect(gap, `${mode}: nothing is kept empty for a code`).toBeLessThan(20);
      expect(new Set(await fills()).size, mode).toBe(2);
      await accept(page);
      const after = await boxes();
      if (mode !== 'PULLUP') expect([after.surface.y, after.top.y], mode).toEqual([before.surface.y, before.top.y]);
      for (const button of ['accept', 'decline'] as const) {
        expect([after[button].x, after[button].width], mode).toEqual([before[button].x, before[button].width]);
        // By what the code needs more than the text.
        const growth = after.place.height - before.place.height;
        if (mode === 'OVERLAY') expect(after[button].y - before[button].y, mode).toBeCloseTo(growth, 0);
      }
      const within = await boxesOf(page, `${CURRENT} [part=heading]`, '.claim > p', '.code');
      const filled = within.reduce((sum, { height }) => sum + height, 0);
      expect(after.place.height - filled, `${mode}: nothing is kept empty around the code`).toBeLessThan(36);
      await opened(page);
      await expect(page.getByRole('status')).toContainText('Opened in a new tab');
      expect(await boxes(), mode).toEqual(after);
      await expect(page.locator(`${CURRENT} [part=heading]`)).toBeInViewport();
      expect(await filledOnes(), mode).toEqual(['Copy']);
      const middles = (await boxesOf(page, '.code', '.code button')).map(({ y, height }) => y + height / 2);
      expect(middles[1], `${mode}: Copy is in the middle of its box`).toBeCloseTo(middles[0] ?? 0, 0);
      await page.getByRole('button', { name: 'Copy' }).click();
      await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible();
      expect(await filledOnes(), mode).toEqual(['Next offer']);
      expect(new Set(await fills()).size, mode).toBe(2);
    }
  }
});

test('a dialog is centred, and FULLSCREEN is one column in the middle, or one half of it a picture', async ({
  page,
}) => {
  await openShop(page);
  const middleOf = async (...selectors: string[]): Promise<number> => {
    const boxes = await boxesOf(page, ...(selectors as [string, string]));
    return (Math.min(...boxes.map(({ y }) => y)) + Math.max(...boxes.map(({ y, height }) => y + height))) / 2;
  };
  for (const viewport of WINDOWS) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await mount(page, { mode: 'OVERLAY', groups: [hero(placed(0))] });
    const { y, height } = await boxOf(page, '.surface');
    expect(Math.abs(y + height / 2 - viewport.height / 2), `${viewport.width}`).toBeLessThan(24);

    for (const footer of [undefined, {}]) {
      await mount(page, { mode: 'FULLSCREEN', groups: [hero(placed(0))], ...(footer && { footer }) });
      const middle = await middleOf('.top', '.offer > [part]');
      expect(Math.abs(middle - viewport.height / 2), `${viewport.width}`).toBeLessThan(32);
      const [words, buttons] = await boxesOf(page, '.words', '.actions');
      expect(buttons.y - words.y - words.height).toBeLessThan(32);
    }
  }
});

test('the button for long copy is there when a dialog opens, so that the dialog is centred with it', async ({
  page,
}) => {
  // The browser reports sizes before the dialog opens or after: here never.
  await page.addInitScript(() => {
    window.ResizeObserver = class {
      observe(): void {}
      unobserve(): void {}
      disconnect(): void {}
    };
  });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await openShop(page);
  await mount(page, { mode: 'OVERLAY', groups: [hero(placed(0, { subheading: 'A long sentence. '.repeat(30) }))] });
  await expect(page.getByRole('button', { name: 'More' })).toBeVisible();
  const { y, height } = await boxOf(page, '.surface');
  expect(Math.abs(y + height / 2 - 844 / 2)).toBeLessThan(24);
});

test('one picture is a column of 40 %, 16:9 above the text, or 54 % of FULLSCREEN, and gone when it fails at once', async ({
  page,
}) => {
  const offer = placed(0, { assets: pictures(1) });
  // However long the test takes, the picture fails at once.
  await page.addInitScript(() => (performance.now = () => 1000));
  await openShop(page, { head: BARE });
  for (const [width, isBeside] of [
    [1280, true],
    [390, false],
  ] as const) {
    await page.setViewportSize({ width, height: 844 });
    for (const mode of ['INLINE', 'FULLSCREEN'] as const) {
      await mount(page, { mode, groups: [hero(offer, placed(1))] });
      expect(await isInSight(page, `${CURRENT} .position`), mode).toBe(true);
      const [picture, card] = [await boxOf(page, '.picture'), await boxOf(page, '.offer')];
      if (mode === 'FULLSCREEN')
        expect([picture.x, picture.y, picture.width / width]).toEqual([0, 0, isBeside ? expect.closeTo(0.54, 2) : 1]);
      else if (isBeside) expect(picture.width / card.width, mode).toBeCloseTo(0.4, 2);
      else expect(picture.height, mode).toBeCloseTo((picture.width * 9) / 16, 0);
      await page.locator('.picture img').dispatchEvent('error');
      await expect(page.locator('.picture')).toBeHidden();
      expect((await boxOf(page, '.place')).x, mode).toBe((await boxOf(page, '.offer')).x);
    }
  }
});

test('the pull-up leaves the page beside it free to click, and the order’s totals in sight', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await openShop(page, { body: '<button id="low" style="position:fixed;bottom:30px;left:600px">Totals</button>' });
  await mount(page, { mode: 'PULLUP' });
  await listening(page);
  const { x, width } = await boxOf(page, '.surface');
  expect([width, Math.round(1280 - x - width)]).toEqual([400, 24]);
  await page.locator('#low').click();
  await page.mouse.click(x - 10, 700); // beside the card, where its shadow is
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('BODY');
});
