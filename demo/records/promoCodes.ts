import type { RelayOptions } from 'offerlet/relay';

/** What the confirmation e-mail says of an offer that the shopper accepted. */
export interface AcceptedOffer {
  readonly advertiser: string;
  readonly heading: string;
  readonly code: string;
}

/** Where you store it: your table of orders, say. A `Map` forgets it with the process. */
export interface CodeStore {
  get(session_id: string): readonly AcceptedOffer[] | undefined | Promise<readonly AcceptedOffer[] | undefined>;
  set(session_id: string, offers: readonly AcceptedOffer[]): unknown;
}

/**
 * For `createRelay({ ...promoCodes({ offered, accepted }) })`: the promo codes of accepted offers, by order. Read
 * `accepted` when the confirmation e-mail is sent.
 */
export function promoCodes(stores: {
  /** By session and offer. */
  readonly offered: Pick<Map<string, AcceptedOffer>, 'get' | 'set'>;
  /** By order. */
  readonly accepted: CodeStore;
}): Pick<RelayOptions, 'onOffers' | 'onEvents'> {
  const { offered, accepted } = stores;
  return {
    onOffers({ session_id, offers }) {
      for (const { offer_id, advertiser, offer } of offers) {
        const code = offer.metadata?.code;
        if (code !== undefined)
          offered.set(`${session_id} ${offer_id}`, { advertiser: advertiser.name, heading: offer.heading, code });
      }
    },
    async onEvents({ order_id, session_id, events }) {
      if (order_id === undefined) return;
      for (const { event_name, brand_properties } of events) {
        const found = offered.get(`${session_id} ${brand_properties?.offer_id}`);
        if (event_name !== 'BRAND_CLICK' || !found) continue;
        const before = (await accepted.get(order_id)) ?? [];
        if (!before.some(({ code }) => code === found.code)) await accepted.set(order_id, [...before, found]);
      }
    },
  };
}
