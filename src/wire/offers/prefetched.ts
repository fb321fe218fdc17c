import { isObject, own } from '../json.ts';
import { shortHash } from '../hash.ts';
import type { RecommendationRequest } from './request.ts';

/** Offers that a server has requested while it rendered the page: what they are for, and the response as it came. */
export interface PrefetchedOffers {
  readonly view: string;
  readonly display_mode: string;
  readonly order_id: string;
  /** A check of the shopper's identifier, too short to identify anybody. An email's is that of its hash. */
  readonly shopper?: Readonly<Record<string, string>>;
  readonly response: unknown;
}

/** The attribute of the block that carries them: `<script type="application/json" data-offerlet-offers>`. */
export const PREFETCHED_ATTRIBUTE = 'data-offerlet-offers';

/** Milliseconds after which prefetched offers are not used: the page has been open for so long. */
export const PREFETCHED_MAX_AGE_MS = 10 * 60_000;

/** Returns why prefetched offers are not those of a request; empty if they are. The order may be a number: `1001` is `"1001"`. */
export function mismatchOf(
  prefetched: unknown,
  { placement_details, order_details, user_details }: RecommendationRequest,
): string {
  if (!isObject(prefetched)) return 'They are not JSON';
  const order = order_details?.order_id;
  const shopper = own(prefetched, 'shopper');
  const other =
    own(prefetched, 'view') !== placement_details.view
      ? 'view'
      : own(prefetched, 'display_mode') !== placement_details.display_mode
        ? 'display mode'
        : !order || [own(prefetched, 'order_id')].join() !== [order].join()
          ? 'order'
          : // Server and page may know the shopper by different identifiers: then there is nothing to compare.
            Object.entries(user_details ?? {}).some(
                ([name, value]) => own(shopper, name) && own(shopper, name) !== shopperCheck(value, order),
              )
            ? 'shopper'
            : '';
  return other && `They are for another ${other}`;
}

/**
 * Returns 20 bits of an identifier: they tell the shoppers of one order apart, but fit thousands of known email addresses, so
 * that the page's other scripts learn nothing.
 */
export function shopperCheck(identifier: unknown, order: unknown): string {
  return shortHash([order, identifier].join()).slice(-4);
}
