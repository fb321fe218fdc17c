import { kindOf, type Metric, type TimeGrain } from '../../wire/reporting.ts';
import type { Parameter, Queries } from '../database/database.ts';
import type { ReportRequest, Grouping, Variant } from './parseReportRequest.ts';
import { FACT_COLUMNS, type FactColumn } from '../database/schema.ts';
import type { DateRange } from '../../wire/utcDates.ts';

/** One row of the result: the totals, repeated on each row, and a row of the page unless the page is empty. */
export interface StatementRow {
  readonly total_rows: number;
  /** Start of the row's unclipped period in seconds since the epoch; null if the page is empty. */
  readonly period: number | null;
  readonly [column: string]: unknown;
}

/** The prefix of the summary's columns in the result. */
export const SUMMARY_PREFIX = 'all_';

const PERIOD_COLUMN: Readonly<Record<Exclude<TimeGrain, 'total'>, string>> = {
  day: 'day',
  week: 'week_start',
  month: 'month_start',
  hour: 'hour',
};

/** The table that a grain is read from. Ranges are whole days, so only hourly reports need the hourly facts. */
function factsBy(grain: TimeGrain): 'hourly_facts' | 'daily_facts' {
  return grain === 'hour' ? 'hourly_facts' : 'daily_facts';
}

/** The columns that groupings add to each row, in order (src/network/contract/rules.md#r22). */
export function groupingColumns(groupBy: readonly Grouping[]): readonly string[] {
  return groupBy.flatMap((grouping) => (grouping === 'publisher' ? ['publisher_id', 'publisher_name'] : [grouping]));
}

/**
 * Selects the page, the number of all rows and their summary in one statement, so that the three agree while events arrive.
 * Facts are summed up into cells, one per period and combination. Cells are sorted by their rounded values; only the
 * page's are returned.
 */
export function reportStatement(
  facts: Condition,
  query: ReportRequest,
  variant: Variant,
): { sql: string; params: readonly Parameter[] } {
  const { metrics, grain, groupBy } = query;
  const sums = [...new Set(metrics.flatMap((metric) => columnsOf(metric, variant)))];
  const keys = [...(grain === 'total' ? [] : [PERIOD_COLUMN[grain]]), ...groupBy.map(factColumn)];
  const cells = [
    `${grain === 'total' ? '0' : `extract(epoch FROM ${PERIOD_COLUMN[grain]})`}::bigint AS period`,
    ...groupBy.map((grouping) =>
      grouping === 'publisher' ? 'publisher_id' : `nullif(${grouping}, '') AS ${grouping}`,
    ),
    ...sums.map((column) => `sum(${column}) AS ${column}`),
  ];
  const columns = ['period', ...groupingColumns(groupBy)];
  const named = columns.map((name) => (name === 'publisher_name' ? 'brand_name AS publisher_name' : name));
  const join = groupBy.includes('publisher') ? 'LEFT JOIN publishers ON publisher_remote_id = publisher_id' : '';
  const shown = metrics.map((metric) => `${metricSql(metric, variant)} AS ${metric}`);
  const summary = metrics.map((metric) => `${metricSql(metric, variant)} AS ${SUMMARY_PREFIX}${metric}`);
  const sql = `
WITH cells AS MATERIALIZED (
  SELECT ${cells.join(', ')} FROM ${factsBy(grain)} WHERE ${facts.sql}
  ${keys.length > 0 ? `GROUP BY ${keys.join(', ')}` : ''} HAVING count(*) > 0
), named AS (
  SELECT ${[...named, ...sums].join(', ')} FROM cells ${join}
), page AS (
  SELECT *, row_number() OVER (ORDER BY ${sortSql(query, variant)}) AS position FROM named
  ORDER BY position LIMIT $${facts.params.length + 1} OFFSET $${facts.params.length + 2}
), shown AS (
  SELECT ${[...columns, 'position', ...shown].join(', ')} FROM page
), totals AS (
  SELECT ${['count(*) AS total_rows', ...sums.map((column) => `coalesce(sum(${column}), 0) AS ${column}`)].join(', ')} FROM cells
), summary AS (
  SELECT ${['total_rows', ...summary].join(', ')} FROM totals
)
SELECT * FROM summary LEFT JOIN shown ON true ORDER BY position`;
  return { sql, params: [...facts.params, query.limit, query.offset] };
}

/** A total order (src/network/contract/rules.md#r33): the requested column, the period, the groupings, the publisher's id. */
function sortSql({ sortBy, sortDirection, sortOrder, groupBy, metrics }: ReportRequest, variant: Variant): string {
  const metric = metrics.find((name) => name === sortBy);
  const column = metric === undefined ? collated(sortBy) : metricSql(metric, variant);
  const first =
    sortBy === 'period_start'
      ? `period ${sortDirection}`
      : `${column} ${sortDirection} NULLS LAST, period ${sortOrder}`;
  const groupings = groupBy.map(
    (grouping) => `${collated(grouping === 'publisher' ? 'publisher_name' : grouping)} ASC NULLS LAST`,
  );
  return [first, ...groupings, ...(groupBy.includes('publisher') ? ['publisher_id'] : [])].join(', ');
}

/** Text is sorted by code point, as on every other database. */
function collated(column: string): string {
  return ['publisher_name', 'page_type', 'widget_type', 'widget_id'].includes(column)
    ? `${column} COLLATE "C"`
    : column;
}

function factColumn(grouping: Grouping): string {
  return grouping === 'publisher' ? 'publisher_id' : grouping;
}

/** Whose activity a key gives access to: one channel's or one publisher's. */
export interface FactsOwner {
  readonly variant: Variant;
  readonly id: string;
}

/** An SQL condition and the values of its `$1`, `$2`, …. */
interface Condition {
  readonly sql: string;
  readonly params: readonly Parameter[];
}

const OBSERVED = FACT_COLUMNS.map((column) => `${column} <> 0`).join(' OR ');

/** The condition for the facts of a report: the owner's, in the range, through all filters (src/network/contract/rules.md#r54). */
export function matchingFacts(owner: FactsOwner, range: DateRange, { filters }: ReportRequest): Condition {
  const params: Parameter[] = [owner.id, range.from, range.to];
  const parts = [`${ownerColumn(owner)} = $1`, 'day >= $2::date', 'day <= $3::date', `(${OBSERVED})`];
  const among = (column: string, values: readonly string[] | undefined, not = ''): void => {
    if (values === undefined) return;
    const places = values.map((value) => `$${params.push(value)}`);
    parts.push(`${column} ${not}IN (${places.join(', ')})`);
  };
  among('page_type', owner.variant.excludedPageTypes, 'NOT ');
  among('publisher_id', filters.publisher_ids);
  among('page_type', filters.page_types);
  among('widget_type', filters.widget_types);
  return { sql: parts.join(' AND '), params };
}

/** The number of facts that meet a condition: hourly ones, the smallest unit there is, where the daily ones may sum up more than `max`. */
export async function countSourceRows(
  db: Queries,
  { sql, params }: Condition,
  { grain, max }: { readonly grain: TimeGrain; readonly max: number },
): Promise<number> {
  const count = async (table: string): Promise<number> => {
    const [row] = await db.query<{ count: number }>(`SELECT count(*) AS count FROM ${table} WHERE ${sql}`, params);
    return row?.count ?? 0;
  };
  const table = factsBy(grain);
  const facts = await count(table);
  return table === 'daily_facts' && facts * 24 > max ? count('hourly_facts') : facts;
}

/** The date of the owner's first activity, and the hour of its latest that is not in the future, of any page type. */
export async function findSpan(
  db: Queries,
  owner: FactsOwner,
  now: Date,
): Promise<{ firstDate?: string; latestHour?: Date | undefined }> {
  const mine = `FROM hourly_facts WHERE ${ownerColumn(owner)} = $1`;
  const [first] = await db.query<{ day: string }>(`SELECT day ${mine} ORDER BY day LIMIT 1`, [owner.id]);
  if (first === undefined) return {};
  const [latest] = await db.query<{ hour: Date }>(
    `SELECT hour ${mine} AND hour <= $2 ORDER BY day DESC, hour DESC LIMIT 1`,
    [owner.id, now],
  );
  return { firstDate: first.day, latestHour: latest?.hour };
}

function ownerColumn({ variant }: FactsOwner): string {
  return variant.name === 'channel' ? 'channel_id' : 'publisher_id';
}

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
function columnsOf(metric: Metric, variant: Variant): readonly FactColumn[] {
  const what = measured(metric, variant);
  return typeof what === 'string' ? [what] : [what.over, what.under];
}

/** The metric as shown, from the exact sums of its columns. It is rounded here and nowhere else, half away from zero. */
function metricSql(metric: Metric, variant: Variant): string {
  const what = measured(metric, variant);
  if (typeof what !== 'string') return ratioSql(what);
  return kindOf(metric) === 'count' ? what : `round(${what}, ${MONEY_PLACES})`;
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
/** Same name as the channel's metric, but another meaning (src/network/contract/rules.md#r42). */
const PUBLISHER_CVR: Ratio = { over: 'conversions', under: 'widget_displays', places: RATIO_PLACES };

function measured(metric: Metric, variant: Variant): FactColumn | Ratio {
  return metric === 'cvr' && variant.name === 'publisher' ? PUBLISHER_CVR : MEASURED[metric];
}
