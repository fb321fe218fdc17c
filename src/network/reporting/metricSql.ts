import { COUNT_METRICS } from '../../wire/reporting.ts';
import type { FactColumn } from '../facts/factColumns.ts';
import type { Metric, Variant } from './variant.ts';

const MONEY_PLACES = 2;
const RATIO_PLACES = 4;
/** Revenue per load is mostly below a cent: with two decimals most values would be 0.01. */
const RPL_PLACES = 4;

interface Ratio {
  readonly over: FactColumn;
  readonly under: FactColumn;
  readonly places: number;
}

/** The columns that a metric is calculated from. */
export function columnsOf(metric: Metric, variant: Variant): readonly FactColumn[] {
  const what = measured(metric, variant);
  return typeof what === 'string' ? [what] : [what.over, what.under];
}

/** The metric as shown, from the exact sums of its columns. It is rounded here and nowhere else, half away from zero. */
export function metricSql(metric: Metric, variant: Variant): string {
  const what = measured(metric, variant);
  if (typeof what !== 'string') return ratioSql(what);
  return COUNT_METRICS.has(metric) ? what : `round(${what}, ${MONEY_PLACES})`;
}

/**
 * The ratio of two sums, or 0 if the divisor is 0. Not `round(a / b, 4)`: numeric division already rounds, to about 16
 * digits, and rounding twice can give another result. `div` and the product are exact; no sum is negative.
 */
function ratioSql({ over, under, places }: Ratio): string {
  const scale = 2 * 10 ** places;
  return `CASE WHEN ${under} = 0 THEN 0 ELSE div(${scale} * ${over} + ${under}, 2 * ${under}) * ${(10 ** -places).toFixed(places)} END`;
}

/** What each metric is: a measured column, or the ratio of two. */
const MEASURED: Readonly<Record<Metric, FactColumn | Ratio>> = {
  impressions: 'impressions',
  clicks: 'clicks',
  conversions: 'conversions',
  channel_payout: 'channel_payout',
  publisher_payout: 'publisher_payout',
  revenue_with_email: 'revenue_with_email',
  revenue_without_email: 'revenue_without_email',
  // One column has two names: one for channels, one for publishers.
  feed_loads: 'feed_loads',
  widget_loads: 'feed_loads',
  widget_displays: 'widget_displays',
  viewable_widget_displays: 'viewable_widget_displays',
  order_revenue_amount: 'order_revenue_amount',
  attributed_ad_spend_amount: 'attributed_ad_spend_amount',
  billable_ad_spend_amount: 'billable_ad_spend_amount',
  ctr: { over: 'clicks', under: 'impressions', places: RATIO_PLACES },
  cvr: { over: 'conversions', under: 'clicks', places: RATIO_PLACES },
  rpl: { over: 'channel_payout', under: 'feed_loads', places: RPL_PLACES },
  attributed_cpa: { over: 'attributed_ad_spend_amount', under: 'conversions', places: MONEY_PLACES },
};
/** Same name as the channel's metric, but another meaning (docs/rules.md#r42). */
const PUBLISHER_CVR: Ratio = { over: 'conversions', under: 'widget_displays', places: RATIO_PLACES };

function measured(metric: Metric, variant: Variant): FactColumn | Ratio {
  return metric === 'cvr' && variant.name === 'publisher' ? PUBLISHER_CVR : MEASURED[metric];
}
