import { isObject, own } from '../json.ts';
import type { RecommendationRequest } from './request.ts';

/** Offers that a server has requested while it rendered the page: what they are for, and the response as it came. */
export interface PrefetchedOffers {
  readonly view: string;
  readonly display_mode: string;
  readonly order_id: string;
  readonly response: unknown;
}

/** The attribute of the block that carries them: `<script type="application/json" data-offerlet-offers>`. */
export const PREFETCHED_ATTRIBUTE = 'data-offerlet-offers';

/** Milliseconds after which prefetched offers are not used: the page has been open for so long. */
export const PREFETCHED_MAX_AGE_MS = 10 * 60_000;

/** Returns why prefetched offers are not those of a request; empty if they are. The order may be a number: `1001` is `"1001"`. */
export function mismatchOf(
  prefetched: unknown,
  { placement_details, order_details }: Pick<RecommendationRequest, 'placement_details' | 'order_details'>,
): string {
  if (!isObject(prefetched)) return 'They are not JSON';
  if (own(prefetched, 'view') !== placement_details.view) return 'They are for another view';
  if (own(prefetched, 'display_mode') !== placement_details.display_mode) return 'They are for another display mode';
  const order = order_details?.order_id;
  return order && [own(prefetched, 'order_id')].join() === [order].join() ? '' : 'They are for another order';
}
