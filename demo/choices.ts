/** What can be chosen in the demo bar; the same words stand in the page's address. */
export const CHOICES = {
  mode: ['INLINE', 'OVERLAY', 'FULLSCREEN', 'PULLUP'],
  view: ['THANK_YOU', 'ORDER_STATUS', 'ORDER_TRACKING', 'POST_ORDER', 'CHECKOUT', 'SUPPORT_CENTER'],
  via: ['script', 'element', 'npm'],
  theme: ['light', 'dark'],
  locale: ['en', 'de', 'fr', 'es', 'ar'],
} as const;

export type Choices = { readonly [Name in keyof typeof CHOICES]: (typeof CHOICES)[Name][number] };

/** The choices in an address; anything unknown falls back to the first of its list. */
export function readChoices(params: URLSearchParams): Choices {
  const choose = <Word extends string>(name: string, words: readonly [Word, ...Word[]]): Word =>
    words.find((word) => word === params.get(name)) ?? words[0];
  return {
    mode: choose('mode', CHOICES.mode),
    view: choose('view', CHOICES.view),
    via: choose('via', CHOICES.via),
    theme: choose('theme', CHOICES.theme),
    locale: choose('locale', CHOICES.locale),
  };
}
