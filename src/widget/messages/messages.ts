/** Every word that the widget itself says. What advertisers say comes from the network. */
export interface Messages {
  /** The name of the region or dialog: "Sponsored offers". */
  offers: string;
  /** The badge on every offer. It cannot be emptied. */
  sponsored: string;
  /** The mark that a sandbox relay asks for. */
  sandbox: string;
  close: string;
  /** Back to the offer before. */
  back: string;
  /** After an accepted offer, when the network sends no word of its own. */
  next: string;
  /** `{0}` is the offer's number, `{1}` how many there are. */
  position: string;
  copy: string;
  copied: string;
  /** Before the promo code. */
  code: string;
  /** For screen readers, after the name of a link that opens a new tab. */
  newTab: string;
  /** The summary of a disclosure that has only content. */
  terms: string;
  /** The pull-up's handle. */
  handle: string;
  privacy: string;
}
