import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * Returns what axe finds in a page, one line for each rule. It checks frames of the same site only. That saves an
 * empty page, with a second copy of axe in it, for each check.
 */
export async function violationsOf(
  page: Page,
  { within, without = [] }: { within?: string; without?: readonly string[] } = {},
): Promise<string[]> {
  const axe = new AxeBuilder({ page })
    .options({ resultTypes: ['violations'] })
    .withTags(TAGS)
    .disableRules([...without])
    .setLegacyMode();
  if (within !== undefined) axe.include(within);
  const { violations } = await axe.analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}

/** Returns the buttons that paint nothing: a button whose icon is hidden keeps its name, which is all that axe reads. */
export async function blankButtons(page: Page, within = 'body'): Promise<string[]> {
  // Rows have the same buttons, and WCAG asks no contrast of disabled ones.
  const buttons = page.locator(within).locator('button:visible:not(tr + tr button, [aria-disabled=true])');
  const blank: string[] = [];
  for (let from = 0; from < (await buttons.count());) {
    const shown = await buttons.evaluateAll(inView, from);
    const png = (await page.screenshot({ animations: 'disabled' })).toString('base64');
    blank.push(...(await page.evaluate(withoutInk, { png, shown })));
    from += Math.max(1, shown.length); // one that cannot be scrolled into view is behind a dialog
  }
  return blank;
}

interface Shown {
  readonly html: string;
  readonly box: readonly [x: number, y: number, width: number, height: number];
}

/** Scrolls to a button. Returns it and those after it, up to the first that is covered or out of view. */
function inView(buttons: Element[], from: number): Shown[] {
  buttons[from]?.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  const shown = buttons.slice(from).map((button, at) => {
    const { x, y, width, height } = button.getBoundingClientRect();
    // What a button paints may stand at its end: of those that it was not scrolled to, all of it must be in view.
    const isOnTop = (at > 0 ? [0.05, 0.5, 0.95] : [0.5]).every((part) =>
      button.contains((button.getRootNode() as Document).elementFromPoint(x + width * part, y + height / 2)),
    );
    const edge = Math.min(width, height) * 0.15;
    const box = [x + edge, y + edge, width - 2 * edge, height - 2 * edge].map(Math.ceil);
    return { html: button.outerHTML, box: box as unknown as Shown['box'], isOnTop };
  });
  const end = shown.findIndex(({ isOnTop }) => !isOnTop);
  return end < 0 ? shown : shown.slice(0, end);
}

/** Returns the buttons with fewer than 8 pixels that differ from the ground by 3:1, which WCAG 1.4.11 asks of icons. */
async function withoutInk({ png, shown }: { png: string; shown: readonly Shown[] }): Promise<string[]> {
  const image = await createImageBitmap(new Blob([Uint8Array.from(atob(png), (byte) => byte.charCodeAt(0))]));
  const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
  if (!canvas) throw new Error('there is no canvas');
  canvas.drawImage(image, 0, 0);
  const light = (byte = 0): number => (byte / 255) ** 2.2;
  return shown.flatMap(({ html, box }) => {
    const { data } = canvas.getImageData(...box);
    const lights = Array.from({ length: data.length / 4 }, (_, pixel) => {
      const [red, green, blue] = data.slice(4 * pixel, 4 * pixel + 3);
      return 0.05 + 0.2126 * light(red) + 0.7152 * light(green) + 0.0722 * light(blue);
    });
    const ground = lights.toSorted((a, b) => a - b)[lights.length >> 1] ?? 0;
    const ink = lights.filter((one) => Math.max(one, ground) / Math.min(one, ground) >= 3);
    return ink.length < 8 ? [`paints nothing: ${html}`] : [];
  });
}
