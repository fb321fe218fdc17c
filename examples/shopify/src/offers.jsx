/** @jsxImportSource preact */
import { render } from 'preact';
import { Offers, openShopifySession } from 'offerlet/shopify';

const TEXTS = /** @type {const} */ ([
  'claimed',
  'code',
  'copy',
  'newTab',
  'next',
  'offers',
  'position',
  'preview',
  'sandbox',
  'sponsored',
  'terms',
]);

/** The extension, for the thank-you page and for the order-status page. */
export default function extension() {
  const session = openShopifySession(shopify, { relay: String(shopify.settings.value.relay ?? '') });
  const messages = Object.fromEntries(TEXTS.map((name) => [name, shopify.i18n.translate(name)]));
  render(<Offers session={session} messages={messages} />, document.body);
}
