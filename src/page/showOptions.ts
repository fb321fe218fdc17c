import type { FoundOffers } from '../session/findOffers.ts';
import type { OfferSession } from '../session/offerSession.ts';
import type { ConsentOption } from '../session/consent.ts';
import type { Outcome, Explanation } from '../session/openTrace.ts';
import { nameOf, OPTIONS, type OfferOptions, type PageAttributes } from '../session/checkOptions.ts';
import type { MessageOverrides } from '../widget/messages.ts';
import { type LoadSources, readConsent } from './namedConsent.ts';

/** The options of `showOffers`. Only `relay` and `request` are required. */
export interface ShowOptions extends OfferOptions, PageAttributes {
  /** INLINE: the element that the offers are placed in, or its CSS selector. */
  target?: string | Element | undefined;
  /** Replaces the widget's own texts, for other languages or another tone. */
  messages?: MessageOverrides | undefined;
}

/** The attributes of an element that are read. A script tag has them with the prefix `data-`, and `data-target`. */
export const ATTRIBUTES: readonly string[] = /* @__PURE__ */ OPTIONS.flatMap(([name, [at]]) =>
  at ? nameOf(name, '') : [],
);

/**
 * Returns the options in an element's attributes, with or without the prefix `data-`. Empty attributes are ignored. All other
 * attributes are included, so that a secret key among them is noticed.
 */
export function readAttributes(element: Element, prefix: 'data-' | '', load: LoadSources): ShowOptions {
  const attributes = Object.fromEntries(
    [...element.attributes].map(({ name, value }) => [name.replace('data-', ''), value]),
  );
  const options: Fields = { attributes, request: { user_details: {}, placement_details: {} } };
  for (const [name, [at = '', isValid]] of [...OPTIONS, ['target', ['target']]] as const) {
    const text = at && element.getAttribute(nameOf(name, prefix))?.trim();
    const places = at.split('.');
    const field = places.pop() ?? '';
    if (text)
      places.reduce((fields, place) => (fields[place] ??= {}) as Fields, options)[field] = isValid?.(Number(text))
        ? Number(text)
        : text;
  }
  const sandbox = element.getAttribute(`${prefix}sandbox`);
  options['sandbox'] = sandbox !== null && sandbox !== 'false';
  const consent = element.getAttribute(`${prefix}consent`);
  // Without the attribute there is no option, which means the default.
  if (consent !== null) options['consent'] = readConsent(consent, load);
  // Attributes are not typed: `checkOptions` validates them.
  return options as unknown as ShowOptions;
}

type Fields = Partial<Record<string, unknown>>;

/** One mount of offers on a page. */
export interface Mount {
  /** Resolves to the first outcome and never rejects. What comes later is an event. */
  readonly outcome: Promise<Outcome>;
  /** Returns what happened so far: the request, the response, what was left out and why, what was seen, what is queued. */
  explain(): Explanation;
  /** Sends what is queued, now. */
  flush(): Promise<void>;
  /** Closes the offers as the shopper would: the order remembers it. */
  dismiss(): void;
  /** Removes everything from the page and stops. It counts as nothing, and what was tracked is delivered later. */
  destroy(): void;
  /**
   * A later decision on consent, or a source of decisions. `true` starts what waited for it, `false` takes the offers down and
   * clears what is stored; anything else is no decision, and takes the offers down until there is one.
   */
  consent(decision: ConsentOption): void;
}

/** A request body, and the response before it was validated. */
export type RawExchange = Pick<FoundOffers, 'body' | 'json'>;

/** One mount as an inspector gets it. Without an exchange, there was no response. */
export interface Inspected extends Partial<RawExchange> {
  readonly mount: Mount;
  readonly options: ShowOptions;
  /** Forgets the orders that this device remembers, and shows the offers anew with other options. */
  again(options: ShowOptions): void;
  readonly queue: OfferSession['queue'];
}

/** The global under which `offerlet/inspector` offers itself to mounts, whichever copy of the package they are from. */
export const INSPECTOR = Symbol.for('offerlet.inspector');

/** Inspects a mount. It is awaited before anything is counted, so that it can still restart the mount. */
export type Inspect = (inspected: Inspected) => Promise<unknown>;
