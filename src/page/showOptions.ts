import type { ConsentOption } from '../session/consent.ts';
import type { Outcome, Explanation } from '../session/openTrace.ts';
import type { OfferOptions } from '../session/checkOptions.ts';
import type { MessageOverrides } from '../widget/messages.ts';

/** The options of `showOffers`. Only `relay` and `request` are required. */
export interface ShowOptions extends OfferOptions {
  /** INLINE: the element that the offers are placed in, or its CSS selector. */
  target?: string | Element | undefined;
  /** By default `auto`, which follows the page's own color-scheme. */
  theme?: 'auto' | 'light' | 'dark' | undefined;
  /** BCP 47 language of the widget's own texts, and of the offers where there are some. By default the page's `lang`. */
  locale?: string | undefined;
  /** Replaces the widget's own texts, for other languages or another tone. */
  messages?: MessageOverrides | undefined;
}

/** One mount of offers on a page. */
export interface Offers {
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
