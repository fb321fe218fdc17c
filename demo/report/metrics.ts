/** One line of the live report: one activity, and its metric in each report. */
export interface Line {
  readonly name: string;
  readonly channel: string;
  readonly publisher: string;
  readonly meaning: string;
}

/** What both reports count. The two numbers of a line must be equal. */
export const COUNTS: readonly Line[] = [
  { name: 'Loads', channel: 'feed_loads', publisher: 'widget_loads', meaning: 'the widget received a response' },
  {
    name: 'Displays',
    channel: 'widget_displays',
    publisher: 'widget_displays',
    meaning: 'a part of the widget was on screen',
  },
  {
    name: 'Viewable',
    channel: 'viewable_widget_displays',
    publisher: 'viewable_widget_displays',
    meaning: 'half of the widget was on screen for one second',
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

/** The columns of the days, by the same names as above. */
export const DAY_COLUMNS = [
  { name: 'Payout', metric: 'channel_payout' },
  { name: 'Loads', metric: 'feed_loads' },
  { name: 'Displays', metric: 'widget_displays' },
  { name: 'Impressions', metric: 'impressions' },
  { name: 'Clicks', metric: 'clicks' },
  { name: 'Conversions', metric: 'conversions' },
  { name: 'CTR', metric: 'ctr' },
] as const;

/** The series of the chart, from top to bottom. */
export const SERIES = ['Loads', 'Impressions', 'Clicks', 'Conversions'] as const;
export type SeriesName = (typeof SERIES)[number];

/** The counts at one moment, for the chart. */
export interface Sample {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly counts: Readonly<Record<SeriesName, number>>;
}

/** What the shop's backend sends to the report's page: only numbers, no key. */
export interface ShopReport {
  /** The activity of this shop's widget since `since`, in the channel's and in the publisher's report. */
  readonly shop: { readonly channel: Numbers; readonly publisher: Numbers };
  /** The channel's numbers on order-tracking pages, which the publisher report leaves out. */
  readonly tracking: Numbers;
  readonly samples: readonly Sample[];
  /** The whole channel's last days, and their totals. */
  readonly days: readonly Readonly<Record<string, string | number | null>>[];
  readonly total: Numbers;
  readonly since: string;
  readonly updated_at: string;
}
export type Numbers = Readonly<Record<string, number>>;

/** The effect of a conversion that the advertiser's server reported. */
export interface Sale {
  readonly advertiser: string;
  /** Whether the reports count it; sales of test orders are not counted. */
  readonly isCounted: boolean;
  readonly channel_payout: number;
  readonly publisher_payout: number;
}
