import type { Asset, Footer, Offer, PlacedGroup, PlacedOffer } from '../../src/wire/offers/response.ts';

const ADVERTISERS = ['Larkspur Coffee', 'Nordlys Sleep', 'Tidewater Books'];
const HEADINGS = [
  'Your first bag of coffee is on us',
  'Thirty nights on a cool mattress',
  'Any audiobook, free for a month',
];
const ACCEPTS = ['Claim my free bag', 'Start the trial', 'Choose a book'];

/** An offer in its place, with everything that an offer can carry. */
export function placed(number = 0, offer: Partial<Offer> = {}, name = ADVERTISERS[number % 3] ?? ''): PlacedOffer {
  return {
    insertion_id: `insertion-${number}`,
    offer_id: `offer-${number}`,
    advertiser_id: `advertiser-${number}`,
    advertiser: {
      id: `advertiser-${number}`,
      name,
      ...(number % 3 === 1 ? {} : { logo_url: `https://images.test/logo-${number}.svg` }),
    },
    offer: {
      id: `creative-${number}`,
      heading: HEADINGS[number % 3] ?? '',
      subheading: 'Delivered within three days. Pause or cancel at any time.',
      target_url: 'https://brand.test/landing',
      cta_details: {
        accept_copy: ACCEPTS[number % 3] ?? '',
        decline_copy: 'No, thanks',
        transition_copy: 'The shop opens in a new tab. Use this code there.',
        claimed_accept_copy: 'Open again',
        claimed_decline_copy: 'Next offer',
      },
      metadata: { type: 'PROMO_CODE', code: 'LARK-2026' },
      disclosure_details: {
        copy: 'New customers only.',
        content: 'One per household.',
        target_url: 'https://brand.test/terms',
      },
      ...offer,
    },
  };
}

/** Pictures of an offer. */
export function pictures(count: number, asset: Partial<Asset> = {}): Asset[] {
  return Array.from({ length: count }, (_, number) => ({
    id: `asset-${number}`,
    asset_type: 'PRODUCT',
    image_url: `https://images.test/photo-${number}.svg`,
    insertion_order: number,
    should_trigger_claim_flow: false,
    ...asset,
  }));
}

/** A group that shows one offer at a time. */
export function hero(...offers: PlacedOffer[]): PlacedGroup {
  return { id: 'group_0', slot_context: 'HERO', offers };
}

/** A group that shows all its offers. */
export function list(...offers: PlacedOffer[]): PlacedGroup {
  return { id: 'group_1', slot_context: 'SCROLLABLE', heading: 'More for you', offers };
}

/** Both parts of a footer. */
export const FOOTER: Footer = {
  attribution_details: {
    copy: 'Powered by Adnet',
    logo_url: 'https://images.test/brand.svg',
    target_url: 'https://network.test/',
  },
  privacy_policy: { copy: 'Privacy', target_url: 'https://network.test/privacy' },
};
