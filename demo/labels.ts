import type { Choices, ChoiceName } from './choices.ts';

type Labels = { readonly [Name in ChoiceName]: Readonly<Record<Choices[Name], string>> };

/** What each choice is called in the bar. */
export const LABELS: Labels = {
  mode: { INLINE: 'Inline', OVERLAY: 'Overlay', FULLSCREEN: 'Fullscreen', PULLUP: 'Pull-up' },
  view: {
    THANK_YOU: 'Thank-you page',
    ORDER_STATUS: 'Order status',
    ORDER_TRACKING: 'Tracking',
    POST_ORDER: 'After delivery',
    CHECKOUT: 'Checkout',
    SUPPORT_CENTER: 'Help centre',
  },
  via: { script: 'Script tag', element: 'Element', npm: 'npm import' },
  locale: { en: 'English', de: 'Deutsch', fr: 'Français', es: 'Español', ar: 'العربية (right to left)' },
  theme: { light: 'Light', dark: 'Dark' },
  orders: { test: 'Test orders', counted: 'Counted orders' },
  csp: { none: 'No policy', strict: "Strict: default-src 'none', 'self'", nonce: 'Strict: nonces only' },
  css: { own: 'The shop’s own', hostile: 'Hostile (* { … !important })' },
  consent: { given: 'Not asked for', banner: 'Cookie banner' },
  navigation: { pages: 'Whole pages', spa: 'Single-page app' },
  frame: { none: 'In the window', phone: 'In a phone', wide: 'In a frame', foreign: 'In another site’s frame' },
  desk: { open: 'Report beside', bar: 'Bar only', none: 'Nothing' },
};

/** What the choice is about. */
export const TITLES: Readonly<Record<ChoiceName, string>> = {
  mode: 'Display',
  view: 'Page',
  via: 'Added by',
  locale: 'Language',
  theme: 'Theme',
  orders: 'Orders',
  csp: 'Content Security Policy',
  css: 'Style sheet',
  consent: 'Consent',
  navigation: 'Navigation',
  frame: 'Shown',
  desk: 'Demo',
};

/** Why one would choose it; for those that do not explain themselves. */
export const REASONS: Partial<Readonly<Record<ChoiceName, string>>> = {
  orders: 'The network pays nothing for test orders (is_sandbox). Counted ones are asked for as by a live shop.',
  csp: 'Both strict ones demand Trusted Types and allow no inline style and no inline script.',
  css: 'A theme that restyles every element, hides empty boxes and puts its header above everything.',
  consent: 'Nothing is asked or stored before a yes; a later no takes it all back.',
  navigation: 'The receipt replaces the order without a page load: the offers go and come again.',
  frame: 'Another site’s frame is this shop at localhost in a page at 127.0.0.1, with storage of its own.',
};
