/** Every word that the widget itself says. What advertisers say comes from the network. */
export interface Messages {
  /** The name of the region: "Sponsored offers". */
  offers: string;
  /** The badge on every offer. It cannot be emptied. */
  sponsored: string;
  /** The mark that a sandbox relay asks for. */
  sandbox: string;
  close: string;
  /** Back to the offer before. */
  back: string;
  /** On to the next offer after an accepted one, when the network has no word of its own. */
  next: string;
  /** `{0}` is the offer's number, `{1}` how many there are. */
  position: string;
  /** Before the promo code. */
  code: string;
  copy: string;
  copied: string;
  /** The link below a disclosure that opened. */
  terms: string;
  /** What links say on hover and to screen readers. */
  newTab: string;
}

/** The order in which the tables of languages hold the words. */
export const MESSAGE_KEYS = [
  'offers',
  'sponsored',
  'sandbox',
  'close',
  'back',
  'next',
  'position',
  'code',
  'copy',
  'copied',
  'terms',
  'newTab',
] as const satisfies readonly (keyof Messages)[];
