import type { RouteFault, Forcing, PageForcing } from '../wire/scenarios/forcing.ts';
import { oneOf } from '../wire/oneOf.ts';
import { DISPLAY_MODES, VIEWS } from '../wire/offers/request.ts';
import { findScenario, SCENARIOS } from '../wire/scenarios/scenarios.ts';

/** One thing that can be forced: by the Force panel, and by `offerlet-NAME=WORD` in the address. */
export interface Force {
  readonly name: string;
  readonly label: string;
  readonly group: 'Page' | 'Offers' | 'Failures' | 'Shopper';
  /** What can be chosen; an empty list is a field to write into. */
  readonly words: readonly string[];
  /** What else is understood, in the address or in the field. */
  readonly pattern?: RegExp;
  readonly hint?: string;
}

/** What is forced now, word by word. */
export type Forced = Readonly<Record<string, string>>;

const striking = (route: RouteFault['route']): string[] =>
  SCENARIOS.filter(({ faults = [] }) => faults.some((fault) => fault.route === route)).map(({ name }) => name);

/** Everything that can be forced, one thing at a time. */
export const FORCES: readonly Force[] = [
  { name: 'mode', label: 'Mode', group: 'Page', words: DISPLAY_MODES },
  { name: 'view', label: 'View', group: 'Page', words: VIEWS },
  { name: 'theme', label: 'Theme', group: 'Page', words: ['auto', 'light', 'dark'] },
  {
    name: 'locale',
    label: 'Locale',
    group: 'Page',
    words: ['en', 'de', 'fr', 'es', 'ar'],
    pattern: /^[a-z]{2,3}(-\w{2,8})*$/i,
  },
  { name: 'dir', label: 'Direction', group: 'Page', words: ['ltr', 'rtl'] },
  { name: 'offers', label: 'Offers at most', group: 'Offers', words: ['0', '1', '2', '3'], pattern: /^\d{1,2}$/ },
  { name: 'copy', label: 'Copy', group: 'Offers', words: ['long'] },
  { name: 'parts', label: 'Parts', group: 'Offers', words: ['missing'] },
  { name: 'promo', label: 'Promo', group: 'Offers', words: ['code'] },
  { name: 'ask', label: 'Question', group: 'Failures', words: striking('/recommendations') },
  { name: 'send', label: 'Events', group: 'Failures', words: striking('/events/batch') },
  {
    name: 'fail',
    label: '207 on events',
    group: 'Failures',
    words: [],
    pattern: /^\d{1,2}(,\d{1,2})*$/,
    hint: '2 or 1,3',
  },
  { name: 'consent', label: 'Consent', group: 'Shopper', words: ['pending', 'denied'] },
  { name: 'storage', label: 'IndexedDB', group: 'Shopper', words: ['refused'] },
];

const SCENARIO: Force = {
  name: 'scenario',
  label: 'Scenario',
  group: 'Page',
  words: SCENARIOS.map(({ name }) => name),
};

/** What an address forces, and the names of what in it is not understood; nothing when it forces nothing. */
export function readAddress(search: string): { forced: Forced; unknown: string[] } | undefined {
  const forced: Record<string, string> = {};
  const unknown: string[] = [];
  for (const [key, value] of new URLSearchParams(search)) {
    if (!key.startsWith('offerlet-')) continue;
    const name = key.slice('offerlet-'.length);
    const force = [SCENARIO, ...FORCES].find((known) => known.name === name);
    const word = force && readWord(force, value);
    if (word === undefined) unknown.push(`${key}=${value}`.slice(0, 60));
    else forced[name] = word;
  }
  return Object.keys(forced).length + unknown.length > 0 ? { forced, unknown } : undefined;
}

/** The word as it is listed, or `undefined` when it cannot be forced. */
export function readWord({ words, pattern }: Force, value: string): string | undefined {
  const text = value.trim();
  return words.find((word) => word.toLowerCase() === text.toLowerCase()) ?? (pattern?.test(text) ? text : undefined);
}

/** The address without what it forces. */
export function withoutForce(href: string): string {
  const url = new URL(href);
  const names = [...url.searchParams.keys()].filter((name) => name.startsWith('offerlet-'));
  for (const name of names) url.searchParams.delete(name);
  return url.href;
}

/** What the words come to, the scenario's part first. */
export function forcingOf(forced: Forced): Forcing {
  const named = ['scenario', 'ask', 'send'].flatMap((name) => findScenario(forced[name]) ?? []);
  const faults = named.flatMap((scenario) => scenario.faults ?? []);
  if (forced['fail']) {
    const fail_indexes = forced['fail'].split(',').map((position) => Number(position) - 1);
    faults.unshift({ route: '/events/batch', fail_indexes, times: 1 });
  }
  const page: { -readonly [Name in keyof PageForcing]: PageForcing[Name] } = { ...named[0]?.page };
  page.mode = oneOf(DISPLAY_MODES, forced['mode']) ?? page.mode;
  page.view = oneOf(VIEWS, forced['view']) ?? page.view;
  page.theme = oneOf(['auto', 'light', 'dark'], forced['theme']) ?? page.theme;
  page.locale = forced['locale'] ?? page.locale;
  page.dir = oneOf(['ltr', 'rtl'], forced['dir']) ?? page.dir;
  page.consent = oneOf(['pending', 'denied'], forced['consent']) ?? page.consent;
  page.storage = oneOf(['refused'], forced['storage']) ?? page.storage;
  const { response } = named[0] ?? {};
  const reshape = {
    ...response,
    ...(forced['offers'] && { offers: Number(forced['offers']) }),
    ...(forced['copy'] && { copy: 'long' as const }),
    ...(forced['parts'] && { parts: 'missing' as const }),
    ...(forced['promo'] && { promo: 'code' as const }),
  };
  return { response: Object.keys(reshape).length > 0 ? reshape : undefined, faults, page };
}
