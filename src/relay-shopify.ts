// offerlet/relay-shopify: lets the extensions of a Shopify app use the relay, by their session tokens.

import { refuseBrowser } from './wire/keys.ts';

export { shopify, type ClientSecret, type SessionClaims, type ShopifyOptions } from './relay/shopify.ts';

refuseBrowser('offerlet/relay-shopify');
