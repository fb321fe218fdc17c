import type { ConsentOption, ConsentSource } from '../session/consent.ts';
import { reasonText } from '../wire/errors.ts';

/** The platforms that an attribute may name. `consent/byName.ts` has a source for each. */
export const PLATFORMS = 'complianz, cookiebot, cookieyes, didomi, google, gpp, onetrust, tcf, usercentrics, wpconsent';

/** Loads the sources, which most pages do without. */
export type LoadSources = () => Promise<{ sourceByName(text: string): ConsentSource }>;

/**
 * Returns what the attribute `consent` passes: for the name of a platform, such as `onetrust:C0004`, a source that loads the
 * platform's when it is called. Until then, and if it cannot be had, there is no decision.
 */
export function readConsent(given: string | null, load: LoadSources): ConsentOption {
  const text = given?.trim() ?? '';
  const [name = ''] = text.toLowerCase().split(':');
  // Any other text is checked with the options.
  if (!PLATFORMS.split(', ').includes(name)) return text as ConsentOption;
  const source: ConsentSource = (decide) => {
    let isOver = false;
    let stop: (() => void) | void;
    load()
      .then(({ sourceByName }) => {
        if (!isOver) stop = sourceByName(text)(decide);
      })
      .catch((error: unknown) => {
        // oxlint-disable-next-line no-console -- nothing else says that the page will wait for ever
        console.warn(`offerlet: ${reasonText(error)}`);
      });
    return () => {
      isOver = true;
      stop?.();
    };
  };
  return Object.assign(source, { source: text });
}
