import { readRecommendations } from '../../../src/wire/offers/readRecommendations.ts';
import type { SafeResponse } from '../../../src/wire/offers/response.ts';

/** One complete entry of `recommendations`, with a test's changes. */
export function offerOf(id: string, offer: object = {}, advertiser: object = {}): object {
  return {
    advertiser: { id: `adv_${id}`, name: `Brand ${id}`, logo_url: 'https://cdn.example/logo.svg', ...advertiser },
    offer: {
      id,
      heading: `Heading ${id}`,
      target_url: `https://shop.example/${id}`,
      cta_details: { accept_copy: 'Yes', decline_copy: 'No' },
      ...offer,
    },
  };
}

export const three = { a: offerOf('a'), b: offerOf('b'), c: offerOf('c') };
export const item = (offer_id: string, insertion_order: number): object => ({
  insertion_order,
  insertion_id: `ins_${offer_id}`,
  offer_id,
  advertiser_id: `adv_${offer_id}`,
});

/** Reads a response that already has a session and three offers. */
export function read(json: object, options = {}): SafeResponse {
  const parsed = readRecommendations({ session_id: 's1', recommendations: three, ...json }, options);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.value;
}

/** The offers and insertions, in order. */
export function shape(response: SafeResponse): [string, string[]][] {
  return response.groups.map((group) => [
    group.id,
    group.offers.map((offer) => `${offer.offer_id}/${offer.insertion_id}`),
  ]);
}
