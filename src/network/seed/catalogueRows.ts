import { advertiserId, DEMO_ADVERTISERS } from './advertisers.ts';
import { DEMO_OFFERS } from './demoOffers.ts';
import type { DemoAsset, DemoOffer } from './offers/demoOffer.ts';
import { stableId } from './stableId.ts';
import { subcategoryId } from './taxonomy.ts';

type Row = Readonly<Record<string, unknown>>;

/** The rows of the demo's advertisers, whose logos the network serves. */
export function advertiserRows(): Row[] {
  return DEMO_ADVERTISERS.map(({ slug, name, description }) => ({
    advertiser_id: advertiserId(slug),
    name,
    logo_url: `/logos/${slug}.svg`,
    description,
  }));
}

/** The rows of the demo's offers. Addresses begin with '/': the network serves the pictures and the pages of arrival itself. */
export function offerRows(now: Date): Row[] {
  return DEMO_OFFERS.map((offer, index) => ({
    offer_id: offerId(offer.slug),
    advertiser_id: advertiserId(offer.advertiser),
    subcategory_id: subcategoryId(offer.subcategory),
    heading: offer.heading,
    target_url: `/visit/${offerId(offer.slug)}`,
    details: details(offer),
    price_per_conversion: offer.price,
    budget: offer.budget ?? null,
    spent: 0,
    weight: offer.weight ?? 1,
    active: true,
    // A millisecond apart, so that the catalogue has a definite order.
    created_at: new Date(now.getTime() + index - DEMO_OFFERS.length),
  }));
}

/** The id of a demo offer. */
export function offerId(slug: string): string {
  return stableId('offer', slug);
}

function details({ slug, language, subheading, cta_details, metadata, assets, disclosure_details }: DemoOffer): Row {
  return {
    language,
    subheading,
    cta_details,
    metadata,
    assets: assets?.map((asset, index) => assetOf(slug, asset, index)),
    disclosure_details,
  };
}

function assetOf(
  slug: string,
  { picture, asset_type, should_trigger_claim_flow }: DemoAsset,
  insertion_order: number,
): Row {
  return {
    id: stableId('asset', `${slug}/${picture}`),
    asset_type,
    image_url: `/pictures/${picture}.svg`,
    insertion_order,
    target_url: `/visit/${offerId(slug)}`,
    should_trigger_claim_flow,
  };
}
