import { DISPLAY_MODES, VIEWS } from '../../wire/offers/request.ts';
import type { RouteFault } from '../../wire/scenarios/forcing.ts';
import { SCENARIOS } from '../../wire/scenarios/scenarios.ts';

/** One thing that can be forced: in the Force panel, and by `offerlet-NAME=VALUE` in the page's URL. */
export interface ForceOption {
  readonly name: string;
  readonly label: string;
  readonly group: 'Page' | 'Offers' | 'Failures' | 'Shopper';
  /** The values to choose from; an empty list makes it a text field. */
  readonly values: readonly string[];
  /** Other values that are accepted. */
  readonly pattern?: RegExp;
  /** The placeholder of the text field. */
  readonly hint?: string;
}

/** What is forced now: values by option name. */
export type Forced = Readonly<Record<string, string>>;

const failing = (route: RouteFault['route']): string[] =>
  SCENARIOS.filter(({ faults = [] }) => faults.some((fault) => fault.route === route)).map(({ name }) => name);

/** Everything that can be forced by itself, in the order of the panel. */
export const FORCE_OPTIONS: readonly ForceOption[] = [
  { name: 'mode', label: 'Mode', group: 'Page', values: DISPLAY_MODES },
  { name: 'view', label: 'View', group: 'Page', values: VIEWS },
  { name: 'theme', label: 'Theme', group: 'Page', values: ['auto', 'light', 'dark'] },
  {
    name: 'locale',
    label: 'Locale',
    group: 'Page',
    values: ['en', 'de', 'fr', 'es', 'ar'],
    pattern: /^[a-z]{2,3}(-\w{2,8})*$/i,
  },
  { name: 'dir', label: 'Direction', group: 'Page', values: ['ltr', 'rtl'] },
  { name: 'offers', label: 'Offers at most', group: 'Offers', values: ['0', '1', '2', '3'], pattern: /^\d{1,2}$/ },
  { name: 'copy', label: 'Copy', group: 'Offers', values: ['long'] },
  { name: 'parts', label: 'Parts', group: 'Offers', values: ['missing'] },
  { name: 'promo', label: 'Promo', group: 'Offers', values: ['code'] },
  { name: 'ask', label: 'Request', group: 'Failures', values: failing('/recommendations') },
  { name: 'send', label: 'Events', group: 'Failures', values: failing('/events/batch') },
  {
    name: 'fail',
    label: '207 on events',
    group: 'Failures',
    values: [],
    pattern: /^\d{1,2}(,\d{1,2})*$/,
    hint: '2 or 1,3',
  },
  { name: 'consent', label: 'Consent', group: 'Shopper', values: ['pending', 'denied'] },
  { name: 'storage', label: 'IndexedDB', group: 'Shopper', values: ['refused'] },
];

const SCENARIO: ForceOption = {
  name: 'scenario',
  label: 'Scenario',
  group: 'Page',
  values: SCENARIOS.map(({ name }) => name),
};

/** The start of the URL parameters that force something. */
const PREFIX = 'offerlet-';

/** Reads what a URL's query forces, and its parameters that are not known. Returns undefined when there are neither. */
export function readForcedUrl(search: string): { forced: Forced; unknown: string[] } | undefined {
  const forced: Record<string, string> = {};
  const unknown: string[] = [];
  for (const [key, text] of new URLSearchParams(search)) {
    if (!key.startsWith(PREFIX)) continue;
    const name = key.slice(PREFIX.length);
    const option = [SCENARIO, ...FORCE_OPTIONS].find((known) => known.name === name);
    const value = option && readValue(option, text);
    if (value === undefined) unknown.push(`${key}=${text}`.slice(0, 60));
    else forced[name] = value;
  }
  return Object.keys(forced).length + unknown.length > 0 ? { forced, unknown } : undefined;
}

/** Returns the value as it is listed, or undefined when the option does not accept it. */
export function readValue({ values, pattern }: ForceOption, text: string): string | undefined {
  const value = text.trim();
  return (
    values.find((known) => known.toLowerCase() === value.toLowerCase()) ?? (pattern?.test(value) ? value : undefined)
  );
}

/** Returns the query that forces the same. */
export function queryOf(forced: Forced): string {
  const parameters = Object.entries(forced).map(([name, value]) => `&${PREFIX}${name}=${encodeURIComponent(value)}`);
  return `?offerlet=inspect${parameters.join('')}`;
}

/** Returns a URL without the parameters that force something. */
export function withoutForcing(href: string): string {
  const url = new URL(href);
  const names = [...url.searchParams.keys()].filter((name) => name.startsWith(PREFIX));
  for (const name of names) url.searchParams.delete(name);
  return url.href;
}

/** Lists what is forced in one line. */
export function describeForced(forced: Forced): string {
  return Object.entries(forced)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');
}
