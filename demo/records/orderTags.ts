import type { RelayOptions } from 'offerlet/relay';

/** Adds tags to an order in your shop, such as with the admin API of your platform. */
export type AddTags = (order_id: string, tags: readonly string[]) => Promise<void>;

/** For `createRelay({ ...orderTags(addTags) })`: orders are tagged `offer_shown` and `offer_accepted`. */
export function orderTags(addTags: AddTags): Pick<RelayOptions, 'onEvents'> {
  return {
    async onEvents({ order_id, events }) {
      if (order_id === undefined) return;
      const names = new Set(events.map(({ event_name }) => event_name));
      const tags = [
        ...(names.has('BRAND_DISPLAY') ? ['offer_shown'] : []),
        ...(names.has('BRAND_CLICK') ? ['offer_accepted'] : []),
      ];
      if (tags.length > 0) await addTags(order_id, tags);
    },
  };
}
