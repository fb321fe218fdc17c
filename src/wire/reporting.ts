// The Reporting API V2: one request shape and one response shape for its two variants.

import { isObject, own } from './json.ts';

export const CHANNEL_REPORT_PATH = '/adnet/reporting/v2/report/';
export const PUBLISHER_REPORT_PATH = '/analysis/publisher-reporting/v2/report/';

export const TIME_GRAINS = ['total', 'day', 'week', 'month', 'hour'] as const;
export type TimeGrain = (typeof TIME_GRAINS)[number];

/** In the order of the response when the request names no metrics. */
export const CHANNEL_METRICS = [
  'impressions',
  'clicks',
  'conversions',
  'channel_payout',
  'revenue_with_email',
  'revenue_without_email',
  'feed_loads',
  'widget_displays',
  'viewable_widget_displays',
  'order_revenue_amount',
  'attributed_ad_spend_amount',
  'billable_ad_spend_amount',
  'ctr',
  'cvr',
  'rpl',
  'attributed_cpa',
] as const;
export const PUBLISHER_METRICS = [
  'publisher_payout',
  'widget_loads',
  'widget_displays',
  'viewable_widget_displays',
  'impressions',
  'clicks',
  'conversions',
  'ctr',
  'cvr',
] as const;
export type ChannelMetric = (typeof CHANNEL_METRICS)[number];
export type PublisherMetric = (typeof PUBLISHER_METRICS)[number];
/** Any metric of either report. */
export type Metric = ChannelMetric | PublisherMetric;

/**
 * What a metric is. `spend` is money that advertisers pay: more of it is neither good nor bad for a channel. Ratios of two sums:
 * a `share` is shown in per cent, a `yield` is money per load, mostly below a cent, and a `cost` is money per conversion.
 */
type MetricKind = 'count' | 'money' | 'spend' | 'share' | 'yield' | 'cost';

const METRIC_KINDS = {
  impressions: 'count',
  clicks: 'count',
  conversions: 'count',
  channel_payout: 'money',
  publisher_payout: 'money',
  revenue_with_email: 'money',
  revenue_without_email: 'money',
  feed_loads: 'count',
  widget_loads: 'count',
  widget_displays: 'count',
  viewable_widget_displays: 'count',
  order_revenue_amount: 'money',
  attributed_ad_spend_amount: 'spend',
  billable_ad_spend_amount: 'spend',
  ctr: 'share',
  cvr: 'share',
  rpl: 'yield',
  attributed_cpa: 'cost',
} as const satisfies Record<Metric, MetricKind>;

type KindOf<Name extends Metric> = (typeof METRIC_KINDS)[Name];
/** A channel's metrics that are ratios of two others. */
export type ChannelRatio = {
  [Name in ChannelMetric]: KindOf<Name> extends 'share' | 'yield' | 'cost' ? Name : never;
}[ChannelMetric];

/** What a metric is, or `undefined` for one that is not known here: a report shows whatever columns the network sends. */
export function kindOf(metric: string): MetricKind | undefined {
  return own(METRIC_KINDS, metric) as MetricKind | undefined;
}

/** Whether a metric is a share: a change from 2 % to 3 % is one point, not 50 %. */
export function isShare(metric: string): boolean {
  return kindOf(metric) === 'share';
}

export const CHANNEL_GROUPINGS = ['publisher', 'page_type', 'widget_type', 'widget_id'] as const;
export const PUBLISHER_GROUPINGS = ['page_type', 'widget_type', 'widget_id'] as const;
export type ChannelGrouping = (typeof CHANNEL_GROUPINGS)[number];
export type PublisherGrouping = (typeof PUBLISHER_GROUPINGS)[number];

/** One flat row: the period, the grouping columns, the selected metrics. */
export interface ReportRow {
  period_start: string;
  period_end: string;
  [column: string]: string | number | null;
}

export interface Report {
  data: readonly ReportRow[];
  summary: Readonly<Record<string, number>>;
  pagination: { offset: number; limit: number; total: number; has_more: boolean };
  meta: { timezone: string; data_through: string | null; request_id: string };
}

export const REPORT_ERROR_CODES = [
  'METRIC_NOT_AVAILABLE',
  'REPORTING_DATA_UNAVAILABLE',
  'DATE_RANGE_OUTSIDE_AVAILABLE_WINDOW',
  'REPORT_ROW_LIMIT_EXCEEDED',
  'REPORTING_SOURCE_ROW_LIMIT_EXCEEDED',
] as const;
export type ReportErrorCode = (typeof REPORT_ERROR_CODES)[number];

/** The text columns; all others are metrics. */
const TEXT_COLUMNS: ReadonlySet<string> = new Set([
  'period_start',
  'period_end',
  'publisher_id',
  'publisher_name',
  'page_type',
  'widget_type',
  'widget_id',
]);

/** Whether a column holds text; all others are metrics. */
export function isTextColumn(name: string): boolean {
  return TEXT_COLUMNS.has(name);
}

/**
 * Reads a report. Metrics become numbers even if the network sent strings, and times become `YYYY-MM-DDTHH:MM:SSZ` from any
 * ISO 8601 form. Returns `undefined` when the body is not a report.
 */
export function readReport(json: unknown): Report | undefined {
  const data = own(json, 'data');
  const { offset, limit, total, has_more } = readFields(own(json, 'pagination'));
  const { timezone, data_through, request_id } = readFields(own(json, 'meta'));
  const summary = readColumns(own(json, 'summary'));
  if (!Array.isArray(data) || !summary) return undefined;
  if (typeof offset !== 'number' || typeof limit !== 'number' || typeof total !== 'number') return undefined;
  if (typeof has_more !== 'boolean') return undefined;
  const rows: ReportRow[] = [];
  for (const item of data) {
    const row = readColumns(item);
    if (!row || !isRow(row)) return undefined;
    rows.push(row);
  }
  return {
    data: rows,
    summary: summary as Record<string, number>,
    pagination: { offset, limit, total, has_more },
    meta: {
      timezone: typeof timezone === 'string' ? timezone : 'UTC',
      data_through: readTime(data_through) ?? null,
      request_id: typeof request_id === 'string' ? request_id : '',
    },
  };
}

function readFields(json: unknown): Readonly<Record<string, unknown>> {
  return isObject(json) ? json : {};
}

function isRow(row: Record<string, string | number | null>): row is ReportRow {
  return typeof row['period_start'] === 'string' && typeof row['period_end'] === 'string';
}

/** Returns the columns in their order, or `undefined` when one has the wrong type. */
function readColumns(json: unknown): Record<string, string | number | null> | undefined {
  if (!isObject(json)) return undefined;
  const columns: Record<string, string | number | null> = {};
  for (const [name, value] of Object.entries(json)) {
    const isText = isTextColumn(name);
    const read = name.startsWith('period_') ? readTime(value) : isText ? readText(value) : readNumber(value);
    if (read === undefined) return undefined;
    columns[name] = read;
  }
  return columns;
}

function readText(value: unknown): string | null | undefined {
  return typeof value === 'string' || value === null ? value : undefined;
}

function readNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

function readTime(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  // A time without a zone is UTC, but Date.parse would read it as local time.
  const hasZone = !value.includes('T') || /(Z|[+-]\d\d(:?\d\d)?)$/i.test(value);
  const time = Date.parse(hasZone ? value : `${value}Z`);
  return Number.isNaN(time) ? undefined : `${new Date(time).toISOString().slice(0, 19)}Z`;
}

/** The columns that rows of a type can have. Rows of which nothing is known can have any. */
export type CsvColumn<Row> = [Row] extends [never]
  ? string
  : keyof Row extends never
    ? string
    : Row extends { readonly change: infer Change }
      ?
          | Exclude<keyof Row & string, 'counterpart' | 'change'>
          | `${keyof Change & string}_${'before' | 'change_percent' | 'change_points'}`
      : keyof Row & string;
