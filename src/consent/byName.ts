import type { ConsentSource } from '../session/consent.ts';
import { googleConsentMode } from './googleConsentMode.ts';
import { gpp, tcf } from './iab.ts';
import { complianz, cookiebot, cookieYes, didomi, oneTrust, usercentrics, wpConsent } from './platforms.ts';

// The file offerlet-consent.js, which the script loads from beside itself when its tag or an element names a platform.

/** What follows the name: `C0004`, and options such as `vendor=755`. */
interface Named {
  readonly value: string;
  /** Takes an option out, so that those that are left are unknown. */
  take(option: string): string | undefined;
}

/** By the names that an attribute has for them. `example`: what is right, for messages. */
const SOURCES: Readonly<Record<string, { readonly example: string; create(named: Named): ConsentSource | undefined }>> =
  {
    complianz: { example: 'complianz:marketing', create: ({ value }) => complianz(value) },
    cookiebot: { example: 'cookiebot:marketing', create: ({ value }) => cookiebot(value) },
    cookieyes: { example: 'cookieyes:advertisement', create: ({ value }) => cookieYes(value) },
    didomi: { example: 'didomi:cookies', create: ({ value }) => didomi(value) },
    google: {
      example: 'google:ad_storage',
      create: ({ value, take }) => googleConsentMode(value, { dataLayer: take('dataLayer') }),
    },
    gpp: { example: 'gpp', create: ({ value }) => (value ? undefined : gpp()) },
    onetrust: { example: 'onetrust:C0004', create: ({ value }) => oneTrust(value) },
    tcf: {
      example: 'tcf:1,3,4;vendor=755',
      create({ value, take }) {
        const [purposes, legitimateInterests, vendors] = [value, take('legitimateInterests'), take('vendor')].map(
          numbers,
        );
        if (!purposes || !legitimateInterests || !vendors || vendors.length > 1) return undefined;
        return tcf({ purposes, legitimateInterests, vendor: vendors[0] });
      },
    },
    usercentrics: { example: 'usercentrics:marketing', create: ({ value }) => usercentrics(value) },
    wpconsent: { example: 'wpconsent:marketing', create: ({ value }) => wpConsent(value) },
  };

/**
 * Returns the source that a text names, such as `onetrust:C0004` or `tcf:1,3,4;vendor=755`. Throws an error that says what
 * would be right: an option that is misspelled must not be taken for consent.
 */
export function sourceByName(text: string): ConsentSource {
  const [, name = '', rest = ''] = /^([^:]*):?(.*)$/s.exec(text.trim()) ?? [];
  const found = Object.hasOwn(SOURCES, name.toLowerCase()) ? SOURCES[name.toLowerCase()] : undefined;
  if (!found) {
    const examples = Object.values(SOURCES).map(({ example }) => example);
    throw new Error(`"${name}" is not a source of consent. Use one of ${examples.join(' · ')}.`);
  }
  const [value = '', ...settings] = rest.split(';').map((part) => part.trim());
  const options = new Map(settings.map((setting) => [setting.split('=')[0], setting.replace(/^[^=]*=?/, '')]));
  const take = (option: string): string | undefined => {
    const given = options.get(option);
    options.delete(option);
    return given;
  };
  const isTwice = options.size < settings.length;
  const source = value || found.example === name ? found.create({ value, take }) : undefined;
  if (!source || isTwice || options.size > 0)
    throw new Error(`The source of consent "${text}" cannot be read. Write it like ${found.example}.`);
  return source;
}

/** The whole numbers above 0 of a list; undefined if there is anything else in it. */
function numbers(list: string | undefined): number[] | undefined {
  const all = list === undefined ? [] : list.split(',').map(Number);
  return all.every((each) => Number.isInteger(each) && each > 0) ? all : undefined;
}
