import publishers from './publishers.json' with { type: 'json' };
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
  /** Names from the taxonomy; the category of the first is the primary one. */
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

/** The approved shops. The last one is small, so that most of its hours are empty. */
export const DEMO_SHOPS = Object.entries(publishers.shops).map(([domain, shop], index) => ({
  domain,
  ...shop,
  status: 'APPROVED',
  requested_days_ago: 90 - index,
})) as readonly DemoShop[];

/** Requests that are not approved. */
export const DEMO_REQUESTS = Object.entries(publishers.requests).map(([domain, one]) => ({
  domain,
  ...one,
})) as readonly DemoPublisher[];
