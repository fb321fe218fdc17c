// offerlet/html: prefetched offers in the page's own HTML, rendered on the server.

export { renderOffers, type RenderedOffers, type RenderOptions } from './html/renderOffers.tsx';
export type { PrefetchedOffers } from './wire/offers/prefetched.ts';
