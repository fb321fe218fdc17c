import { DISPLAY_MODES, VIEWS } from '../wire/offers/request.ts';
import {
  type Forcing,
  type OfferChanges,
  type PageForcing,
  type RouteFault,
  SCENARIOS,
  findScenario,
} from '../wire/scenarios/scenarios.ts';
import { oneOf } from '../wire/json.ts';
import { dom } from '../dom/dom.ts';
import type { QUEUE_PREFIX as QueuePrefix } from '../queue/rows.ts';
import type { ShowOptions } from '../page/showOptions.ts';

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
export function forcedQuery(forced: Forced): string {
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

/** Returns what the forced values mean together. Single values take precedence over the scenario. */
export function readForcing(forced: Forced): Forcing {
  const scenarios = ['scenario', 'ask', 'send'].flatMap((name) => findScenario(forced[name]) ?? []);
  const faults = scenarios.flatMap((scenario) => scenario.faults ?? []);
  if (forced['fail']) {
    const fail_indexes = forced['fail'].split(',').map((position) => Number(position) - 1);
    faults.unshift({ route: '/events/batch', fail_indexes, times: 1 });
  }
  const scenario = findScenario(forced['scenario']);
  return {
    response: changesOf(forced, scenario?.response),
    faults,
    page: pageForcingOf(forced, scenario?.page),
  };
}

function changesOf(forced: Forced, scenario: OfferChanges | undefined): OfferChanges | undefined {
  const changes = {
    ...scenario,
    ...(forced['offers'] && { offers: Number(forced['offers']) }),
    ...(forced['copy'] && { copy: 'long' as const }),
    ...(forced['parts'] && { parts: 'missing' as const }),
    ...(forced['promo'] && { promo: 'code' as const }),
  };
  return Object.keys(changes).length > 0 ? changes : undefined;
}

function pageForcingOf(forced: Forced, scenario: PageForcing = {}): PageForcing {
  return {
    ...scenario,
    mode: oneOf(DISPLAY_MODES, forced['mode']) ?? scenario.mode,
    view: oneOf(VIEWS, forced['view']) ?? scenario.view,
    theme: oneOf(['auto', 'light', 'dark'], forced['theme']) ?? scenario.theme,
    locale: forced['locale'] ?? scenario.locale,
    dir: oneOf(['ltr', 'rtl'], forced['dir']) ?? scenario.dir,
    consent: oneOf(['pending', 'denied'], forced['consent']) ?? scenario.consent,
    storage: oneOf(['refused'], forced['storage']) ?? scenario.storage,
  };
}

/** The start of the name of every queue's database. The type keeps it equal to the queue's own constant. */
const QUEUE_PREFIX: typeof QueuePrefix = 'offerlet-queue';

/** Prepares the page for forcing. Returns a function that forces what is not an option of a mount; nothing restores the page. */
export function openPageForcing(): (page: PageForcing) => void {
  const html = dom.documentElement;
  let isRefusing = false;
  /** The page's own `dir` while another one is forced; null when it has none. */
  let ownDir: string | null | undefined;

  if (typeof IDBFactory === 'function') {
    const { open } = IDBFactory.prototype;
    IDBFactory.prototype.open = function (...given): IDBOpenDBRequest {
      if (isRefusing && given[0].startsWith(QUEUE_PREFIX))
        throw new DOMException('The inspector refuses IndexedDB.', 'SecurityError');
      return open.apply(this, given);
    };
  }

  return ({ storage, dir }) => {
    isRefusing = storage === 'refused';
    if (dir) {
      if (ownDir === undefined) ownDir = html.getAttribute('dir');
      html.setAttribute('dir', dir);
    } else if (ownDir !== undefined) {
      if (ownDir === null) html.removeAttribute('dir');
      else html.setAttribute('dir', ownDir);
      ownDir = undefined;
    }
  };
}

/** Returns a mount's options with what is forced. Everything else is as the page wrote it. */
export function forcedOptions(own: ShowOptions, page: PageForcing): ShowOptions {
  const { view, mode, theme, locale } = page;
  const placement_details = {
    ...own.request?.placement_details,
    ...(view && { view }),
    ...(mode && { display_mode: mode }),
  };
  return {
    ...own,
    relay: page.relay ? '' : own.relay,
    request: { ...own.request, placement_details },
    theme: theme ?? own.theme,
    locale: locale ?? own.locale,
    target: own.target ?? (mode === 'INLINE' ? findTarget() : undefined),
    // An option that is absent stays absent: it means the default.
    ...(('consent' in own || page.consent) && { consent: forcedConsent(own.consent, page.consent) }),
  };
}

function forcedConsent(own: ShowOptions['consent'], forced: PageForcing['consent']): ShowOptions['consent'] {
  if (forced === 'pending') return 'required';
  if (forced === 'denied') return false;
  return own;
}

/** Returns a target for INLINE offers on a page that has none: at the end of its main part. */
function findTarget(): Element {
  const known = dom.querySelector('[data-offerlet-inspector-place]');
  if (known) return known;
  const target = dom.createElement('div');
  target.setAttribute('data-offerlet-inspector-place', '');
  return (dom.querySelector('main') ?? dom.body).appendChild(target);
}
