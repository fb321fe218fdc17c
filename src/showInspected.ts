import type { ShowOptions } from './page/options.ts';
import { showOffers as show, type Offers } from './page/showOffers.ts';

/** Asks the merchant's relay for offers and shows them. It never throws: `outcome` says what came of it. */
export function showOffers(options: ShowOptions): Offers {
  // Bundlers make a file of its own of this; it is loaded in sandbox only.
  // oxlint-disable-next-line no-restricted-imports -- lazy: nothing of it is in anybody's bundle
  return show(options, async (...given) => (await import('./inspector/inspect.tsx')).inspect(...given));
}
