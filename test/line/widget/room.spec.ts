import { expect, test, type Page } from '@playwright/test';
import { hero, list, pictures, placed } from '../../widget/offers.ts';
import { accept, listening, mount, opened, openShop } from './widgetPage.ts';
import { poll } from '../drivers/poll.ts';

const MODES = ['OVERLAY', 'FULLSCREEN', 'PULLUP', 'INLINE'] as const;
const LAYERS = ['OVERLAY', 'FULLSCREEN', 'PULLUP'] as const;
const WINDOWS = [
  { width: 320, height: 568 },
  { width: 390, height: 844 },
  { width: 844, height: 390 },
  { width: 1280, height: 800 },
];
const SENTENCE = 'Delivered within three days, and you may pause or cancel at any time. ';
const WORD = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamten'.repeat(3);

/** Whether the promo code of the first offer can be seen, from its top to its bottom. */
function isCodeSeen(page: Page): Promise<boolean | undefined> {
  return page.evaluate(() => {
    const root = (document.querySelector('offer-let-layer') ?? document.querySelector('#offers > *'))?.shadowRoot;
    const code = root?.querySelector('code');
    const box = code?.getBoundingClientRect();
    const seen = box && [box.top + 2, box.bottom - 2].map((y) => root?.elementFromPoint(box.left + 8, y));
    return seen?.every((part) => part === code);
  });
}

/** The upper and the lower edge of each part. */
function edges(page: Page, ...names: string[]): Promise<number[][]> {
  return page.evaluate((names) => {
    const root = (document.querySelector('offer-let-layer') ?? document.querySelector('#offers > *'))?.shadowRoot;
    const boxes = names.map((name) => root?.querySelector(name)?.getBoundingClientRect() ?? new DOMRect());
    return boxes.map(({ top, bottom }) => [top, bottom].map(Math.round));
  }, names);
}

for (const mode of LAYERS)
  test(`${mode}: a code that appears can be seen in every window, however long it is`, async ({ page }) => {
    await page.clock.install();
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await openShop(page);
    for (const [code, offer] of [
      ['LARK-2026', {}],
      ['ABCDEFGHIJ'.repeat(6), {}],
      ['ABCDEFGHIJ'.repeat(6), { subheading: SENTENCE.repeat(6), heading: WORD }],
    ] as const) {
      for (const viewport of WINDOWS) {
        const size = `${code}, ${viewport.width} × ${viewport.height}`;
        await page.setViewportSize(viewport);
        const claimed = placed(0, { ...offer, metadata: { type: 'PROMO_CODE', code } });
        await mount(page, { mode, groups: [hero(claimed, placed(1))] });
        await listening(page);
        await accept(page);
        await opened(page);
        expect(await isCodeSeen(page), size).toBe(true);
      }
    }
  });

test('where buttons stand beside the text, an accepted offer scrolls nothing', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.setViewportSize({ width: 1280, height: 600 });
  await openShop(page);
  await mount(page, { mode: 'FULLSCREEN', groups: [list(placed(0), placed(1), placed(2), placed(3))] });
  await listening(page);
  const button = page.locator('[part=accept]').first();
  const before = await button.boundingBox();
  await accept(page);
  await opened(page);
  expect(await button.boundingBox()).toEqual(before);
});

test('a list has the width of its columns in an overlay, and in a window its rows stay together', async ({ page }) => {
  await page.setViewportSize({ width: 1024, height: 1300 });
  await openShop(page);
  await mount(page, { mode: 'OVERLAY', groups: [list(placed(0))] });
  expect((await page.locator('.surface').boundingBox())?.width).toBe(720);
  await mount(page, { mode: 'FULLSCREEN', groups: [list(placed(0), placed(1))] });
  const [[, end = 0] = [], [start = 0] = []] = await edges(page, '.actions', '.offer + .offer .actions');
  expect(start - end).toBeLessThan(100);
});

test('on low windows buttons are one row, and at 400 % zoom the close button covers none', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await openShop(page);
  for (const height of [200, 256]) {
    await page.setViewportSize({ width: 320, height });
    for (const mode of LAYERS) {
      await mount(page, { mode });
      await listening(page);
      const { tops, covered } = await page.evaluate(() => {
        const root = document.querySelector('offer-let-layer')?.shadowRoot;
        const buttons = [...(root?.querySelectorAll('.actions > *') ?? [])];
        const covered = buttons.filter((button) => {
          button.scrollIntoView({ block: 'start' });
          const { right, left, top } = button.getBoundingClientRect();
          return [left + 12, right - 12].some((x) => root?.elementFromPoint(x, top + 12)?.closest('[part=close]'));
        });
        return { tops: buttons.map((button) => button.getBoundingClientRect().top), covered: covered.length };
      });
      expect(tops[0], mode).toBe(tops[1]);
      expect(covered, `${mode} ${height}`).toBe(0);
    }
  }
});

test('text fades out above the buttons over the height of one of its lines', async ({ page }) => {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Page.setFontSizes', { fontSizes: { standard: 40 } });
  await openShop(page);
  await mount(page, { mode: 'OVERLAY' });
  await expect(page.locator('.actions')).toHaveCSS('padding-top', '44px');
  await expect(page.locator('.actions')).toHaveCSS('background-image', /40px\)$/);
});

test('clamped copy against the direction of the page starts at its own side, with its ellipsis', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openShop(page);
  for (const [locale, copy, side] of [
    ['ar', SENTENCE, 'left'],
    ['en', 'حبوب طازجة تُحمّص عند الطلب وتصلك خلال ثلاثة أيام. ', 'right'],
  ] as const) {
    const details = { copy: copy.repeat(4), content: copy };
    const offer = placed(
      0,
      { heading: copy.repeat(4), subheading: copy.repeat(9), disclosure_details: details },
      copy.repeat(3).slice(0, 59),
    );
    await mount(page, { locale, groups: [hero(offer)] });
    const gaps = await page.evaluate((side) => {
      const root = document.querySelector('#offers > *')?.shadowRoot;
      const clamped = [
        ...(root?.querySelectorAll('[part=heading],[part=subheading],[part=advertiser],summary > span') ?? []),
      ];
      return clamped.map((text) => {
        const range = document.createRange();
        range.selectNodeContents(text);
        const edges = [...range.getClientRects()].slice(0, 2).map((line) => line[side]);
        return Math.round(Math.max(...edges.map((edge) => Math.abs(edge - text.getBoundingClientRect()[side]))));
      });
    }, side);
    expect(gaps, locale).toEqual([0, 0, 0, 0]);
  }
});

test('a short name and copy against the direction of the page stay at the start of the card', async ({ page }) => {
  await openShop(page);
  await mount(page, { locale: 'ar', groups: [hero(placed(0))] });
  const gaps = await page.evaluate(() => {
    const root = document.querySelector('#offers > *')?.shadowRoot;
    return ['[part=heading]', '[part=subheading]', '[part=advertiser]', 'details'].map((selector) => {
      const text = root?.querySelector(selector);
      const box = text?.parentElement?.getBoundingClientRect();
      return Math.round((box?.right ?? 0) - (text?.getBoundingClientRect().right ?? 0));
    });
  });
  expect(gaps).toEqual([0, 0, 0, 0]);
});

test('texts of the footer are clamped to two lines', async ({ page }) => {
  const footer = {
    attribution_details: { copy: SENTENCE.repeat(3), logo_url: 'https://images.test/brand.svg' },
    privacy_policy: { copy: WORD, target_url: 'https://network.test/privacy' },
  };
  await openShop(page);
  for (const width of [320, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    for (const mode of MODES) {
      await mount(page, { mode, footer });
      const heights = await page
        .locator('footer > *')
        .evaluateAll((texts) => texts.map((text) => Math.round(text.getBoundingClientRect().height)));
      expect(heights, `${mode} ${width}`).toEqual([32, 32]);
    }
  }
});

test('until they have loaded, a logo is a letter and a picture a tint, even in dark mode', async ({ page }) => {
  await openShop(page, { html: 'style="color-scheme:dark"' });
  let load = (): void => {};
  const loading = new Promise<void>((resolve) => (load = resolve));
  await page.context().route('https://images.test/**', async (route) => {
    await loading;
    await route.fallback();
  });
  await mount(page, { groups: [hero(placed(0, { assets: pictures(1) })), list(placed(3, { assets: pictures(2) }))] });
  const images = page.locator(':is(.logo, .picture, .tiles) img');
  await expect(images).toHaveCount(5);
  const opacities = (): Promise<string[]> =>
    images.evaluateAll((all) => all.map((image) => getComputedStyle(image).opacity));
  expect(new Set(await opacities())).toEqual(new Set(['0']));
  load();
  for (const image of await images.all()) await image.scrollIntoViewIfNeeded();
  await poll(async () => new Set(await opacities())).toEqual(new Set(['1']));
});

test('a picture that fails after a second keeps its tinted tile, so that nothing moves', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.addInitScript(() => {
    Object.assign(window, { time: 1000 });
    performance.now = () => (window as unknown as { time: number }).time;
  });
  for (const mode of MODES) {
    await openShop(page);
    await mount(page, { mode, groups: [hero(placed(0, { assets: pictures(1) }), placed(1))] });
    await page.waitForFunction(() => {
      const root = (document.querySelector('offer-let-layer') ?? document.querySelector('#offers > *'))?.shadowRoot;
      return root?.getAnimations().every(({ playState }) => playState === 'finished');
    });
    const before = await edges(page, '[part=accept]');
    await page.evaluate(() => Object.assign(window, { time: 2500 }));
    await page.locator('.picture img').dispatchEvent('error');
    await expect(page.locator('.picture')).toBeVisible();
    expect(await edges(page, '[part=accept]'), mode).toEqual(before);
  }
});

test('height to spare goes to a picture or the row of the brand, or around what stands beside a picture; rows of a list share it', async ({
  page,
}) => {
  const text = hero(placed(0));
  const picture = hero(placed(0, { assets: pictures(1) }));
  const rows = [1, 2, 3].map((row) => `.offer:nth-child(${row}) .actions`);
  await openShop(page);
  for (const [width, group, spare, parts, shares] of [
    [320, text, 320, ['.top', '.words', '.actions'], [0, 0, 0, 0]],
    [320, { ...text, heading: 'For you' }, 320, ['.heading *', '.words', '.actions'], [0, 320, 0, 0]],
    [1280, picture, 320, ['.top', '.words', '.actions'], [160, 0, 0, 160]],
    [320, picture, 320, ['.top', '.picture', '.words', '.actions'], [0, 0, 0, 0, 0]],
    [1280, list(placed(1), placed(2), placed(3)), 300, rows, [50, 100, 100, 50]],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    /** Between the edges of the card and the parts. */
    const gaps = async (least = 0): Promise<number[]> => {
      await page.locator('#offers').evaluate((place, px) => (place.style.minBlockSize = `${px}px`), least);
      const [start = 0, end = 0, ...lines] = (await edges(page, '.surface', ...parts)).flat();
      const all = [start, ...lines, end, start, end];
      return all.flatMap((line, at) => (at % 2 ? [line - (all[at - 1] ?? 0)] : []));
    };
    await mount(page, { groups: [group] });
    const before = await gaps();
    const [[, logo = 0] = [], [words = 0] = []] = await edges(page, '.logo', '.words');
    if (group === text) expect(words - logo, 'with nothing to spare').toBe(16);
    const after = await gaps((before.at(-1) ?? 0) + spare);
    const gains = after.map((gap, at) => gap - (before[at] ?? 0));
    expect(gains, `${width} ${parts.join(' ')}`).toEqual([...shares, spare]);
    const across = (all: Element[]): number[] =>
      all.map((part) => part.getBoundingClientRect()).map(({ left, right }) => Math.round((left + right) / 2));
    const middles = new Set(await page.locator('.surface, .logo, .badges, .brand').evaluateAll(across));
    expect(middles.size === 1, 'one column in the middle').toBe(width === 320 && group !== picture);
  }
});

test('in the panel of a card without a picture, a column has one axis, and the position stays in its corner', async ({
  page,
}) => {
  const offer = placed(0);
  const described = {
    ...offer,
    advertiser: { ...offer.advertiser, description: 'Roasters since 1998, in one family' },
  };
  for (const height of [440, 520, 680]) {
    await openShop(page, { head: `<style>#offers{min-height:${height}px;max-width:390px}</style>` });
    await mount(page, { groups: [hero(described, placed(1))] });
    const [card, top, ...middles] = await page.evaluate(() => {
      const root = document.querySelector('#offers > *')?.shadowRoot;
      const boxOf = (part: string): DOMRect => root?.querySelector(part)?.getBoundingClientRect() ?? new DOMRect(NaN);
      const middleOf = ({ x, width }: DOMRect): number => x + width / 2;
      const card = boxOf('[part=card]');
      const parts = ['.logo', '.badge', '[part=advertiser]', '.brand .small'];
      return [middleOf(card), boxOf('.position').y - card.y, ...parts.map((part) => middleOf(boxOf(part)))];
    });
    const offsets = middles.map((middle) => middle - card);
    if (height > 440) expect(Math.max(...offsets.map(Math.abs)), `${height}`).toBeLessThan(1);
    else expect(Math.max(...offsets), `${height}`).toBeLessThan(-1);
    expect(Math.round(top), `${height}`).toBe(21);
  }
});

test('where a fullscreen offer shows no picture, its text stands as without one', async ({ page }) => {
  await openShop(page);
  for (const viewport of [
    { width: 1000, height: 440 },
    { width: 320, height: 568 },
  ]) {
    await page.setViewportSize(viewport);
    const boxes = [];
    for (const assets of [pictures(1), []]) {
      await mount(page, { mode: 'FULLSCREEN', groups: [hero(placed(0, { assets }), placed(1))] });
      boxes.push(await page.locator('[part=heading]').boundingBox());
    }
    expect(boxes[0], `${viewport.width}`).toEqual(boxes[1]);
  }
});

test('a picture covers no text, and the mark is in one piece, alone and above a list', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await openShop(page);
  const offers = [1, 2, 3, 4, 5, 6].map((number) => placed(number, { assets: pictures(1) }));
  const first = { ...hero(...offers), heading: 'Choisi pour vous' };
  for (const viewport of [{ width: 700, height: 560 }, { width: 768, height: 1024 }, ...WINDOWS]) {
    await page.setViewportSize(viewport);
    for (const mode of MODES) {
      for (const groups of [[first], [first, list(placed(0))]]) {
        const size = `${mode} ${viewport.width} ${groups.length}`;
        await mount(page, { mode, groups, locale: 'fr' });
        await listening(page);
        await page.locator('[part=decline]').first().click();
        await listening(page);
        const [mark, covered] = await page.evaluate(() => {
          const root = (document.querySelector('offer-let-layer') ?? document.querySelector('#offers > *'))?.shadowRoot;
          const boxOf = (part: string): DOMRect => root?.querySelector(part)?.getBoundingClientRect() ?? new DOMRect();
          const picture = boxOf('.picture');
          const texts = ['.heading', '.badge', '.brand', '[part=heading]', '[part=accept]'].filter((part) => {
            const { left, right, top, bottom } = boxOf(part);
            const isApart =
              right <= picture.left || left >= picture.right || bottom <= picture.top || top >= picture.bottom;
            return picture.height > 0 && !isApart;
          });
          return [boxOf('.badge').height, texts] as const;
        });
        expect(mark, size).toBeLessThan(24);
        // What is scrolled below the row that stays in sight is not covered by the picture.
        expect(mode === 'FULLSCREEN' ? covered : [], size).toEqual([]);
      }
    }
  }
});
