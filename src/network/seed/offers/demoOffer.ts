import type { CtaDetails, DisclosureDetails, OfferMetadata } from '../../../wire/offers/response.ts';
import type { AdvertiserSlug } from '../advertisers.ts';

/** A picture in an offer. `picture` names its file. */
export interface DemoAsset {
  picture: string;
  asset_type: 'PRODUCT' | 'IMAGE';
  /** A claim tile counts as the offer's own button; any other only opens its target. */
  should_trigger_claim_flow: boolean;
}

/** An offer of the demo, in the wire's names where it has them. */
export interface DemoOffer {
  slug: string;
  advertiser: AdvertiserSlug;
  /** The name of its subcategory. */
  subcategory: string;
  heading: string;
  subheading?: string;
  cta_details: CtaDetails;
  /** What the advertiser pays for one conversion, as exact decimal text. */
  price: string;
  /** What the advertiser pays in all; without one there is no end. */
  budget?: string;
  /** How much the network likes to show it; 1 unless given. */
  weight?: number;
  metadata?: OfferMetadata;
  assets?: readonly DemoAsset[];
  disclosure_details?: DisclosureDetails;
}

/** The two words every offer needs. */
export function cta(accept_copy: string, decline_copy = 'No thanks'): CtaDetails {
  return { accept_copy, decline_copy };
}

/** A promo code that the widget shows and copies. */
export function promo(code: string): OfferMetadata {
  return { type: 'PROMO_CODE', code };
}

/** A tile of something for sale. A claim tile counts as the offer's own button. */
export function product(picture: string, should_trigger_claim_flow = true): DemoAsset {
  return { picture, asset_type: 'PRODUCT', should_trigger_claim_flow };
}

/** A picture that sets the mood. */
export function image(picture: string): DemoAsset {
  return { picture, asset_type: 'IMAGE', should_trigger_claim_flow: false };
}
