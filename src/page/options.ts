import type { RecommendationRequest } from '../wire/offers/request.ts';
import type { PageEvent } from './pageEvent.ts';

/** What `showOffers` takes. Only `relay` and `request` are needed. */
export interface ShowOptions {
  /** Where the merchant's relay is mounted: a path (`/offers`) or an address. */
  relay: string;
  /** What is asked, in the wire's own shape. A plain `user_details.email` is hashed here and never leaves the page. */
  request: RecommendationRequest;
  /** INLINE: the element, or a CSS selector of it, that the offers stand in. */
  target?: string | Element | undefined;
  /** Asks the relay for test offers. What the answer says is what counts. */
  sandbox?: boolean | undefined;
  /** `auto` follows the page's own color-scheme. */
  theme?: 'auto' | 'light' | 'dark' | undefined;
  /** BCP 47 language of the widget's own words; the page's `lang` unless given. */
  locale?: string | undefined;
  /** The widget's own words, for other languages or another tone. */
  messages?: Readonly<Record<string, string>> | undefined;
  /** Shows at most so many offers; all that came unless given. */
  maxOffers?: number | undefined;
  /**
   * Nothing is requested or stored before this is true. Not given: yes, unless the browser sends Global Privacy Control.
   * An explicit `true` is the merchant's word and stands above that signal.
   */
  consent?: boolean | Promise<boolean> | undefined;
  /** Hears everything that happens, step by step. What it throws is ignored. */
  onEvent?: ((event: PageEvent) => void) | undefined;
}
