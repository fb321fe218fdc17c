import type { PublisherStatus } from '../../wire/channel.ts';
import type { DisplayMode, View } from '../../wire/offers/request.ts';

/** Where a demo shop shows offers, and its share of the shop's traffic. */
export interface DemoPlacement {
  page_type: View;
  widget_type: DisplayMode;
  widget_id: string | null;
  share: number;
}

/** A demo shop, or its request. */
export interface DemoPublisher {
  brand_name: string;
  domain: string;
  /** Names from the taxonomy. */
  primary_category: string;
  subcategories: readonly string[];
  status: PublisherStatus;
  /** How many days ago it was requested. */
  requested_days_ago: number;
  staff_notes?: string;
}

/** An approved shop, with traffic. */
export interface DemoShop extends DemoPublisher {
  /** Orders on an average day, two months ago. */
  orders_a_day: number;
  /** The total of an average order. */
  basket: number;
  /** Its offset from UTC in hours: there are few orders at night. */
  utc_offset: number;
  placements: readonly DemoPlacement[];
  /** Names of subcategories that it excludes. */
  external_exclusions?: readonly string[];
}

/** The approved shops. */
export const DEMO_SHOPS: readonly DemoShop[] = (
  [
    {
      brand_name: 'Juniper & Co',
      domain: 'juniper-and-co.example',
      primary_category: 'Home & Garden',
      subcategories: ['Candles', 'Kitchen'],
      orders_a_day: 320,
      basket: 48,
      utc_offset: 1,
      placements: [
        on('THANK_YOU', 'OVERLAY', 0.5),
        on('THANK_YOU', 'INLINE', 0.3, 'below-summary'),
        on('ORDER_STATUS', 'PULLUP', 0.2),
      ],
    },
    {
      brand_name: 'Marlowe Bikes',
      domain: 'marlowe-bikes.example',
      primary_category: 'Travel & Outdoors',
      subcategories: ['Camping'],
      orders_a_day: 90,
      basket: 184,
      utc_offset: 0,
      placements: [on('THANK_YOU', 'INLINE', 0.8), on('ORDER_TRACKING', 'INLINE', 0.2)],
    },
    {
      brand_name: 'Tilda Paper',
      domain: 'tilda-paper.example',
      primary_category: 'Home & Garden',
      subcategories: ['Stationery'],
      orders_a_day: 210,
      basket: 22,
      utc_offset: 1,
      placements: [on('THANK_YOU', 'OVERLAY', 1)],
      external_exclusions: ['Stationery'],
    },
    {
      brand_name: 'Odell Records',
      domain: 'odell-records.example',
      primary_category: 'Entertainment & Media',
      subcategories: ['Magazines'],
      orders_a_day: 130,
      basket: 31,
      utc_offset: -5,
      placements: [on('THANK_YOU', 'PULLUP', 0.7), on('ORDER_STATUS', 'INLINE', 0.3)],
    },
    {
      brand_name: 'Saltbox Swim',
      domain: 'saltbox-swim.example',
      primary_category: 'Fashion & Accessories',
      subcategories: ['Socks & Basics'],
      orders_a_day: 160,
      basket: 64,
      utc_offset: -5,
      placements: [on('THANK_YOU', 'FULLSCREEN', 0.6), on('THANK_YOU', 'INLINE', 0.4, 'footer')],
    },
    {
      brand_name: 'Kettle & Crumb',
      domain: 'kettleandcrumb.example',
      primary_category: 'Food & Drink',
      subcategories: ['Tea', 'Snacks'],
      orders_a_day: 280,
      basket: 27,
      utc_offset: 0,
      placements: [on('THANK_YOU', 'OVERLAY', 0.7), on('ORDER_TRACKING', 'INLINE', 0.3)],
      external_exclusions: ['Tea'],
    },
    {
      brand_name: 'Halcyon Optics',
      domain: 'halcyon-optics.example',
      primary_category: 'Health & Wellness',
      subcategories: ['Yoga & Fitness'],
      orders_a_day: 60,
      basket: 142,
      utc_offset: 1,
      placements: [on('POST_ORDER', 'INLINE', 1)],
    },
    {
      brand_name: 'Bluebird Toys',
      domain: 'bluebird-toys.example',
      primary_category: 'Entertainment & Media',
      subcategories: ['Games'],
      orders_a_day: 240,
      basket: 36,
      utc_offset: -8,
      placements: [on('THANK_YOU', 'OVERLAY', 0.6, 'checkout-end'), on('ORDER_STATUS', 'INLINE', 0.4)],
      external_exclusions: ['Wine'],
    },
    {
      brand_name: 'Perrin Knitwear',
      domain: 'perrin-knitwear.example',
      primary_category: 'Fashion & Accessories',
      subcategories: ['Socks & Basics', 'Shoes'],
      orders_a_day: 110,
      basket: 88,
      utc_offset: 1,
      placements: [on('THANK_YOU', 'INLINE', 1)],
    },
    {
      brand_name: 'Noor Living',
      domain: 'noor-living.example',
      primary_category: 'Home & Garden',
      subcategories: ['Kitchen'],
      orders_a_day: 150,
      basket: 59,
      utc_offset: 3,
      placements: [on('THANK_YOU', 'OVERLAY', 0.5), on('THANK_YOU', 'PULLUP', 0.5)],
    },
    {
      brand_name: 'Yarrow Pharmacy',
      domain: 'yarrow-pharmacy.example',
      primary_category: 'Health & Wellness',
      subcategories: ['Vitamins'],
      orders_a_day: 190,
      basket: 24,
      utc_offset: 2,
      placements: [on('THANK_YOU', 'INLINE', 0.7), on('SUPPORT_CENTER', 'INLINE', 0.3, 'help')],
      external_exclusions: ['Vitamins'],
    },
    {
      // Small, so that most of its hours are empty.
      brand_name: 'Cobbler’s Corner',
      domain: 'cobblers-corner.example',
      primary_category: 'Fashion & Accessories',
      subcategories: ['Shoes'],
      orders_a_day: 9,
      basket: 71,
      utc_offset: 0,
      placements: [on('THANK_YOU', 'INLINE', 1)],
    },
  ] satisfies readonly Omit<DemoShop, 'status' | 'requested_days_ago'>[]
).map((shop, index) => ({ ...shop, status: 'APPROVED', requested_days_ago: 90 - index }));

/** Requests that are not approved. */
export const DEMO_REQUESTS: readonly DemoPublisher[] = [
  {
    status: 'PENDING',
    brand_name: 'Quillfeather Pens',
    domain: 'quillfeather.example',
    primary_category: 'Home & Garden',
    subcategories: ['Stationery'],
    requested_days_ago: 1,
  },
  {
    status: 'PENDING',
    brand_name: 'Otterbank Kayaks',
    domain: 'otterbank.example',
    primary_category: 'Travel & Outdoors',
    subcategories: ['Camping'],
    requested_days_ago: 3,
  },
  {
    status: 'PENDING',
    brand_name: 'Gingham Bakery',
    domain: 'gingham-bakery.example',
    primary_category: 'Food & Drink',
    subcategories: ['Snacks'],
    requested_days_ago: 4,
  },
  {
    status: 'NEEDS_INFO',
    brand_name: 'Lumen Lamps',
    domain: 'lumen-lamps.example',
    primary_category: 'Home & Garden',
    subcategories: ['Kitchen'],
    requested_days_ago: 9,
    staff_notes: 'Which of the two shops on this domain is yours?',
  },
  {
    status: 'NEEDS_INFO',
    brand_name: 'Pebble Pets',
    domain: 'pebble-pets.example',
    primary_category: 'Pets',
    subcategories: ['Pet Toys'],
    requested_days_ago: 12,
    staff_notes: 'The domain answers with a parking page.',
  },
  {
    status: 'REJECTED',
    brand_name: 'Winmore Raffles',
    domain: 'winmore-raffles.example',
    primary_category: 'Entertainment & Media',
    subcategories: ['Games'],
    requested_days_ago: 20,
    staff_notes: 'Raffles are outside the programme.',
  },
  {
    status: 'REJECTED',
    brand_name: 'Cask & Cellar Outlet',
    domain: 'cask-cellar.example',
    primary_category: 'Food & Drink',
    subcategories: ['Wine'],
    requested_days_ago: 33,
    staff_notes: 'The site sells to minors.',
  },
];

function on(page_type: View, widget_type: DisplayMode, share: number, widget_id: string | null = null): DemoPlacement {
  return { page_type, widget_type, share, widget_id };
}
