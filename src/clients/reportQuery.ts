import type {
  ChannelGrouping,
  ChannelMetric,
  PublisherGrouping,
  PublisherMetric,
  TimeGrain,
} from '../wire/reporting.ts';

/** Who reports: a channel on all its publishers, or one publisher on itself. */
export type ReportVariant = 'channel' | 'publisher';

interface SharedQuery<Metric extends string, Grouping extends string> {
  /** Inclusive UTC date, YYYY-MM-DD; only together with `to`. */
  readonly from?: string | undefined;
  /** Inclusive UTC date, YYYY-MM-DD; not in the future. */
  readonly to?: string | undefined;
  /** Columns, in the order of the answer. */
  readonly metrics?: readonly Metric[] | undefined;
  readonly time_grain?: TimeGrain | undefined;
  /** Up to three. */
  readonly group_by?: readonly Grouping[] | undefined;
  readonly sort_order?: 'asc' | 'desc' | undefined;
  readonly page_types?: readonly string[] | undefined;
  readonly widget_types?: readonly string[] | undefined;
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}

/** What a channel may ask for. */
export interface ChannelReportQuery extends SharedQuery<ChannelMetric, ChannelGrouping> {
  readonly sort_by?:
    | 'period_start'
    | 'publisher_name'
    | ChannelMetric
    | Exclude<ChannelGrouping, 'publisher'>
    | undefined;
  readonly sort_direction?: 'asc' | 'desc' | undefined;
  readonly publisher_ids?: readonly string[] | undefined;
}

/** What a publisher may ask for. */
export type PublisherReportQuery = SharedQuery<PublisherMetric, PublisherGrouping>;

/** The query of a variant, in the wire's own names. */
export type ReportQuery<V extends ReportVariant> = V extends 'channel' ? ChannelReportQuery : PublisherReportQuery;

/** The parameters of a query: lists joined by commas, what is undefined left out, everything else for the network to judge. */
export function reportParams(query: object): URLSearchParams {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) params.set(name, Array.isArray(value) ? joined(name, value) : String(value));
  }
  return params;
}

function joined(name: string, values: readonly unknown[]): string {
  for (const value of values) {
    if (String(value).includes(','))
      throw new TypeError(`${name}: a value cannot hold a comma, which separates values`);
  }
  return values.join(',');
}
