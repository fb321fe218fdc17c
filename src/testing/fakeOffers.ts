import { isObject } from '../wire/json.ts';
import type { Advertiser, CtaDetails, GroupItem, Offer, Recommendation } from '../wire/offers/response.ts';
import { EXAMPLE_OFFERS } from './exampleOffers.ts';

type Loose<Whole> = { readonly [Name in keyof Whole]?: Whole[Name] | undefined };

/** An offer for a test. Missing fields come from an example; a field that is `undefined` is left out. */
export interface FakeOffer extends Loose<Omit<Offer, 'cta_details'>> {
  readonly advertiser?: Loose<Advertiser>;
  readonly cta_details?: Loose<CtaDetails>;
}

/** How many example offers, or your own offers: described by what matters in the test, or as returned by a network. */
export type FakeOffers = number | readonly (FakeOffer | Recommendation)[];

/** The offers of a fake network, as they go into its responses. */
export interface FakeCatalogue {
  readonly recommendations: Readonly<Record<string, Recommendation>>;
  readonly items: readonly GroupItem[];
}

/** Returns the offers with every missing part filled in. Throws when the same id is used twice. */
export function readFakeOffers(offers: FakeOffers = EXAMPLE_OFFERS.length): FakeCatalogue {
  const given = typeof offers === 'number' ? Array.from({ length: offers }, () => ({})) : offers;
  const recommendations: Record<string, Recommendation> = {};
  const items: GroupItem[] = [];
  for (const [index, one] of given.entries()) {
    const number = index + 1;
    const recommendation = isRecommendation(one) ? one : complete(one, number);
    const { advertiser, offer } = recommendation;
    if (Object.hasOwn(recommendations, offer.id))
      throw new Error(`Two offers have the id "${offer.id}". Give each another id.`);
    recommendations[offer.id] = recommendation;
    items.push({
      insertion_order: index,
      insertion_id: `insertion-${number}`,
      offer_id: offer.id,
      advertiser_id: advertiser.id,
    });
  }
  return { recommendations, items };
}

function isRecommendation(offer: FakeOffer | Recommendation): offer is Recommendation {
  return 'offer' in offer && isObject(offer.offer);
}

function complete({ advertiser, cta_details, ...offer }: FakeOffer, number: number): Recommendation {
  const example = EXAMPLE_OFFERS[(number - 1) % EXAMPLE_OFFERS.length];
  // What a test leaves out on purpose stays out: the response is JSON, which has no undefined.
  return {
    advertiser: { ...example?.advertiser, id: `advertiser-${number}`, ...advertiser },
    offer: {
      ...example?.offer,
      id: `offer-${number}`,
      ...offer,
      cta_details: { ...example?.offer.cta_details, ...cta_details },
    },
  } as Recommendation;
}
