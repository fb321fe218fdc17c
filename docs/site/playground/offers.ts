// What the playground shows: an offer with a picture, one with a code, and one with two products.
import type { FakeOffer } from 'offerlet/testing';

/** The address of pictures on a page from a disk, because the widget asks for none of a page's files. */
export const DISK = 'https://pictures.example/';

export const OFFERS: readonly FakeOffer[] = [
  {
    advertiser: {
      name: 'Tidewell Kitchen',
      description: 'Recipes and everything for them, chopped and weighed.',
      logo_url: pictureUrl('tidewell-kitchen'),
    },
    heading: 'Three dinners for two, half price',
    subheading: 'Chopped, weighed and on your doorstep by Thursday.',
    cta_details: { accept_copy: 'Pick my dinners', decline_copy: 'No thanks' },
    metadata: { type: 'PROMO_CODE', code: 'HALFBOX' },
    assets: picturesOf('IMAGE', 'dinner-table'),
    disclosure_details: { copy: 'First box €27.00, then €54.00 a week until you pause. New customers only.' },
  },
  {
    advertiser: {
      name: 'Morrow & Bean',
      description: 'A roastery that posts on the day it roasts.',
      logo_url: pictureUrl('morrow-and-bean'),
    },
    heading: '40 % off your first month of coffee',
    subheading: 'One bag every two weeks. Pause, skip or stop with one tap.',
    cta_details: { accept_copy: 'Start with 40 % off', decline_copy: 'No thanks' },
    metadata: { type: 'PROMO_CODE', code: 'TUESDAY40' },
    disclosure_details: { copy: 'Renews at €13.50 every two weeks. Cancel any time before the next roast.' },
  },
  {
    advertiser: {
      name: 'Morrow & Bean',
      description: 'A roastery that posts on the day it roasts.',
      logo_url: pictureUrl('morrow-and-bean'),
    },
    heading: 'Free coffee sample box — just pay shipping',
    subheading: 'Three 50 g bags, roasted this week. Shipping is €3.90 and nothing renews.',
    cta_details: { accept_copy: 'Get my box', decline_copy: 'No thanks' },
    assets: picturesOf('PRODUCT', 'coffee-bag', 'espresso-cup'),
    disclosure_details: undefined,
  },
];

/** Where a picture is beside this page. */
function pictureUrl(name: string): string {
  return new URL(`${name}.svg`, location.protocol === 'file:' ? DISK : location.href).href;
}

function picturesOf(asset_type: 'IMAGE' | 'PRODUCT', ...names: string[]): FakeOffer['assets'] {
  return names.map((name, insertion_order) => ({
    id: name,
    asset_type,
    image_url: pictureUrl(name),
    insertion_order,
    should_trigger_claim_flow: asset_type === 'IMAGE',
  }));
}
