/** The texts of `<Offers>` in English. Advertisers' texts come from the network. */
const ENGLISH = {
  offers: 'Sponsored offers',
  sponsored: 'Sponsored',
  sandbox: 'Sandbox',
  next: 'Next',
  position: 'Offer {0} of {1}',
  code: 'Your code',
  copy: 'Copy',
  terms: 'Terms',
  newTab: 'Opens in a new tab',
  claimed: 'Opened in a new tab',
  preview: 'Offers of partners appear here after the purchase.',
} as const;

/** The texts of `<Offers>`, with the names that the widget uses. */
export type ShopifyMessages = Readonly<Record<keyof typeof ENGLISH, string>>;

/** Returns the English texts, replaced by those of the extension that are not empty. */
export function textsFrom(
  overrides: { readonly [Name in keyof ShopifyMessages]?: string | undefined } = {},
): ShopifyMessages {
  const texts: Record<keyof ShopifyMessages, string> = { ...ENGLISH };
  for (const name of NAMES) texts[name] = overrides[name]?.trim() || texts[name];
  return texts;
}

const NAMES = Object.keys(ENGLISH) as (keyof ShopifyMessages)[];
