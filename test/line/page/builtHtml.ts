import type * as Html from '../../../src/html.ts';
import type { block } from './pageShop.ts';

// The built one: Playwright does not load style sheets.
const html = (await import(new URL('../../../dist/html.js', import.meta.url).href)) as typeof Html;

/** What `style-src` has to allow. */
export const { styleHash } = html.renderOffers(undefined);

/** Returns the card of a block, as a server writes it into the page. */
export function cardOf(json: ReturnType<typeof block>, options: Html.RenderOptions = {}): string {
  return html.renderOffers(json as unknown as Html.PrefetchedOffers, options).html;
}
