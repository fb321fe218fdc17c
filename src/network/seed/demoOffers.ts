import catalogue from './offers.json' with { type: 'json' };
import type { CtaDetails, DisclosureDetails, OfferMetadata } from '../../wire/offers/response.ts';

/** A picture in an offer. `picture` is the name of its file. */
export interface DemoAsset {
  picture: string;
  asset_type: 'PRODUCT' | 'IMAGE';
  /** Whether a click on it counts as a click on the offer's button; otherwise it only opens its target. */
  should_trigger_claim_flow: boolean;
}

/** A demo offer, with the field names of the API. */
export interface DemoOffer {
  slug: string;
  advertiser: string;
  /** The name of its subcategory. */
  subcategory: string;
  /** The ISO 639 code of its texts, where they are not for everybody. */
  language?: string;
  heading: string;
  subheading?: string;
  cta_details: CtaDetails;
  /** What the advertiser pays for one conversion, as exact decimal text. */
  price: string;
  /** What the advertiser pays in total; unlimited if missing. */
  budget?: string;
  /** Its weight in the draw; 1 by default. */
  weight?: number;
  metadata?: OfferMetadata;
  assets?: readonly DemoAsset[];
  disclosure_details?: DisclosureDetails;
}

/** The fifteen advertisers of the demo. `slug` is the name of the logo's file; one does not exist, so that the widget's fallback is shown as well. */
export const DEMO_ADVERTISERS = Object.entries(catalogue.advertisers).map(([slug, one]) => ({ slug, ...one }));

/**
 * The 46 offers of the demo: two each in German, French and Spanish, which pages in another language never get, and one whose
 * copy is longer than any card wants to be.
 */
export const DEMO_OFFERS = Object.entries(catalogue.offers).map(([slug, one]) => ({
  slug,
  ...one,
})) as readonly DemoOffer[];
