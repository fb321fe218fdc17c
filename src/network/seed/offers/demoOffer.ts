import type { CtaDetails, DisclosureDetails, OfferMetadata } from '../../../wire/offers/response.ts';
import type { AdvertiserSlug } from '../advertisers.ts';

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
  advertiser: AdvertiserSlug;
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

/** The copy of the two buttons. */
export function cta(accept_copy: string, decline_copy = 'No thanks'): CtaDetails {
  return { accept_copy, decline_copy };
}

/** A promo code that the widget shows and copies. */
export function promo(code: string): OfferMetadata {
  return { type: 'PROMO_CODE', code };
}

/** A product tile. By default a click on it counts as a click on the offer's button. */
export function product(picture: string, should_trigger_claim_flow = true): DemoAsset {
  return { picture, asset_type: 'PRODUCT', should_trigger_claim_flow };
}

/** A decorative picture. */
export function image(picture: string): DemoAsset {
  return { picture, asset_type: 'IMAGE', should_trigger_claim_flow: false };
}
