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
  advertiser: (typeof DEMO_ADVERTISERS)[number]['slug'];
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

/** The fifteen advertisers of the demo. `slug` is the name of the logo's file. */
export const DEMO_ADVERTISERS = [
  { slug: 'morrow-and-bean', name: 'Morrow & Bean', description: 'Small-batch coffee, roasted on Tuesdays.' },
  { slug: 'tidewell-kitchen', name: 'Tidewell Kitchen', description: 'Dinner boxes with the chopping already done.' },
  { slug: 'halden-wax', name: 'Halden Wax', description: 'Candles poured by hand from rapeseed wax.' },
  { slug: 'pairwise', name: 'Pairwise', description: 'Socks that outlive the washing machine.' },
  { slug: 'bramblepaw', name: 'Bramblepaw', description: 'Fresh food for dogs and cats, portioned by weight.' },
  { slug: 'fernhollow', name: 'Fernhollow', description: 'House plants for people who forget to water.' },
  { slug: 'stillhour', name: 'Stillhour', description: 'Sleep stories and quiet breaks.' },
  { slug: 'pagewright', name: 'Pagewright', description: 'Audiobooks and magazines, read by people.' },
  { slug: 'wrenline-mobile', name: 'Wrenline Mobile', description: 'Phone plans without a contract.' },
  { slug: 'oakrow-cover', name: 'Oakrow Cover', description: 'Insurance in plain words.' },
  { slug: 'solmara', name: 'Solmara', description: 'Vitamins with the evidence on the label.' },
  { slug: 'vantry', name: 'Vantry', description: 'Luggage that can be repaired.' },
  { slug: 'zaytuna-grove', name: 'بستان الزيتونة', description: 'زيت زيتون وصابون من بستان عائلي.' },
  { slug: 'nana-tea', name: 'בית הנענע', description: 'חליטות ותה עלים, ישר מהשדה.' },
  // Its logo file does not exist, so that the widget's fallback is shown as well.
  { slug: 'fold-and-letter', name: 'Fold & Letter', description: 'Cards and notebooks, printed on cotton paper.' },
] as const;
