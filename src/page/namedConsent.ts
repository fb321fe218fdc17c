import type { ConsentOption, ConsentSource } from '../session/consent.ts';
import { warn } from '../session/openTrace.ts';
import { reasonText } from '../wire/errors.ts';

/** What the attribute may say, for messages: at the end, the platforms for which `consent/byName.ts` has a source. */
export const consentTexts =
  'required, granted, denied or a source, such as onetrust:C0004, of complianz, cookiebot, cookieyes, didomi, google, gpp, onetrust, tcf, usercentrics, wpconsent';

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
  if (!name || !consentTexts.split(/.* of |, /).includes(name)) return text as ConsentOption;
  const source: ConsentSource = (decide) => {
    const started = load()
      .then(({ sourceByName }) => sourceByName(text)(decide))
      .catch((error: unknown) => {
        source.hint = error instanceof Error ? error.message : reasonText(error);
        // In production, nothing else says that the page will wait for ever.
        warn(source.hint);
      });
    return () => void started.then((stop) => stop?.());
  };
  return Object.assign(source, { source: text });
}
