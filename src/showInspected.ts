import type { Offers, ShowOptions } from './page/showOptions.ts';
import { showOffers as show, type MountContext } from './page/showOffers.ts';

/** Asks the merchant's relay for offers and shows them. It never throws: `outcome` says what came of it. */
export function showOffers(options: ShowOptions, context?: MountContext): Offers {
  // Bundlers put the inspector into a file of its own, which is loaded in sandbox mode only.
  return show(options, {
    ...context,
    // oxlint-disable-next-line no-restricted-imports -- lazy: it is in nobody's main bundle
    inspect: async (...given) => (await import('./inspector/inspect.tsx')).inspect(...given),
  });
}
