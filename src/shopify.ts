// offerlet/shopify: offers in extensions of Shopify's checkout and customer accounts, which run in a worker.

export { Offers, type OffersProps } from './shopify/Offers.tsx';
export {
  openShopifySession,
  type ShopifyApi,
  type ShopifySession,
  type ShopifySessionOptions,
} from './shopify/openShopifySession.ts';
