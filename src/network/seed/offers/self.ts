import { cta, image, product, promo } from './demoOffer.ts';
import type { DemoOffer } from './demoOffer.ts';

/** Socks, luggage, vitamins and sleep. */
export const SELF_OFFERS: readonly DemoOffer[] = [
  {
    slug: 'two-pairs',
    advertiser: 'pairwise',
    subcategory: 'Socks & Basics',
    price: '5.20',
    weight: 1.2,
    heading: 'Buy one pair, the second is free',
    subheading: 'Merino, reinforced at heel and toe. Code at checkout.',
    cta_details: cta('Pick two pairs'),
    metadata: promo('SECONDSOCK'),
    assets: [product('socks-stripe'), product('socks-dot')],
  },
  {
    slug: 'lost-sock',
    advertiser: 'pairwise',
    subcategory: 'Socks & Basics',
    price: '2.10',
    heading: 'Lost one sock? We sell singles',
    subheading: '€4 each, any colour since our first season.',
    cta_details: cta('Find my sock', 'All paired up'),
  },
  {
    slug: 'house-slippers',
    advertiser: 'pairwise',
    subcategory: 'Shoes',
    price: '6.90',
    heading: 'Felt slippers, 25 % off until Sunday',
    cta_details: cta('Warm my feet'),
    metadata: promo('SLIPPER25'),
  },
  {
    slug: 'cabin-case',
    advertiser: 'vantry',
    subcategory: 'Bags & Luggage',
    price: '22.00',
    budget: '30000.00',
    weight: 0.9,
    heading: '€30 off a cabin case you can repair yourself',
    subheading: 'Every wheel, zip and handle unscrews. Spare parts cost less than a sandwich.',
    cta_details: cta('See the case'),
    metadata: promo('UNSCREW30'),
    assets: [product('cabin-case')],
    disclosure_details: { copy: 'Valid on full-price cases. Thirty days to return it, travelled with or not.' },
  },
  {
    slug: 'weekend-bag',
    advertiser: 'vantry',
    subcategory: 'Bags & Luggage',
    price: '13.50',
    heading: 'A weekend bag made from last year’s sails',
    subheading: 'Each one is different; yours has a number. From €79.',
    cta_details: cta('Find my bag'),
    assets: [image('weekend-bag')],
  },
  {
    slug: 'packing-cubes',
    advertiser: 'vantry',
    subcategory: 'Camping',
    price: '4.40',
    // Longer than any card wants to be: copy has to be cut somewhere and still read well.
    heading:
      'Four packing cubes that turn the suitcase you have into a chest of drawers, with room for the shoes and a pocket for everything you always forget',
    subheading:
      'The large one holds a week of shirts, the medium one holds jumpers, the flat one keeps what must not crease, and the small one is for ' +
      'cables, chargers and the adapter that nobody can ever find. Made from recycled sailcloth, sewn in one workshop, washable at thirty ' +
      'degrees, guaranteed for ten years, and delivered in an envelope that becomes the bag for your laundry on the way home.',
    cta_details: cta('Get the set of four for 24', 'I travel light'),
  },
  {
    slug: 'winter-vitamins',
    advertiser: 'solmara',
    subcategory: 'Vitamins',
    price: '9.80',
    heading: 'First month of winter vitamins for €5',
    subheading: 'Vitamin D and nothing you do not need. Every batch tested; results printed on the lid.',
    cta_details: cta('Start for €5'),
    assets: [product('vitamin-jar')],
    disclosure_details: {
      copy: 'Renews at €14.00 a month. Food supplements do not replace a balanced diet.',
      content:
        'Keep out of reach of children. Do not exceed the daily portion. Ask your doctor first if you are pregnant or take medicines.',
    },
  },
  {
    slug: 'vitamin-check',
    advertiser: 'solmara',
    subcategory: 'Vitamins',
    price: '3.30',
    heading: 'Do you need vitamins at all? Two-minute check',
    subheading: 'Eleven questions. One in three people is told: no.',
    cta_details: cta('Take the check'),
  },
  {
    slug: 'sleep-month',
    advertiser: 'stillhour',
    subcategory: 'Sleep & Meditation',
    price: '4.60',
    weight: 1.1,
    heading: 'A month of sleep stories, free 🌙',
    subheading: 'No card asked. It simply ends after thirty days.',
    cta_details: cta('Sleep better'),
    assets: [image('night-hills')],
  },
  {
    slug: 'quiet-breaks',
    advertiser: 'stillhour',
    subcategory: 'Yoga & Fitness',
    price: '2.80',
    heading: 'Seven-minute breaks for desk days',
    subheading: 'Stretch, breathe, look out of the window. 50 % off the first year.',
    cta_details: cta('Take a break', 'Too busy'),
    metadata: promo('SEVENMIN'),
  },
];
