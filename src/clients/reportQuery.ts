import type {
  ChannelGrouping,
  ChannelMetric,
  PublisherGrouping,
  PublisherMetric,
  TimeGrain,
} from '../wire/reporting.ts';

/** Whose report: a channel's on all its publishers, or one publisher's own. */
export type ReportVariant = 'channel' | 'publisher';

interface SharedQuery<Metric extends string, Grouping extends string> {
  /** First UTC date, YYYY-MM-DD. Requires `to`. */
  readonly from?: string | undefined;
  /** Last UTC date, included, YYYY-MM-DD; not in the future. Requires `from`. */
  readonly to?: string | undefined;
  /** The columns, in the order of the response. */
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

/** The query of a channel report. */
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

/** The query of a publisher report. */
export type PublisherReportQuery = SharedQuery<PublisherMetric, PublisherGrouping>;

/** The query of a report, with the parameter names of the API. */
export type ReportQuery<V extends ReportVariant> = V extends 'channel' ? ChannelReportQuery : PublisherReportQuery;

/** Returns the parameters of a query: arrays joined by commas, undefined values left out. The network validates the rest. */
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
      throw new TypeError(`${name} must not contain a value with a comma, because commas separate values.`);
  }
  return values.join(',');
}
