import { MODES, type Choices, type ChoiceName } from './choices.ts';

type Labels = { readonly [Name in ChoiceName]: Readonly<Record<Choices[Name], string>> };

/** The label of each choice in the bar. */
export const LABELS: Labels = {
  mode: MODES,
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
  look: { shop: 'Like the shop', unthemed: 'Unthemed' },
  orders: { test: 'Test orders', counted: 'Counted orders' },
  csp: { none: 'No policy', strict: "Strict: default-src 'none', 'self'", nonce: 'Strict: nonces only' },
  css: { own: 'The shop’s own', hostile: 'Hostile (* { … !important })' },
  consent: { given: 'Not required', banner: 'Cookie banner' },
  navigation: { pages: 'Whole pages', spa: 'Single-page app' },
  frame: { none: 'In the window', phone: 'In a phone', wide: 'In a frame', foreign: 'In another site’s frame' },
  desk: { open: 'Report beside', bar: 'Bar only', none: 'Nothing' },
};

/** The title of each choice. */
export const TITLES: Readonly<Record<ChoiceName, string>> = {
  mode: 'Display',
  view: 'Page',
  via: 'Added by',
  locale: 'Language',
  theme: 'Theme',
  look: 'Offers look',
  orders: 'Orders',
  csp: 'Content Security Policy',
  css: 'Style sheet',
  consent: 'Consent',
  navigation: 'Navigation',
  frame: 'Shown',
  desk: 'Demo',
};

/** What a choice does, where its label does not explain it. */
export const REASONS: Partial<Readonly<Record<ChoiceName, string>>> = {
  orders: 'The network pays nothing for test orders (is_sandbox). Counted orders are requested as in a live shop.',
  look: 'Like the shop: six custom properties in its style sheet. Unthemed: the defaults of the widget.',
  csp: 'Both strict policies require Trusted Types and allow neither inline styles nor inline scripts.',
  css: 'A theme that restyles every element, hides empty boxes and puts its header above everything.',
  consent: 'Nothing is requested or stored before the shopper agrees. Withdrawing consent later deletes everything.',
  navigation: 'The receipt replaces the order without a page load: the offers are removed and shown again.',
  frame: '“Another site’s frame” is this shop at localhost in a page at 127.0.0.1, with separate storage.',
};
