// Pages with a card in their HTML, and what tests observe on them.
import type { Page } from '@playwright/test';
import type * as Html from '../../../src/html.ts';
import { offersOf, type Fixture } from './pageFixture.ts';
import type { block } from './pageShop.ts';

// The built one: Playwright does not load style sheets.
const html = (await import(new URL('../../../dist/html.js', import.meta.url).href)) as typeof Html;

/** What `style-src` has to allow. */
export const { styleHash } = html.renderOffers(undefined);

/** Returns the card of a block, as a server writes it into the page. */
export function cardOf(json: ReturnType<typeof block>, options: Html.RenderOptions = {}): string {
  return html.renderOffers(json as unknown as Html.PrefetchedOffers, options).html;
}

export const POLICY = [
  `default-src 'none'; script-src 'self'; connect-src 'self'; img-src https: data:; style-src ${styleHash}`,
  "require-trusted-types-for 'script'; trusted-types 'none'",
].join('; ');

export interface ShopOptions {
  readonly policy?: string;
  readonly lang?: string;
  readonly head?: string;
}

/** A page with a card in its place, under a policy that allows nothing but what the guide says. */
export function shopWith(
  fixture: Fixture,
  card: string,
  rest: string,
  { policy = POLICY, lang = 'en', head = '' }: ShopOptions = {},
): string {
  const page = `<!doctype html><html lang="${lang}"${lang === 'ar' ? ' dir="rtl"' : ''}><head><title>Thank you</title>
    <link rel="icon" href="data:,">${head}</head><body><h1>Thank you</h1><div id="offers">${card}</div>${rest}<p>Below</p></body></html>`;
  return fixture.page('/thanks', page, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
  });
}

/** Holds a file back until the returned function is called, by default the script. */
export async function hold(page: Page, file = '**/offerlet.js'): Promise<() => void> {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route(file, async (route) => {
    await held;
    await route.continue();
  });
  return release;
}

/** Records violations, layout shifts, and in every frame the headings that are seen in the place. */
export async function observe(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const seen = { violations: [] as string[], shift: 0, frames: [] as string[] };
    Object.assign(window, { seen });
    addEventListener('securitypolicyviolation', ({ violatedDirective }) => seen.violations.push(violatedDirective));
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) seen.shift += (entry as unknown as { value: number }).value;
    }).observe({ type: 'layout-shift', buffered: true });
    const look = (): void => {
      const all = [...document.querySelectorAll('#offers *')].flatMap(({ shadowRoot }) =>
        [...(shadowRoot?.querySelectorAll('[part=heading]') ?? [])].filter((heading) => heading.checkVisibility()),
      );
      const now = all.map(({ textContent }) => textContent).join(' + ');
      if (now !== seen.frames.at(-1)) seen.frames.push(now);
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
}

/** The script may be held back, which `load` would await. */
export const COMMITTED = { waitUntil: 'commit' } as const;
export const accept = (page: Page) => page.locator('[part~=accept]');
export const outcomeOf = (page: Page) => page.evaluate('window.offerlet?.explain?.()[0]?.outcome?.code');
export const SHADOW = "document.querySelector('#offers > div').shadowRoot";

/** Returns by how much of 255 any colour of any pixel differs. */
export function largestDifference(page: Page, pictures: readonly Buffer[]): Promise<number> {
  return page.evaluate(
    async (urls) => {
      const [one, other] = await Promise.all(
        urls.map(async (src) => {
          const image = Object.assign(new Image(), { src });
          await image.decode();
          const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
          context?.drawImage(image, 0, 0);
          return context?.getImageData(0, 0, image.width, image.height).data;
        }),
      );
      return one?.length === other?.length
        ? (one?.reduce((most, value, at) => Math.max(most, Math.abs(value - (other?.[at] ?? 0))), 0) ?? 255)
        : 255;
    },
    pictures.map((picture) => `data:image/png;base64,${picture.toString('base64')}`),
  );
}

export const LONG = 'A long sentence about tea that nobody would print on a card, but somebody always does. '.repeat(4);

export function responseWith(
  change: (offer: Record<string, unknown>, advertiser: Record<string, unknown>) => void,
  count = 2,
) {
  const response = offersOf(count) as { recommendations: Record<string, { offer: never; advertiser: never }> };
  for (const { offer, advertiser } of Object.values(response.recommendations)) change(offer, advertiser);
  return response as Record<string, unknown>;
}
