import { expect, test, type Page } from '@playwright/test';
import { hero, list, pictures, placed } from '../../widget/offers.ts';
import { violationsOf } from '../drivers/violationsOf.ts';
import { accept, listening, mount, openShop } from './widgetPage.ts';
import { poll } from '../drivers/poll.ts';

const MODES = ['OVERLAY', 'FULLSCREEN', 'PULLUP', 'INLINE'] as const;
const WORD = 'Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetzrindfleischetikettierungsüberwachung';
const RICH = [hero(placed(0, { assets: pictures(4) }), placed(1)), list(placed(3), placed(4), placed(5))];

/** Makes the page light or dark, under what is shown already. */
const paint = (page: Page, scheme: string): Promise<void> =>
  page.evaluate((css) => document.documentElement.setAttribute('style', css), `color-scheme:${scheme}`);

for (const mode of MODES)
  test(`${mode}: axe finds nothing in both directions, and every text has its contrast`, async ({ page }) => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await openShop(page);
    for (const locale of ['en', 'ar']) {
      await mount(page, { mode, locale, sandbox: true, groups: RICH });
      await listening(page);
      await accept(page);
      await expect(page.getByText('LARK-2026')).toBeVisible();
      await page.locator('summary').first().click();
      expect(await violationsOf(page, { without: ['color-contrast'] }), locale).toEqual([]);
      for (const scheme of ['light', 'dark']) {
        await paint(page, scheme);
        expect(await lowContrasts(page), `${scheme} ${locale}`).toEqual([]);
      }
    }
  });

/** Room for the tinted panel of a card without a picture. */
const TALL = '<style>#offers{min-height:1200px}</style>';

test('the accent decides the colour on it', async ({ page }) => {
  for (const accent of ['#ffd400', '#000000', '#767676', '#ff4d4f', '#0ea5e9', '#22c55e']) {
    await openShop(page, { head: `<style>html{--offerlet-accent:${accent}}</style>${TALL}` });
    await mount(page);
    expect(await lowContrasts(page), accent).toEqual([]);
  }
});

test('a name of the other direction stands beside the logo, and a heading where the card begins', async ({ page }) => {
  await openShop(page);
  await mount(page, { locale: 'ar', groups: [hero(placed(0))] });
  const rightOf = (part: string): Promise<number> =>
    page.locator(part).evaluate((at) => at.getBoundingClientRect().right);
  const card = await rightOf('.offer');
  const gaps = [card - (await rightOf('[part=heading]')), card - (await rightOf('[part=advertiser]'))];
  expect(gaps.map(Math.round)).toEqual([0, 60]);
});

/** Palettes that fit together, of which a page may set any part. */
const PALETTES = {
  dark: ['#ffd400', '#1a1a1a', '#0b3d2e', '#f1fff7', '#b7d8c8', '#2f6b57'],
  light: ['#b4235a', '#fff5f9', '#fff4e8', '#2b1a10', '#6b4f3f', '#ead9c8'],
  middle: ['#12355b', '#ffffff', '#8f8577', '#000000', '#120e0a', '#5c554b'],
  smoke: ['rgb(255 212 0/.9)', '#1a1a1a', 'rgb(0 0 0/.8)', 'rgb(255 255 255/.95)', '#d8e4de', 'rgb(128 128 128/.6)'],
  frost: ['rgb(110 20 60/.9)', '#fff5f9', 'rgb(255 255 255/.8)', 'rgb(0 0 0/.95)', '#2b2b2b', 'rgb(128 128 128/.6)'],
};
const COLOURS = ['accent', 'on-accent', 'surface', 'text', 'muted', 'line'];

for (const [name, palette] of Object.entries(PALETTES))
  test(`every part of a ${name} palette is readable on a light and on a dark page`, async ({ page }) => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.setViewportSize({ width: 390, height: 844 });
    await openShop(page, { head: TALL });
    const long = placed(0, { subheading: 'A sentence that goes on and on. '.repeat(30), assets: pictures(2) });
    await mount(page, { groups: [hero(long, placed(1)), list(placed(2))], sandbox: true });
    await page.locator('summary').first().click();
    await accept(page, page.locator('[part=accept]').last());
    await expect(page.getByRole('button', { name: 'More' })).toBeVisible();
    await expect(page.locator('#offers > *')).toHaveCount(1);
    for (const scheme of ['light', 'dark']) {
      await paint(page, scheme);
      for (let set = 0; set < 2 ** COLOURS.length; set++) {
        const css = COLOURS.flatMap((colour, at) => (set & (1 << at) ? [`--offerlet-${colour}:${palette[at]}`] : []));
        await page.evaluate((css) => document.querySelector('#offers')?.setAttribute('style', css), css.join(';'));
        expect(await lowContrasts(page), `${scheme} ${css.join(';')}`).toEqual([]);
      }
    }
  });

test('any surface by itself gets texts that are readable on it', async ({ page }) => {
  await openShop(page, { head: TALL });
  await mount(page, { groups: [hero(placed(0)), list(placed(1))] });
  expect(await page.locator('.hero .top').evaluate((top) => getComputedStyle(top, '::before').content)).toBe('""');
  for (let level = 0; level < 256; level += 5) {
    for (const surface of [`rgb(${level} ${level} ${level})`, `hsl(${level * 1.4} 90% 50%)`]) {
      await page.evaluate(
        (css) => document.querySelector('#offers')?.setAttribute('style', css),
        `--offerlet-surface:${surface}`,
      );
      expect(await lowContrasts(page), surface).toEqual([]);
    }
  }
});

const TRANSLUCENT = ['transparent', 'rgb(0 0 0/.5)', 'rgb(255 255 255/.5)', 'hsl(200 90% 40%/.3)', 'lab(60 40 20/.7)'];

test('a translucent colour by itself keeps every text readable on a light and on a dark page', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await openShop(page);
  for (const mode of MODES) {
    await mount(page, { mode, groups: [hero(placed(0)), list(placed(1))] });
    for (const scheme of ['light', 'dark'])
      for (const colour of ['surface', 'accent'])
        for (const value of TRANSLUCENT) {
          const css = `${scheme};--offerlet-${colour}:${value}`;
          await paint(page, css);
          expect(await lowContrasts(page), `${mode} ${css}`).toEqual([]);
          if (mode === 'INLINE') continue;
          expect(await page.locator('[part=card]').evaluate(alphaOf), `${mode} ${css}`).toBe(1);
        }
  }
});

test('an accept button in the colour of its card keeps an edge', async ({ page }) => {
  for (const [scheme, colour] of [
    ['light', '#fff'],
    ['dark', '#000'],
  ] as const) {
    await openShop(page, {
      html: `style="color-scheme:${scheme};--offerlet-surface:${colour};--offerlet-accent:${colour}"`,
    });
    await mount(page);
    expect(await lowContrasts(page), colour).toEqual([]);
  }
});

test('forced colours distinguish accept from decline, and Copy once accepted', async ({ page }) => {
  await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
  await openShop(page);
  for (const mode of MODES) {
    await mount(page, { mode });
    await listening(page);
    const fills = (): Promise<string[]> =>
      page
        .locator('.actions > *, [role=status] button')
        .evaluateAll((buttons) => buttons.map((button) => getComputedStyle(button).backgroundColor));
    const highlight = await page.evaluate(() => {
      document.body.style.backgroundColor = 'Highlight';
      return getComputedStyle(document.body).backgroundColor;
    });
    const isFilled = async (): Promise<boolean[]> => (await fills()).map((fill) => fill === highlight);
    expect(await isFilled(), mode).toEqual([true, false]);
    await accept(page);
    await poll(isFilled).toEqual([true, false, false]);
  }
});

test('no radius makes the card a circle, and its close button can be clicked', async ({ page }) => {
  await openShop(page, { head: '<style>:root{--offerlet-radius:999px}</style>' });
  await page.emulateMedia({ reducedMotion: 'reduce' });
  for (const mode of ['OVERLAY', 'PULLUP'] as const) {
    await mount(page, { mode });
    await listening(page);
    await expect(page.locator('[part=card]')).toHaveCSS('border-top-left-radius', '32px');
    await page.locator('[part=close]').click();
    await expect(page.locator('[part=card]')).toHaveCount(0);
  }
});

test('an inline list is readable in a theme that the page does not have', async ({ page }) => {
  for (const scheme of ['light', 'dark'] as const) {
    await openShop(page, { html: `style="color-scheme:${scheme}"` });
    for (const theme of ['light', 'dark', 'auto'] as const) {
      await mount(page, { theme, groups: [list(placed(0), placed(1))] });
      expect(await lowContrasts(page), `${theme} on ${scheme}`).toEqual([]);
    }
  }
});

test('theme overrules the page', async ({ page }) => {
  await openShop(page);
  await mount(page, { theme: 'dark' });
  await expect(page.locator('[part=card]')).toHaveCSS('background-color', /^lab\(10\.1/);
});

test('custom properties of the page reach the card, also in a layer, whose host inherits nothing else', async ({
  page,
}) => {
  const values = 'surface:rgb(1, 2, 3);--offerlet-radius:0px;--offerlet-width:300px;--offerlet-button-radius:3px';
  await openShop(page, { head: `<style>:root{--offerlet-${values}}</style>` });
  for (const mode of ['INLINE', 'OVERLAY'] as const) {
    await mount(page, { mode });
    const card = page.locator('[part=card]');
    await expect(card).toHaveCSS('background-color', /^(rgb\(1, 2, 3\)|color\(srgb 0\.0039)/);
    await expect(card).toHaveCSS('border-radius', '0px');
    await expect(card).toHaveCSS('width', '300px');
    await expect(page.locator('[part=accept]').first()).toHaveCSS('border-radius', '3px');
  }
});

const HIDING = [
  '#offers{--offerlet-muted:transparent;--offerlet-text:transparent;--offerlet-line:transparent}',
  '#offers{--offerlet-muted:#fff;--offerlet-surface:#fff}',
  '#offers{--offerlet-surface:#4b5563;--offerlet-muted:#4b5563}',
  '#offers{--offerlet-muted:rgb(0 0 0/.01);--offerlet-surface:url(x)}',
  '#offers{--offerlet-muted:red;--offerlet-surface:red;color-scheme:dark}',
  '#offers{--offerlet-width:0px;--offerlet-radius:999px}',
  '::part(card){color:transparent;-webkit-text-fill-color:transparent;font-size:0;line-height:0;letter-spacing:-9px;text-indent:-999px}',
  '::part(card){visibility:hidden;background:#4b5563;word-spacing:999px}',
  '*{color:transparent!important;font-size:0!important;visibility:hidden!important}',
];

test('the sponsored mark stays readable, whatever styles hide it', async ({ page }) => {
  await openShop(page, { head: '<style></style>' });
  for (const groups of [[hero(placed(0))], [list(placed(0))]]) {
    await mount(page, { groups });
    for (const style of HIDING) {
      await page.evaluate((css) => document.querySelector('head style')?.replaceChildren(css), style);
      const badge = page.locator('.badge').first();
      await expect(badge, style).toBeVisible();
      await expect(badge, style).toHaveCSS('visibility', 'visible');
      await expect(badge, style).toHaveCSS('font-size', '12px');
      await expect(badge, style).toHaveCSS('text-indent', '0px');
      expect((await lowContrasts(page)).filter((text) => text.includes('Sponsored'))).toEqual([]);
      const [fill, colour, width, height] = await badge.evaluate((mark) => {
        const { webkitTextFillColor, color } = getComputedStyle(mark);
        const box = mark.getBoundingClientRect();
        return [webkitTextFillColor, color, box.width, box.height] as const;
      });
      expect(fill, style).toBe(colour);
      expect(width, style).toBeGreaterThan(60);
      expect(height, style).toBeGreaterThan(16);
    }
  }
});

test('the page can style every part', async ({ page }) => {
  const parts = [
    'card',
    'logo',
    'advertiser',
    'heading',
    'subheading',
    'accept',
    'decline',
    'close',
    'footer',
    'disclosure',
  ];
  const head = `<style>${parts.map((part) => `::part(${part}){scroll-margin-top:7px}`).join('')}</style>`;
  await openShop(page, { head });
  await mount(page, { mode: 'OVERLAY' });
  for (const part of parts)
    await expect(page.locator(`[part=${part}]`).first(), part).toHaveCSS('scroll-margin-top', '7px');
});

test('at 320 px, doubled text and a 90-character word nothing overflows', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  const cdp = await page.context().newCDPSession(page);
  for (const mode of MODES) {
    for (const standard of [16, 32]) {
      // The reader's own setting: the widget ignores what a page sets on its html element.
      await cdp.send('Page.setFontSizes', { fontSizes: { standard } });
      await openShop(page);
      const offer = placed(
        0,
        {
          heading: WORD,
          subheading: `${WORD} ${WORD}`,
          cta_details: { accept_copy: WORD.slice(0, 40), decline_copy: WORD.slice(0, 40) },
        },
        WORD,
      );
      for (const groups of [[hero(offer, placed(1))], [hero(offer, placed(1)), list(offer)]]) {
        await mount(page, { mode, groups, sandbox: true, locale: 'de' });
        await listening(page);
        expect(await overflowing(page), mode).toEqual([]);
        const size = mode === 'FULLSCREEN' && !groups[1] ? standard + 9.6 : standard * 1.375;
        await expect(page.locator('.hero [part=heading]').first()).toHaveCSS('font-size', `${size}px`);
      }
    }
  }
});

test('every target is at least 24 px and the main ones 44', async ({ page }) => {
  await openShop(page);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await mount(page, { mode: 'OVERLAY' });
  const box = async (selector: string): Promise<{ width: number; height: number }> =>
    (await page.locator(selector).first().boundingBox()) ?? { width: 0, height: 0 };
  expect((await box('[part=close]')).width).toBeGreaterThanOrEqual(44);
  expect((await box('[part=accept]')).height).toBe((await box('[part=decline]')).height);
  expect((await box('[part=accept]')).height).toBeGreaterThanOrEqual(48);
  expect((await box('footer a')).height).toBeGreaterThanOrEqual(24);
  // Without more ink: the area that takes a touch is larger than the link.
  const touched = await page.locator('footer a').evaluateAll((links) =>
    links.map((link) => {
      const { x, y, width, height } = link.getBoundingClientRect();
      const root = link.getRootNode() as ShadowRoot;
      return [y + height / 2 - 21.5, y + height / 2 + 21.5].map(
        (at) => root.elementFromPoint(x + width / 2, at) === link,
      );
    }),
  );
  expect(touched.flat()).not.toContain(false);
});

test('nothing moves for shoppers who prefer reduced motion', async ({ page }) => {
  await openShop(page);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await mount(page, { mode: 'OVERLAY' });
  expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
});

/**
 * Every text whose colour is too close to what lies behind it, and every line that cannot be seen. Lines need no 3:1: they
 * separate, and a button is identified by its text (WCAG 1.4.11). The minimum for a hairline to be noticed is 1.1:1.
 */
function lowContrasts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    // Most elements have the colours of others.
    const painted = new Map<string, number>();
    const paint = (colors: string[]): number => {
      if (!canvas) throw new Error('there is no canvas');
      const known = painted.get(colors.join());
      if (known !== undefined) return known;
      for (const color of colors) {
        canvas.fillStyle = color;
        canvas.fillRect(0, 0, 1, 1);
      }
      const [r = 0, g = 0, b = 0] = [...canvas.getImageData(0, 0, 1, 1).data].map((value) => {
        const part = value / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      const luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b;
      painted.set(colors.join(), luminance);
      return luminance;
    };
    const root = (document.querySelector('offer-let-layer') ?? document.querySelector('#offers > *'))?.shadowRoot;
    const low: string[] = [];
    // The end of the panel's gradient is its strongest colour.
    const inkOf = (element: Element): string[] => {
      const { backgroundColor, borderImageSource } = getComputedStyle(element, '::before');
      return [backgroundColor, ...(/(?<=, )[a-z]+\([^()]*\)(?=\)$)/.exec(borderImageSource) ?? [])];
    };
    const ratioOf = (element: Element, color: string): number => {
      const behind: string[] = [];
      for (let at: Element | null = element; at; at = at.parentElement)
        behind.unshift(getComputedStyle(at).backgroundColor, ...inkOf(at));
      const page = getComputedStyle(document.documentElement).colorScheme === 'dark' ? 'black' : 'white';
      const [back, front] = [paint([page, ...behind]), paint([color])];
      return (Math.max(back, front) + 0.05) / (Math.min(back, front) + 0.05);
    };
    const lines = 'footer, .badge, .actions > *';
    for (const line of root?.querySelectorAll<HTMLElement>(lines) ?? []) {
      const { borderTopColor } = getComputedStyle(line);
      // The button of a list has none.
      if (borderTopColor === 'rgba(0, 0, 0, 0)') continue;
      // A filled button is identified by its edge or by its fill.
      const ratio =
        line.tagName === 'A' && line.parentElement
          ? Math.max(
              ratioOf(line.parentElement, borderTopColor),
              ratioOf(line.parentElement, getComputedStyle(line).backgroundColor),
            )
          : ratioOf(line, borderTopColor);
      if (ratio < 1.1) low.push(`${ratio.toFixed(2)} line of ${line.className || line.tagName}`);
    }
    for (const element of root?.querySelectorAll<HTMLElement>('*') ?? []) {
      const words = [...element.childNodes].filter(
        (node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim(),
      );
      if (!words.length || !element.checkVisibility({ visibilityProperty: true })) continue;
      const ratio = ratioOf(element, getComputedStyle(element).color);
      if (ratio < 4.5) low.push(`${ratio.toFixed(2)} ${element.textContent}`);
    }
    return low;
  });
}

/** How opaque the background of an element is, from 0 to 1. */
function alphaOf(element: Element): number {
  const context = document.createElement('canvas').getContext('2d');
  if (!context) throw new Error('there is no canvas');
  context.fillStyle = getComputedStyle(element).backgroundColor;
  context.fillRect(0, 0, 1, 1);
  return (context.getImageData(0, 0, 1, 1).data[3] ?? 0) / 255;
}

/** Every element whose content is wider than itself, where nothing scrolls. */
function overflowing(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const root = (document.querySelector('offer-let-layer') ?? document.querySelector('#offers > *'))?.shadowRoot;
    return [...(root?.querySelectorAll<HTMLElement>('*') ?? [])]
      .filter(
        (element) =>
          element.clientWidth &&
          element.scrollWidth > element.clientWidth + 1 &&
          getComputedStyle(element).overflowX !== 'hidden',
      )
      .map((element) => `${element.className} ${element.scrollWidth} > ${element.clientWidth}`);
  });
}
