import type {
  ChannelGrouping,
  ChannelMetric,
  PublisherGrouping,
  PublisherMetric,
  TimeGrain,
} from '../../wire/reporting.ts';
import { comparedDates, COMPARES, type Compare, type ComparedPeriods } from './comparedDates.ts';
import { dateOf, isDate } from '../../wire/utcDates.ts';

/** Whose report: a channel's on all its publishers, or one publisher's own. */
export type ReportVariant = 'channel' | 'publisher';

interface SharedQuery<Metric extends string, Grouping extends string> {
  /** First UTC date: YYYY-MM-DD, or a Date, of which only the UTC date is used. Requires `to`. */
  readonly from?: string | Date | undefined;
  /** Last UTC date, included; not in the future. Requires `from`. */
  readonly to?: string | Date | undefined;
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
  /** Adds to each row its counterpart in the dates just before, or a year earlier. Requires `from` and `to`. */
  readonly compare?: Compare | undefined;
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
    if (value === undefined || name === 'compare') continue;
    params.set(
      name,
      Array.isArray(value) ? joined(name, value) : isDateName(name) ? dateText(name, value) : String(value),
    );
  }
  return params;
}

/** Returns the dates of a comparison. Throws a TypeError when they or `compare` are not valid. */
export function comparisonOf(query: ReportQuery<ReportVariant>): ComparedPeriods | undefined {
  const { compare, from, to, time_grain: grain = 'total' } = query;
  if (compare === undefined) return undefined;
  if (!COMPARES.includes(compare)) throw new TypeError("compare must be 'previous' or 'year'.");
  if (from === undefined || to === undefined)
    throw new TypeError("compare requires from and to. Use period('last_7_days'), for example.");
  const dates = { from: dateText('from', from), to: dateText('to', to) };
  if (!isDate(dates.from) || !isDate(dates.to) || dates.from > dates.to)
    throw new TypeError('from and to must be dates such as 2026-11-20, and from must not be after to.');
  return { dates, compared: comparedDates(dates, compare, grain), grain };
}

function isDateName(name: string): boolean {
  return name === 'from' || name === 'to';
}

function dateText(name: string, value: unknown): string {
  if (!(value instanceof Date)) return String(value);
  if (Number.isNaN(value.getTime())) throw new TypeError(`${name} is not a valid date.`);
  return dateOf(value.getTime());
}

function joined(name: string, values: readonly unknown[]): string {
  for (const value of values) {
    if (String(value).includes(','))
      throw new TypeError(`${name} must not contain a value with a comma, because commas separate values.`);
  }
  return values.join(',');
}
