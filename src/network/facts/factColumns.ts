/** The measured columns that are counts. */
export const COUNT_COLUMNS = [
  'impressions',
  'clicks',
  'conversions',
  'feed_loads',
  'widget_displays',
  'viewable_widget_displays',
] as const;

/** The measured columns that are money: exact decimals. */
export const MONEY_COLUMNS = [
  'channel_payout',
  'publisher_payout',
  'revenue_with_email',
  'revenue_without_email',
  'order_revenue_amount',
  'attributed_ad_spend_amount',
  'billable_ad_spend_amount',
] as const;

/** All measured columns. Reports show a fact only if one of them is not 0 (docs/rules.md#r23). */
export const FACT_COLUMNS = [...COUNT_COLUMNS, ...MONEY_COLUMNS] as const;
export type FactColumn = (typeof FACT_COLUMNS)[number];
