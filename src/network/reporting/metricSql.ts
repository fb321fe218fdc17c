import { FACT_COLUMNS, type FactColumn } from '../facts/factColumns.ts';
import type { Metric, Variant } from './variant.ts';

const MONEY_PLACES = 2;
const RATIO_PLACES = 4;
/** Revenue per load is mostly below a cent: two decimals would show 0.01 for everything (R43). */
const RPL_PLACES = 4;

interface Ratio {
  readonly over: FactColumn;
  readonly under: FactColumn;
  readonly places: number;
}

const COUNTS: ReadonlySet<Metric> = new Set<Metric>([
  'impressions',
  'clicks',
  'conversions',
  'feed_loads',
  'widget_loads',
  'widget_displays',
  'viewable_widget_displays',
]);

/** The facts that a metric is made from. */
export function columnsOf(metric: Metric, variant: Variant): readonly FactColumn[] {
  const ratio = ratioOf(metric, variant);
  return ratio === undefined ? [columnOf(metric)] : [ratio.over, ratio.under];
}

/** The metric as shown, from the exact sums of its columns: rounded here and nowhere else, half away from zero (R44). */
export function metricSql(metric: Metric, variant: Variant): string {
  const ratio = ratioOf(metric, variant);
  if (ratio !== undefined) return ratioSql(ratio);
  return COUNTS.has(metric) ? columnOf(metric) : `round(${columnOf(metric)}, ${MONEY_PLACES})`;
}

/**
 * The ratio of two sums, 0 when there is nothing to divide by (R41). Not `round(a / b, 4)`: numeric division already
 * rounds, to some 16 digits, and rounding twice can differ. `div` is exact, and so is the product; no sum is negative.
 */
function ratioSql({ over, under, places }: Ratio): string {
  const scale = 2 * 10 ** places;
  return `CASE WHEN ${under} = 0 THEN 0 ELSE div(${scale} * ${over} + ${under}, 2 * ${under}) * ${(10 ** -places).toFixed(places)} END`;
}

const RATIOS: Partial<Readonly<Record<Metric, Ratio>>> = {
  ctr: { over: 'clicks', under: 'impressions', places: RATIO_PLACES },
  cvr: { over: 'conversions', under: 'clicks', places: RATIO_PLACES },
  rpl: { over: 'channel_payout', under: 'feed_loads', places: RPL_PLACES },
  attributed_cpa: { over: 'attributed_ad_spend_amount', under: 'conversions', places: MONEY_PLACES },
};
/** The same name as the channel's, but another meaning (R42). */
const PUBLISHER_CVR: Ratio = { over: 'conversions', under: 'widget_displays', places: RATIO_PLACES };

function ratioOf(metric: Metric, variant: Variant): Ratio | undefined {
  return metric === 'cvr' && variant.name === 'publisher' ? PUBLISHER_CVR : RATIOS[metric];
}

/** Channels call them feed loads, publishers widget loads: one fact. */
function columnOf(metric: Metric): FactColumn {
  const name = metric === 'widget_loads' ? 'feed_loads' : metric;
  const column = FACT_COLUMNS.find((fact) => fact === name);
  if (column === undefined) throw new Error(`${metric} is not a measured metric`);
  return column;
}
