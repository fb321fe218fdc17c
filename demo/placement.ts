import type { ShowOptions } from 'offerlet';
import type { Choices } from './choices.ts';
import { html, type Html } from './html.ts';

/** One order, as the shop knows it. */
export interface Order {
  readonly number: string;
  readonly emailHash: string;
}

/** The demo shop's widget has an id of its own, so that the report can tell it from the catalogue's history. */
export const WIDGET_ID = 'demo-shop';
/** Where the shop's backend mounts its relays: the sandbox's own, and one whose orders count as a live shop's do. */
export const RELAYS: Readonly<Record<Choices['orders'], string>> = { test: '/offers', counted: '/counted/offers' };
/** What was bought, in all. */
export const ORDER_AMOUNT = '64.50';
const MAX_OFFERS = 3;

/** A file that the merchant has, and what stands in it. */
export interface Snippet {
  readonly title: string;
  readonly code: string;
}

/** The options of `showOffers` for this order, without what only code can hold. */
export function showOptions(choices: Choices, order: Order): ShowOptions {
  return {
    relay: RELAYS[choices.orders],
    ...(choices.mode === 'INLINE' ? { target: '#offers' } : {}),
    locale: choices.locale,
    maxOffers: MAX_OFFERS,
    request: {
      user_details: { email_hash: order.emailHash },
      placement_details: { view: choices.view, display_mode: choices.mode, widget_id: WIDGET_ID },
      order_details: { order_id: order.number, cost_details: { amount: ORDER_AMOUNT, currency_code: 'EUR' } },
    },
  };
}

/** The same as attributes of the script tag (each with `data-`) or of the element. */
export function attributes(choices: Choices, order: Order): readonly (readonly [name: string, value: string])[] {
  const { mode, view, via, locale, consent, orders } = choices;
  return [
    ['relay', RELAYS[orders]],
    ['view', view],
    ['display-mode', mode],
    ...(mode === 'INLINE' && via === 'script' ? [['target', '#offers'] as const] : []),
    ['widget-id', WIDGET_ID],
    ['locale', locale],
    ['max-offers', String(MAX_OFFERS)],
    ...(consent === 'banner' ? [['consent', 'required'] as const] : []),
    ['email-hash', order.emailHash],
    ['order-id', order.number],
    ['order-amount', ORDER_AMOUNT],
    ['order-currency', 'EUR'],
  ];
}

/** The HTML that puts the widget on the page. It is what the bar shows to be copied, letter for letter. */
export function placementHtml(choices: Choices, order: Order, nonce = ''): string {
  return [placeHtml(choices, order), scriptHtml(choices, order, nonce)].filter(Boolean).join('\n');
}

/** Where the offers stand. */
export function placeHtml(choices: Choices, order: Order): string {
  if (choices.via === 'element') return `<offer-let\n${lines(attributes(choices, order))}\n></offer-let>`;
  return choices.mode === 'INLINE' ? '<div id="offers"></div>' : '';
}

/** The script tag. In a single-page app it stays while the places of the offers come and go. */
export function scriptHtml(choices: Choices, order: Order, nonce = ''): string {
  if (choices.via !== 'script') return '';
  const signed = nonce === '' ? '' : ` nonce="${nonce}"`;
  if (choices.navigation === 'spa') return `<script async src="/offerlet.js"${signed}></script>`;
  return `<script async src="/offerlet.js"${signed}\n${lines(attributes(choices, order), 'data-')}\n></script>`;
}

/** The shop's own scripts for the chosen way; a merchant would have them in a bundle. */
export function placementScripts({ via }: Choices, nonce = ''): Html {
  const signed = (src: string): Html =>
    nonce === ''
      ? html`<script type="module" src="${src}"></script>`
      : html`<script type="module" src="${src}" nonce="${nonce}"></script>`;
  const own = via === 'script' ? [] : [signed(`/with-${via}.js`)];
  return html`${[...own, signed('/shop-page.js')]}`;
}

function lines(pairs: readonly (readonly [string, string])[], prefix = ''): string {
  return pairs.map(([name, value]) => `  ${prefix}${name}="${escape(value)}"`).join('\n');
}

function escape(value: string): string {
  return value.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
