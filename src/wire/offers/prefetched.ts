import { isObject, own, readId } from '../json.ts';
import { uuidFromText } from '../hash.ts';
import type { RecommendationRequest } from './request.ts';

/** Offers that a server has requested while it rendered the page: what they are for, and the response as it came. */
export interface PrefetchedOffers {
  readonly view: string;
  readonly display_mode: string;
  readonly order_id: string;
  /** A check of the shopper's identifier, too short to identify anybody. An email's is that of its hash. */
  readonly shopper?: Readonly<Record<string, string>>;
  /** When the server had the response, as an ISO 8601 date and time: a page may come from a cache. */
  readonly at?: string;
  readonly response: unknown;
}

/** The attribute of the block that carries them: `<script type="application/json" data-offerlet-offers>`. */
export const PREFETCHED_ATTRIBUTE = 'data-offerlet-offers';

/** The attribute of a card that stands in the page's HTML: the session that it is of. The script takes it over. */
export const CARD_ATTRIBUTE = 'data-offerlet-card';

/** The name of the place in a page that streams: the server writes `<?marker name="offerlet">` there, and the card last, for it. */
export const PLACE_NAME = 'offerlet';

/** Milliseconds after which prefetched offers are not used. */
export const PREFETCHED_MAX_AGE_MS = 10 * 60_000;

/**
 * Returns why prefetched offers are not used for a request, with the email hashed; empty if they are. The order may be a
 * number: `1001` is `"1001"`.
 */
export function whyUnusable(
  prefetched: unknown,
  { placement_details, order_details, user_details }: RecommendationRequest,
): string {
  if (!isObject(prefetched)) return 'They are not JSON';
  const order = readId(order_details?.order_id);
  const shopper = own(prefetched, 'shopper');
  const other =
    own(prefetched, 'view') !== placement_details.view
      ? 'view'
      : own(prefetched, 'display_mode') !== placement_details.display_mode
        ? 'display mode'
        : !order || readId(own(prefetched, 'order_id')) !== order
          ? 'order'
          : // Server and page may know the shopper by different identifiers: then there is nothing to compare.
            Object.entries(user_details ?? {}).some(
                ([name, value]) => own(shopper, name) && own(shopper, name) !== shopperCheck(value, order),
              )
            ? 'shopper'
            : '';
  if (other) return `They are for another ${other}`;
  // Without a time, the age of the page has to do. A time far in the future says as little as one in the past.
  const at = own(prefetched, 'at');
  const age = Math.max(performance.now(), typeof at === 'string' ? Math.abs(Date.now() - Date.parse(at)) || 0 : 0);
  return age > PREFETCHED_MAX_AGE_MS ? 'They are more than ten minutes old' : '';
}

/**
 * Returns 20 bits of an identifier: they tell the shoppers of one order apart, but fit thousands of known email addresses, so
 * that the page's other scripts learn nothing.
 */
export function shopperCheck(identifier: unknown, order: unknown): string {
  return uuidFromText([order, identifier].join()).slice(-5);
}
