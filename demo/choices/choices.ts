import type { ShowOptions } from 'offerlet';

type DisplayMode = NonNullable<ShowOptions['request']>['placement_details']['display_mode'];

/** The labels of the display modes. */
export const MODES: Readonly<Record<DisplayMode, string>> = {
  INLINE: 'Inline',
  OVERLAY: 'Overlay',
  FULLSCREEN: 'Fullscreen',
  PULLUP: 'Pull-up',
};

/** What can be chosen in the demo's bar. The same values are used in the page's URL; the first of each is the default. */
export const CHOICES = {
  mode: Object.keys(MODES) as DisplayMode[],
  view: ['THANK_YOU', 'ORDER_STATUS', 'ORDER_TRACKING', 'POST_ORDER', 'CHECKOUT', 'SUPPORT_CENTER'],
  via: ['script', 'element', 'npm'],
  locale: ['en', 'de', 'fr', 'es', 'ar'],
  theme: ['light', 'dark'],
  look: ['shop', 'unthemed'],
  orders: ['test', 'counted'],
  csp: ['none', 'strict', 'nonce'],
  css: ['own', 'hostile'],
  consent: ['given', 'banner'],
  navigation: ['pages', 'spa'],
  frame: ['none', 'phone', 'wide', 'foreign'],
  desk: ['open', 'bar', 'none'],
} as const;

export type ChoiceName = keyof typeof CHOICES;
export type Choices = { readonly [Name in ChoiceName]: (typeof CHOICES)[Name][number] };

/** Reads the choices from a query. Unknown values fall back to the default. */
export function readChoices(params: URLSearchParams): Choices {
  const chosen = Object.entries(CHOICES).map(([name, words]) => [
    name,
    words.find((word) => word === params.get(name)) ?? words[0],
  ]);
  return Object.fromEntries(chosen) as Choices;
}

/** Returns the shortest query for these choices, after the parameters that belong to the widget. */
export function queryOf(choices: Choices, others: URLSearchParams = new URLSearchParams()): string {
  const query = new URLSearchParams();
  for (const [name, value] of others) if (!Object.hasOwn(CHOICES, name)) query.append(name, value);
  for (const [name, words] of Object.entries(CHOICES)) {
    const word = choices[name as ChoiceName];
    if (word !== words[0]) query.set(name, word);
  }
  return query.size > 0 ? `?${query}` : '';
}
