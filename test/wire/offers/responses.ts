import { readRecommendations } from '../../../src/wire/offers/readRecommendations.ts';
import type { SafeResponse } from '../../../src/wire/offers/response.ts';

/** One entry of `recommendations`, whole, with what a test changes in it. */
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

/** The answer as it is read; its session and three offers are there already. */
export function read(json: object, options = {}): SafeResponse {
  const parsed = readRecommendations({ session_id: 's1', recommendations: three, ...json }, options);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.value;
}

/** Which offer and insertion stand where. */
export function shape(answer: SafeResponse): [string, string[]][] {
  return answer.groups.map((group) => [
    group.id,
    group.offers.map((offer) => `${offer.offer_id}/${offer.insertion_id}`),
  ]);
}
