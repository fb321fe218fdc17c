// The Reporting API V2: one request shape and one response shape for its two variants.

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

/** Metrics that are counts. All others are amounts of money or ratios of two sums. */
export const COUNT_METRICS: ReadonlySet<string> = new Set([
  'impressions',
  'clicks',
  'conversions',
  'feed_loads',
  'widget_loads',
  'widget_displays',
  'viewable_widget_displays',
]);

/** Whether a metric is a share, which is shown in per cent: a change from 2 % to 3 % is one point, not 50 %. */
export function isRatio(metric: string): boolean {
  return metric === 'ctr' || metric === 'cvr';
}

/** Decimals of a change, the same wherever it is shown: two for points, one for per cent, none from 1,000 % on. */
export function changeDecimals(change: number, unit: 'points' | 'percent'): number {
  return unit === 'points' ? 2 : Math.abs(change) >= 1_000 ? 0 : 1;
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
