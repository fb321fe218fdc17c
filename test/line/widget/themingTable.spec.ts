import { expect, test, type Locator } from '@playwright/test';
import { codeIn, pageAt, sectionOf, tableIn } from '../../docs/pages.ts';
import { list, placed } from '../../widget/offers.ts';
import { mount, openShop } from './widgetPage.ts';

// What the table of custom properties says of a page that sets none, beside what the browser computes.

const rows = tableIn(sectionOf(pageAt('docs/reference/page.md'), 'Theming'), 'property');
const MODES = ['OVERLAY', 'FULLSCREEN', 'PULLUP', 'INLINE'] as const;

type Rgb = readonly [red: number, green: number, blue: number];
const WHITE: Rgb = [255, 255, 255];

for (const scheme of ['light', 'dark'] as const)
  test(`the defaults of the theming table are what a ${scheme} page gets`, async ({ page }) => {
    await openShop(page, { html: `style="color-scheme:${scheme}"` });
    await mount(page);
    const { surface, text, line, radius, buttonRadius, font } = await looksOf(page.locator('[part=card]'));

    const [dark = ''] = codeIn(defaultOf('surface'));
    // Engines round differently.
    for (const [at, value] of (scheme === 'light' ? WHITE : fromHex(dark)).entries())
      expect(Math.abs(value - (surface[at] ?? 0))).toBeLessThanOrEqual(1);
    const share = Number(/\d+/.exec(defaultOf('line'))?.[0]) / 100;
    for (const [at, value] of line.entries())
      expect(Math.abs(value - ((text[at] ?? 0) * share + (surface[at] ?? 0) * (1 - share)))).toBeLessThan(1.5);
    expect([radius, buttonRadius, font].map((one) => [one])).toEqual(
      ['radius', 'button-radius', 'font'].map((name) => codeIn(defaultOf(name))),
    );
  });

test('the widths and shadows of the theming table are those of each mode', async ({ page }) => {
  await page.setViewportSize({ width: 1_400, height: 900 });
  const [withShadow = ''] = defaultOf('shadow').split(';');
  for (const mode of MODES) {
    await openShop(page);
    // An offer by itself fills a window, whatever its width.
    if (mode === 'FULLSCREEN') await mount(page, { mode, groups: [list(placed(0))] });
    else await mount(page, { mode });
    const { maxWidth, shadow } = await looksOf(page.locator('[part=card]'));
    expect(defaultOf('width'), mode).toMatch(
      new RegExp(`\`${maxWidth}\` (a list in )?\`${mode}\`|\`${mode}\` \`${maxWidth}\``),
    );
    expect(shadow.split('rgb').length - 1, mode).toBe(codeIn(withShadow).includes(mode) ? 1 : 0);
  }
});

interface Looks {
  readonly surface: Rgb;
  readonly text: Rgb;
  readonly line: Rgb;
  readonly radius: string;
  readonly buttonRadius: string;
  readonly font: string;
  /** Of the card, or of its content where that is all of the window. */
  readonly maxWidth: string;
  readonly shadow: string;
}

/** Reads all at once, colours as the pixels that they become. */
function looksOf(card: Locator): Promise<Looks> {
  return card.evaluate((card) => {
    const root = card.getRootNode() as ShadowRoot;
    const context = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
    const styleOf = (selector: string): CSSStyleDeclaration => {
      const element = root.querySelector(selector);
      if (!element) throw new Error(`There is no ${selector}.`);
      return getComputedStyle(element);
    };
    const pixel = (colour: string): Rgb => {
      if (!context) throw new Error('There is no canvas.');
      context.fillStyle = colour;
      context.fillRect(0, 0, 1, 1);
      const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
      return [red, green, blue];
    };
    const own = getComputedStyle(card);
    return {
      surface: pixel(own.backgroundColor),
      text: pixel(styleOf('[part=heading]').color),
      line: pixel(own.borderTopColor),
      radius: own.borderTopLeftRadius,
      buttonRadius: styleOf('[part=accept]').borderTopLeftRadius,
      font: own.fontFamily,
      maxWidth:
        own.maxWidth === 'none'
          ? `${card.clientWidth - Number.parseFloat(own.paddingLeft) - Number.parseFloat(own.paddingRight)}px`
          : own.maxWidth,
      shadow: own.boxShadow === 'none' ? '' : own.boxShadow,
    };
  });
}

function defaultOf(name: string): string {
  return rows.find(([cell]) => cell === `\`--offerlet-${name}\``)?.[1] ?? '';
}

function fromHex(hex: string): Rgb {
  const [red = 0, green = 0, blue = 0] = (hex.match(/[\da-f]{2}/g) ?? []).map((pair) => Number.parseInt(pair, 16));
  return [red, green, blue];
}
