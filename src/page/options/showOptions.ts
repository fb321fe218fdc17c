import type { OfferOptions } from '../../session/options.ts';
import type { MessageOverrides } from '../../widget/messages/messages.ts';

/** The options of `showOffers`. Only `relay` and `request` are required. */
export interface ShowOptions extends OfferOptions {
  /** INLINE: the element that the offers are placed in, or its CSS selector. */
  target?: string | Element | undefined;
  /** By default `auto`, which follows the page's own color-scheme. */
  theme?: 'auto' | 'light' | 'dark' | undefined;
  /** BCP 47 language of the widget's own texts. By default the page's `lang`. */
  locale?: string | undefined;
  /** Replaces the widget's own texts, for other languages or another tone. */
  messages?: MessageOverrides | undefined;
}
