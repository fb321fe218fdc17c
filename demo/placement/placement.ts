import type { ShowOptions } from 'offerlet';
import type { Choices } from '../choices/choices.ts';
import { escapeHtml, html, nonceAttribute, type Html } from '../views/html.ts';
import { TOTAL } from '../views/order.ts';

/** One order of the shop. */
export interface Order {
  readonly number: string;
  readonly emailHash: string;
}

/** The widget_id of the demo shop, by which the report separates its activity from the seeded history. */
export const WIDGET_ID = 'demo-shop';
/** Where the shop's backend mounts its relays: the sandbox's, and one whose orders count as in a live shop. */
export const RELAYS: Readonly<Record<Choices['orders'], string>> = { test: '/offers', counted: '/counted/offers' };
const ORDER_AMOUNT = TOTAL.toFixed(2);
const MAX_OFFERS = 3;

/** Returns the options of `showOffers` for this order that can be written as JSON. */
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

/** Returns the same options as attributes of the script tag (each with `data-`) or of the element. */
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

/** Returns the HTML that adds the widget to the page. The bar shows exactly this for copying. */
export function placementHtml(choices: Choices, order: Order, nonce = ''): string {
  return [placeHtml(choices, order), scriptHtml(choices, order, nonce)].filter(Boolean).join('\n');
}

/** Returns the element in which the offers are shown. */
export function placeHtml(choices: Choices, order: Order): string {
  if (choices.via === 'element') return `<offer-let\n${lines(attributes(choices, order))}\n></offer-let>`;
  return choices.mode === 'INLINE' ? '<div id="offers"></div>' : '';
}

/** Returns the script tag. In a single-page app it stays while the elements for the offers come and go. */
export function scriptHtml(choices: Choices, order: Order, nonce = ''): string {
  if (choices.via !== 'script') return '';
  const signed = nonce === '' ? '' : ` nonce="${nonce}"`;
  if (choices.navigation === 'spa') return `<script async src="/offerlet.js"${signed}></script>`;
  return `<script async src="/offerlet.js"${signed}\n${lines(attributes(choices, order), 'data-')}\n></script>`;
}

/** Returns the shop's own scripts; a merchant would have them in a bundle. */
export function placementScripts({ via }: Choices, nonce = ''): Html {
  const sources = [...(via === 'script' ? [] : [`/with-${via}.js`]), '/shop-page.js'];
  return html`${sources.map((src) => html`<script type="module" src="${src}" ${nonceAttribute(nonce)}></script>`)}`;
}

function lines(pairs: readonly (readonly [string, string])[], prefix = ''): string {
  return pairs.map(([name, value]) => `  ${prefix}${name}="${escapeHtml(value)}"`).join('\n');
}
