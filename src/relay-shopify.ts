// offerlet/relay-shopify: lets the extensions of a Shopify app use the relay, by their session tokens.

import { refuseBrowser } from './wire/refuseBrowser.ts';

export { shopify, type ShopifyOptions } from './relay/shopify/shopify.ts';
export type { SessionClaims } from './relay/shopify/verifySessionToken.ts';

refuseBrowser('offerlet/relay-shopify');
