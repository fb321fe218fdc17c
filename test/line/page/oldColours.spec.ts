import { expect, test, type Locator } from '@playwright/test';
import { useFixture } from './pageFixture.ts';
import { scriptTag, shop } from './pageShop.ts';

const fixture = useFixture();

/** The contrast of an element's text with the nearest background behind it, which must be opaque. */
function contrastOf(element: Locator): Promise<number> {
  return element.evaluate((node) => {
    const parse = (color: string): number[] => color.match(/[\d.]+/g)?.map(Number) ?? [];
    const luminance = (color: string): number => {
      const [r = 0, g = 0, b = 0] = parse(color).map((value) => {
        const part = value / 255;
        return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    let behind: Element | null = node;
    while (behind && (parse(getComputedStyle(behind).backgroundColor)[3] ?? 1) < 1)
      behind = behind.assignedSlot ?? behind.parentElement;
    if (!behind) return 0;
    const [lower = 0, higher = 0] = [getComputedStyle(node).color, getComputedStyle(behind).backgroundColor]
      .map(luminance)
      .toSorted((a, b) => a - b);
    return (higher + 0.05) / (lower + 0.05);
  });
}

// A browser of before Chrome 123, Safari 17.5 and Firefox 128, as far as its colours go.
for (const mode of ['INLINE', 'OVERLAY'])
  for (const scheme of ['light', 'dark'] as const)
    test(`in a browser that cannot compute colours, ${mode} offers are readable on a ${scheme} page`, async ({
      page,
    }) => {
      await page.emulateMedia({ colorScheme: scheme });
      await page.route('**/offerlet.js', async (route) => {
        const response = await route.fetch();
        const text = await response.text();
        const body = text.replace(/light-dark\(/g, 'unknown(').replace(/\(from /g, '(unknown from ');
        expect(body).not.toBe(text);
        await route.fulfill({ response, body });
      });
      const head = '<head><meta name="color-scheme" content="light dark">';
      await page.goto(fixture.page('/shop', shop(scriptTag({ 'display-mode': mode })).replace('<head>', head)));
      await expect(page.locator('[part~=accept]').first()).toBeVisible();
      await page.waitForTimeout(500);
      for (const part of ['heading', 'subheading', 'advertiser', 'accept', 'decline'])
        expect(await contrastOf(page.locator(`[part~=${part}]`).first()), part).toBeGreaterThanOrEqual(4.5);
    });
