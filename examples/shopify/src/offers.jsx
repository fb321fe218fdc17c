import { render } from 'preact';
import { Offers, openShopifySession } from 'offerlet/shopify';

/** The extension, for the thank-you page and for the order-status page. */
export default function extension() {
  const session = openShopifySession(shopify, { relay: shopify.settings.value.relay });
  render(<Offers session={session} />, document.body);
}
