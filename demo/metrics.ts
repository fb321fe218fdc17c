/** One line of the live report: the same activity under the name that each report gives it. */
export interface Line {
  readonly name: string;
  readonly channel: string;
  readonly publisher: string;
  readonly meaning: string;
}

/** What both reports count; the numbers of a line must be the same. */
export const COUNTS: readonly Line[] = [
  { name: 'Loads', channel: 'feed_loads', publisher: 'widget_loads', meaning: 'the widget had its answer' },
  {
    name: 'Displays',
    channel: 'widget_displays',
    publisher: 'widget_displays',
    meaning: 'its first pixel was on screen',
  },
  {
    name: 'Viewable',
    channel: 'viewable_widget_displays',
    publisher: 'viewable_widget_displays',
    meaning: 'half of it was, for one second',
  },
  { name: 'Impressions', channel: 'impressions', publisher: 'impressions', meaning: 'offers that were on screen' },
  { name: 'Clicks', channel: 'clicks', publisher: 'clicks', meaning: 'offers that were accepted' },
  {
    name: 'Conversions',
    channel: 'conversions',
    publisher: 'conversions',
    meaning: 'sales that an advertiser reported',
  },
];
/** Each side's share of what the advertiser pays. */
export const PAYOUT: Line = {
  name: 'Payout',
  channel: 'channel_payout',
  publisher: 'publisher_payout',
  meaning: 'each side’s share of what the advertiser pays',
};

/** The columns of the chart, from the bottom of each bar to its top. */
export const SERIES = ['Loads', 'Impressions', 'Clicks', 'Conversions'] as const;
export type SeriesName = (typeof SERIES)[number];

/** What the two reports said at one moment, as a chart needs it. */
export interface Sample {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly counts: Readonly<Record<SeriesName, number>>;
}

/** What the shop's backend tells the report: numbers only, no key. */
export interface ShopReport {
  /** What this shop's widget did since `since`, as the channel and as the publisher see it. */
  readonly shop: { readonly channel: Numbers; readonly publisher: Numbers };
  /** Of the channel's numbers, what happened on order-tracking pages: the publisher report leaves that out. */
  readonly tracking: Numbers;
  readonly samples: readonly Sample[];
  /** The whole channel's last days. */
  readonly days: readonly Readonly<Record<string, string | number | null>>[];
  readonly since: string;
  readonly updated_at: string;
}
export type Numbers = Readonly<Record<string, number>>;

/** What came of a conversion that the advertiser's server reported. */
export interface Sale {
  readonly advertiser: string;
  /** Whether the reports grew by it; a test order's do not. */
  readonly isCounted: boolean;
  readonly channel_payout: number;
  readonly publisher_payout: number;
}
