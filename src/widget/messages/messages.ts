/** All texts of the widget itself. Advertisers' texts come from the network. */
export interface Messages {
  /** The name of the region: "Sponsored offers". */
  offers: string;
  /** The badge on every offer. It cannot be empty. */
  sponsored: string;
  /** The badge on offers of a sandbox. */
  sandbox: string;
  close: string;
  /** Goes back to the previous offer. */
  back: string;
  /** Goes on to the next offer after an accepted one, unless the network sends its own text. */
  next: string;
  /** The button that shows the whole of a long text. */
  more: string;
  /** `{0}` is the offer's number, `{1}` the number of offers. */
  position: string;
  /** The label of the promo code. */
  code: string;
  copy: string;
  copied: string;
  /** The link at the end of an expanded disclosure. */
  terms: string;
  /** The tooltip of links that open a new tab. */
  newTab: string;
  /** The status of an accepted offer that has neither a text nor a code of its own. */
  claimed: string;
}

/** Texts of the page's own, for some or all of them. */
export type MessageOverrides = { readonly [Name in keyof Messages]?: string | undefined };

/** The order of the texts in `LANGUAGES`. */
export const MESSAGE_KEYS = [
  'offers',
  'sponsored',
  'sandbox',
  'close',
  'back',
  'next',
  'more',
  'position',
  'code',
  'copy',
  'copied',
  'terms',
  'newTab',
  'claimed',
] as const satisfies readonly (keyof Messages)[];
