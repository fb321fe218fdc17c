import type { RelayAccess } from '../queue/createPost.ts';
import { own, oneOf, toJson } from '../wire/json.ts';
import { looksSecret } from '../wire/keys.ts';
import type { PrefetchedOffers } from '../wire/offers/prefetched.ts';
import {
  DISPLAY_MODES,
  IDENTIFIERS,
  REQUEST_FIELDS,
  VIEWS,
  type CostDetails,
  type DisplayMode,
  type RecommendationRequest,
  type View,
} from '../wire/offers/request.ts';
import { CONSENT_VALUES, isConsentOption, type ConsentOption } from './consent.ts';
import { invalid, outcome, type Failure, type PageEvent } from './openTrace.ts';

// Each attribute is a line of one of the next three interfaces, and of OPTIONS. Types, checks and documents follow.

/** Fields of the request that are attributes. */
export interface RequestAttributes {
  /** Required: the page that the offers are on. */
  view: View;
  /** Required: how offers are shown. */
  display_mode: DisplayMode;
  /** A name for the placement. Reports can group by it. */
  widget_id: string;
  /** Identifies the shopper: SHA-256 of the trimmed, lower-cased email address in hex. */
  email_hash: string;
  /** Identifies the shopper. Hashed in the browser, on https pages and localhost only; only the hash leaves it. */
  email: string;
  /** Identifies the shopper by a phone number. */
  phone: string;
  /** Identifies the shopper by an id of yours. */
  external_guid: string;
  /** The order. With it, the offers of the order are remembered for 24 hours. */
  order_id: number | string;
  /** The total of the order, such as `42.50`. */
  order_amount: number | string;
  /** ISO 4217 code of the total. */
  order_currency: string;
}

/** Options that are attributes as well. */
export interface SharedAttributes {
  /** Required: the URL or path where your relay is mounted. */
  relay: string;
  /** Requests test offers. A production relay ignores it. */
  sandbox?: boolean | undefined;
  /** Maximum number of offers to show. By default all. */
  maxOffers?: number | undefined;
}

/** Options of a page that are attributes as well. */
export interface PageAttributes {
  /** By default `auto`, which follows the page's own `color-scheme`. */
  theme?: 'auto' | 'light' | 'dark' | undefined;
  /** BCP 47 language of the widget's own texts, and of the offers where there are some. By default the page's `lang`. */
  locale?: string | undefined;
}

/** Options that sessions with and without a page have in common. */
export interface OfferOptions extends SharedAttributes, RelayAccess {
  /** The request, in the wire's own shape. A plain `user_details.email` is hashed here and never sent. */
  request: RecommendationRequest;
  /**
   * Nothing is requested or stored before consent is given. Only an option that is absent means the default: given, unless
   * the browser sends Global Privacy Control, which an explicit `true` overrides. `'required'`, `null` and `undefined` wait for
   * `consent(true)`. A source decides as often as it likes, see `offerlet/consent`.
   */
  consent?: ConsentOption;
  /**
   * What the relay's `prefetch` returned as `json`: used instead of a request if view, display mode and order are the same. On
   * a page, the block that it returned as `script` is found by itself.
   */
  prefetched?: PrefetchedOffers | null | undefined;
  /** Destroys the mount or session when it is aborted. */
  signal?: AbortSignal | undefined;
  /** Called with every step. Errors that it throws are ignored. */
  onEvent?: ((event: PageEvent) => void) | undefined;
}

/** What valid options describe: the relay to call, and the request to it. */
export interface Placement {
  /** The relay's URL, without a trailing slash. */
  readonly relay: string;
  readonly view: View;
  readonly mode: DisplayMode;
  /** A copy of the request, without optional values that are not valid. */
  readonly request: RecommendationRequest;
  readonly isSandbox: boolean;
  /** All options. What was left out is undefined. */
  readonly options: OfferOptions & PageAttributes;
  /** What was left out, a sentence each. */
  readonly warnings: readonly string[];
}

const THEMES = ['auto', 'light', 'dark'] as const;

/** An option: where its value is, if an attribute may have it, and what it must be, if it is there. */
type Option = readonly [
  at?: string | undefined,
  isValid?: (value: unknown) => unknown,
  /** What is valid, for messages. */
  expected?: string,
  /** Nothing can be shown with another value. Otherwise that is left out. */
  isRefused?: boolean,
];

/** What is checked, or is an attribute. */
export type OptionName =
  | keyof (RequestAttributes & SharedAttributes & PageAttributes & RelayAccess)
  | 'consent'
  | 'signal';

/** What can be passed, by its name in messages. Attributes have it with hyphens. */
const TABLE: Readonly<Record<OptionName, Option>> = {
  view: ['request.placement_details.view'],
  display_mode: ['request.placement_details.display_mode'],
  widget_id: ['request.placement_details.widget_id'],
  relay: ['relay'],
  theme: ['theme', (value) => oneOf(THEMES, value), THEMES.join(' or ')],
  locale: ['locale', isLocale, 'a language such as de'],
  email_hash: ['request.user_details.email_hash'],
  email: ['request.user_details.email'],
  phone: ['request.user_details.phone'],
  external_guid: ['request.user_details.external_guid'],
  order_id: ['request.order_details.order_id'],
  order_amount: ['request.order_details.cost_details.amount'],
  order_currency: ['request.order_details.cost_details.currency_code'],
  sandbox: ['sandbox'],
  maxOffers: ['maxOffers', (value) => Number.isInteger(value) && Number(value) > 0, 'a whole number above 0'],
  consent: ['consent', isConsentOption, CONSENT_VALUES, true],
  fetch: [undefined, (value) => typeof value === 'function', 'a function like the global fetch', true],
  headers: [undefined, (value) => Object(value) === value, 'headers, or a function that returns them', true],
  signal: [undefined, (one) => (one as AbortSignal | undefined)?.addEventListener, 'the signal of an AbortController'],
};

/** The same, as a list. */
export const OPTIONS: readonly (readonly [name: string, option: Option])[] = /* @__PURE__ */ Object.entries(TABLE);

/** How the author of options has written them, for messages. */
export interface AuthorContext {
  /** The prefix of attributes, if the options were attributes: `data-` of a script tag, nothing of an element. */
  readonly prefix?: 'data-' | '' | undefined;
  /** What the attribute `consent` may say. */
  readonly consentTexts?: string | undefined;
}

/** Where options are checked. */
interface CheckContext extends AuthorContext {
  /** What a path is relative to. */
  readonly base?: string | undefined;
}

/**
 * Returns a copy of the options, each of them read once. If one of them cannot be read, it is empty, with the error. Consent
 * may be inherited or hidden: its absence would mean the default.
 */
export function copyOptions<T extends object>(options: T): { readonly options: T; readonly error?: Failure } {
  try {
    const copy: { consent?: unknown } = { ...options };
    if (!('consent' in copy) && 'consent' in Object(options)) copy.consent = Reflect.get(options, 'consent');
    return { options: copy as T };
  } catch {
    return { options: {} as T, error: unreadable() };
  }
}

/**
 * Returns the placement, or the outcome that says what to change. It never throws, and never repeats a value: one of them
 * may be a secret. An identifier of the shopper may be missing, because the merchant's server may know it; networks refuse
 * two of them.
 */
export function checkOptions(options: unknown, context: CheckContext = {}): Placement | Failure {
  try {
    const checked = check(options, context);
    // What is sent is searched as well: a getter may return something else each time.
    return hasSecret(options) || ('mode' in checked && hasSecret(checked.request))
      ? containsSecret('The options')
      : checked;
  } catch {
    return unreadable();
  }
}

/** Returns the outcome for options that throw. */
function unreadable(): Failure {
  return outcome('invalid_config', 'The options cannot be read', 'Pass plain values.');
}

/** Returns the outcome for a secret key in the browser. */
export function containsSecret(what: string): Failure {
  return outcome(
    'invalid_config',
    `${what} contain a secret key`,
    'Revoke it, and give the new key to the relay only.',
  );
}

function check(options: unknown, { base, prefix, consentTexts }: CheckContext): Placement | Failure {
  const missing = (option: string, expected: string): Failure => invalid(nameOf(option, prefix), expected);
  const warnings: string[] = [];
  const leaveOut = (option: string, expected: string): unknown =>
    warnings.push(`${nameOf(option, prefix)} is not valid and was left out. Use ${expected}.`);

  const relay = readUrl(trimmed(own(options, 'relay')), base);
  if (!relay)
    return missing(
      'relay',
      'the path where your relay is mounted, such as "/offers", or its URL, such as "https://shop.example/offers"',
    );
  const request = copyRequest(own(options, 'request'));
  const view = oneOf(VIEWS, own(request.placement_details, 'view'));
  const mode = oneOf(DISPLAY_MODES, own(request.placement_details, 'display_mode'));
  const [name, values] = view ? ['display_mode', DISPLAY_MODES] : ['view', VIEWS];
  if (!view || !mode) {
    const given = own(request.placement_details, name);
    const quoted = typeof given === 'string' ? `, not "${given.slice(0, 40)}"` : '';
    return missing(name, `one of ${values.join(', ')}${quoted}`);
  }
  const refused = checkShopper(request.user_details, missing, prefix);
  if (refused) return refused;

  const valid: Record<string, unknown> = Object.assign({}, options);
  for (const [name, [, isValid, expected = '', isRefused]] of OPTIONS) {
    const given = own(options, name);
    if (!isValid || isValid(given)) continue;
    valid[name] = undefined;
    // Templates write an empty text, and `token && …` may be false.
    if (name !== 'consent' && ['', false, null, undefined].includes(given as null)) continue;
    const texts = (name === 'consent' && consentTexts) || expected;
    if (isRefused) return missing(name, texts);
    leaveOut(name, texts);
  }
  const order = request.order_details;
  const cost = (own(order, 'cost_details') ?? {}) as CostDetails;
  const { amount = 0, currency_code = 'EUR' } = cost;
  const isAmount = /^\d{1,12}(\.\d+)?$/.test(`${amount}`);
  // An amount that is not valid would cost the shopper all offers.
  if (!isAmount || !/^[a-z]{3}$/i.test(currency_code)) {
    delete order?.cost_details;
    if (isAmount) leaveOut('order_currency', 'a code such as EUR');
    else leaveOut('order_amount', 'a number such as 42.50');
  } else if (cost.amount === undefined) delete order?.cost_details;
  else cost.amount = rounded(amount, currency_code);
  return {
    relay,
    view,
    mode,
    request,
    options: valid as unknown as Placement['options'],
    isSandbox: own(options, 'sandbox') === true,
    warnings,
  };
}

function isLocale(value: unknown): unknown {
  try {
    return Intl.getCanonicalLocales(value as string)[0];
  } catch {
    return undefined;
  }
}

/** Returns an option's name as its author writes it: `display_mode`, `display-mode` or `data-display-mode`. */
export function nameOf(option: string, prefix: string | undefined): string {
  if (prefix === undefined) return option;
  return prefix + option.replace(/[A-Z]/g, '-$&').replaceAll('_', '-').toLowerCase();
}

function checkShopper(
  user: unknown,
  missing: (option: string, expected: string) => Failure,
  prefix: string | undefined,
): Failure | undefined {
  // A guest's is null or blank: a shopper without that identifier.
  for (const name of IDENTIFIERS)
    if (!String((own(user, name) as string | number | undefined) ?? '').trim())
      Reflect.deleteProperty(Object(user), name);
  const given = IDENTIFIERS.filter((name) => own(user, name) !== undefined);
  const [name] = given;
  if (!name) return undefined;
  if (given.length > 1) {
    const names = given.map((one) => nameOf(one, prefix)).join(' and ');
    return outcome('invalid_config', `${names} are two identifiers of the shopper`, `Set one of ${names}.`);
  }
  const shopper = trimmed(own(user, name));
  if (!shopper || (name === 'email' && !shopper.includes('@')))
    return missing(name, 'the value that identifies the shopper');
  if (name === 'email_hash' && !/^[0-9a-f]{64}$/i.test(shopper))
    return missing(name, 'the SHA-256 in hex, or set email instead');
  if (name === 'email' && !globalThis.crypto?.subtle)
    return missing('email_hash', 'the SHA-256 in hex: browsers hash an email on https pages only');
  // As the relay sends it on.
  Object.assign(Object(user), { [name]: name === 'email_hash' ? shopper.toLowerCase() : shopper });
  return undefined;
}

/** Returns an amount with the digits of its currency: the sum of three prices may have fifteen. */
function rounded(amount: number | string, currency: string): number | string {
  const { maximumFractionDigits } = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions();
  const text = Number(amount).toFixed(maximumFractionDigits);
  return typeof amount === 'number' ? Number(text) : text;
}

/** Returns a plain copy of the fields that are sent. Throws if they cannot be sent as JSON. */
function copyRequest(request: unknown): RecommendationRequest {
  const known = REQUEST_FIELDS.map((field) => [field, own(request, field)]);
  return JSON.parse(toJson(Object.fromEntries(known))) as RecommendationRequest;
}

function readUrl(url: string, base: string | undefined): string | undefined {
  try {
    const { protocol, origin, pathname } = new URL(url, url ? base : undefined);
    return protocol.startsWith('http') ? origin + pathname.replace(/\/+$/, '') : undefined;
  } catch {
    return undefined;
  }
}

function trimmed(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

/** Names of fields that hold a secret key. */
const SECRET_NAME = /"((x-)?api[-_]?key|secret([-_]?key)?)":/i;

/**
 * Whether a secret key is anywhere in the options, as JSON has them. Elements are left out, because frameworks attach
 * their whole tree to them; so is the storage, which has data of other scripts.
 */
function hasSecret(options: unknown): boolean {
  const seen = new Set<unknown>();
  const text = JSON.stringify(options, function (this: unknown, name, value: unknown) {
    if (typeof value === 'bigint') return undefined;
    if (Object(value) !== value) return value;
    const isOther = this === options && /^(target|storage|signal)$/.test(name);
    // Options may refer to themselves.
    if (isOther || seen.has(value) || isPagePart(value)) return undefined;
    seen.add(value);
    return value;
  });
  return looksSecret(text) || SECRET_NAME.test(text);
}

/** Whether a value is an element or a window of a page. */
function isPagePart(value: unknown): boolean {
  const { nodeType, window } = (value ?? {}) as { nodeType?: unknown; window?: unknown };
  return typeof nodeType === 'number' || (window !== undefined && window === value);
}
