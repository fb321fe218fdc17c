import type { PlacedGroup } from '../wire/offers/response.ts';

/** The groups with so many offers at most, counted from the first; groups that have none left are gone. */
export function firstOffers(groups: readonly PlacedGroup[], most = Infinity): PlacedGroup[] {
  let left = most;
  return groups
    .map((group) => {
      const offers = group.offers.slice(0, left);
      left -= offers.length;
      return { ...group, offers };
    })
    .filter((group) => group.offers.length > 0);
}
