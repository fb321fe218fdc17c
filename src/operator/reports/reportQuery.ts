import { comparedDates, COMPARES, type Compare, type ComparedPeriods } from './period.ts';
import {
  CHANNEL_GROUPINGS,
  CHANNEL_METRICS,
  PUBLISHER_GROUPINGS,
  PUBLISHER_METRICS,
  type ChannelGrouping,
  type ChannelMetric,
  type PublisherGrouping,
  type PublisherMetric,
  type TimeGrain,
  type CsvColumn,
  type Report,
  isShare,
} from '../../wire/reporting.ts';
import { dateOf, isDate, type DateRange } from '../../wire/utcDates.ts';

/** Whose report: a channel's on all its publishers, or one publisher's own. */
export type ReportVariant = 'channel' | 'publisher';

type Names = Readonly<Record<ReportVariant, readonly string[]>>;
/** The metrics of each variant, in the network's order. */
export const METRICS: Names = { channel: CHANNEL_METRICS, publisher: PUBLISHER_METRICS };
/** The breakdowns of each variant. */
export const GROUPINGS: Names = { channel: CHANNEL_GROUPINGS, publisher: PUBLISHER_GROUPINGS };

/** The dates of a report: both or neither. They are required to compare with others. */
type ReportDates =
  | {
      /** First UTC date: YYYY-MM-DD, or a Date, of which only the UTC date is used. Requires `to`. */
      readonly from: string | Date;
      /** Last UTC date, included; not in the future. Requires `from`. */
      readonly to: string | Date;
      /** Adds to each row its counterpart in the dates before, a year earlier, or other dates. Requires `from` and `to`. */
      readonly compare?: Compare | DateRange | undefined;
    }
  | { readonly from?: undefined; readonly to?: undefined; readonly compare?: undefined };

/** The dates of the counterparts, both included. */
export interface ComparedDates extends DateRange {
  /** When the last day is compared with today: the hours of it that count. */
  readonly hours?: number;
}

interface SharedQuery<Metric extends string, Grouping extends string> {
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
export type ChannelReportQuery = SharedQuery<ChannelMetric, ChannelGrouping> & {
  readonly sort_by?:
    | 'period_start'
    | 'publisher_name'
    | ChannelMetric
    | Exclude<ChannelGrouping, 'publisher'>
    | undefined;
  readonly sort_direction?: 'asc' | 'desc' | undefined;
  readonly publisher_ids?: readonly string[] | undefined;
} & ReportDates;

/** The query of a publisher report. */
export type PublisherReportQuery = SharedQuery<PublisherMetric, PublisherGrouping> & ReportDates;

/** The query of a report, with the parameter names of the API. */
export type ReportQuery<V extends ReportVariant> = V extends 'channel' ? ChannelReportQuery : PublisherReportQuery;

/** Returns the parameters of a query: arrays joined by commas, undefined values left out. The network validates the rest. */
export function reportParams(query: object): URLSearchParams {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || name === 'compare') continue;
    params.set(name, Array.isArray(value) ? joined(name, value) : dateText(name, value));
  }
  return params;
}

/** Returns the dates of a query as text, those that it has. */
export function dateTexts({ from, to }: ReportQuery<ReportVariant>): Partial<DateRange> {
  return {
    ...(from !== undefined && { from: dateText('from', from) }),
    ...(to !== undefined && { to: dateText('to', to) }),
  };
}

/** Returns the columns of a report as CSV, whether it has rows or not. */
export function columnsOf(
  { group_by = [], compare }: { readonly group_by?: readonly string[] | undefined; readonly compare?: unknown },
  metrics: readonly string[],
): readonly string[] {
  const groups = group_by.flatMap((name) => (name === 'publisher' ? ['publisher_id', 'publisher_name'] : [name]));
  const changes = (name: string): string[] => [
    `${name}_before`,
    `${name}_change_${isShare(name) ? 'points' : 'percent'}`,
  ];
  return [
    'period_start',
    'period_end',
    ...(compare === undefined ? [] : ['counterpart_start']),
    ...groups,
    ...metrics.flatMap((name) => [name, ...(compare === undefined ? [] : changes(name))]),
  ];
}

/** Returns the dates of a comparison. Throws a TypeError when they or `compare` are not valid. */
export function comparisonOf(query: ReportQuery<ReportVariant>): ComparedPeriods | undefined {
  const { compare, from, to, time_grain: grain = 'total' } = query;
  if (compare === undefined) return undefined;
  if (from === undefined || to === undefined)
    throw new TypeError("compare requires from and to. Use period('last_7_days'), for example.");
  const dates = { from: dateText('from', from), to: dateText('to', to) };
  if (!isDate(dates.from) || !isDate(dates.to) || dates.from > dates.to)
    throw new TypeError('from and to must be dates such as 2026-11-20, and from must not be after to.');
  if (typeof compare === 'object') return { dates, compared: { from: compare.from, to: compare.to }, grain };
  if (!COMPARES.includes(compare)) throw new TypeError("compare must be 'previous', 'year' or two dates.");
  const { from: first, to: last } = comparedDates(dates, compare);
  return { dates, compared: { from: first, to: last }, grain };
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

/** The metrics of a variant. */
export type MetricOf<V extends ReportVariant> = V extends 'channel' ? ChannelMetric : PublisherMetric;
type GroupingOf<V extends ReportVariant> = V extends 'channel' ? ChannelGrouping : PublisherGrouping;

/** Columns that are certainly there when the query names them in a literal, and perhaps otherwise. */
type Columns<List, All extends string, Value> = List extends readonly (infer One extends string)[]
  ? number extends List['length']
    ? { readonly [Name in One]?: Value }
    : { readonly [Name in One]: Value }
  : { readonly [Name in All]?: Value };

/** The columns of a breakdown: `publisher` adds two. */
type TextColumns<List, All extends string> =
  Columns<List, All, string | null> extends infer Named
    ? Omit<Named, 'publisher'> &
        ('publisher' extends keyof Named
          ? undefined extends Named['publisher']
            ? { readonly publisher_id?: string; readonly publisher_name?: string }
            : { readonly publisher_id: string; readonly publisher_name: string }
          : unknown)
    : never;

/** The metric columns that a query selects. */
export type MetricsOf<V extends ReportVariant, Q> = Columns<
  Q extends { readonly metrics: infer List } ? List : undefined,
  MetricOf<V>,
  number
>;

/** One row of a report, typed by the query: the period, the breakdown columns, the selected metrics. */
export type RowOf<V extends ReportVariant, Q> = {
  readonly period_start: string;
  readonly period_end: string;
} & (Q extends { readonly group_by: infer List }
  ? TextColumns<List, GroupingOf<V>>
  : 'group_by' extends keyof Q
    ? TextColumns<undefined, GroupingOf<V>>
    : unknown) &
  MetricsOf<V, Q>;

/** How a metric changed from its counterpart. */
export interface MetricChange {
  /** The value minus that of the counterpart. */
  readonly difference: number;
  /** The difference in per cent of the counterpart; null when that is zero or missing, and for ratios. */
  readonly percent: number | null;
  /** For ratios (`ctr`, `cvr`): the difference in percentage points. Null for all others. */
  readonly points: number | null;
}

/** What a comparison adds to a row and to the totals. */
export interface Comparison<Row, Metrics> {
  /** The same row in the period before; null when there was no activity. */
  readonly counterpart: Row | null;
  readonly change: { readonly [Name in keyof Metrics]: MetricChange };
}

/** One row of a report with `compare`. */
export type ComparedRowOf<V extends ReportVariant, Q> = RowOf<V, Q> &
  Comparison<RowOf<V, Q>, MetricsOf<V, Q>> & {
    /** When the period of the counterpart begins; null when that period has no such day. */
    readonly counterpart_start: string | null;
  };

/** A report, typed by its query. */
export type ReportOf<V extends ReportVariant, Q> = Omit<Report, 'data' | 'summary'> & {
  readonly summary: MetricsOf<V, Q>;
} & (Q extends { readonly compare: Compare | DateRange }
    ? {
        readonly data: readonly ComparedRowOf<V, Q>[];
        /** Rows of the period before that have no row in this one, with zeros. On the last page only. */
        readonly missingRows: readonly ComparedRowOf<V, Q>[];
        /** The dates of the counterparts, both included. */
        readonly compared: ComparedDates;
        /** The totals of all rows and of their counterparts, as the network computes them: ratios cannot be added up. */
        readonly totals: MetricsOf<V, Q> & Comparison<MetricsOf<V, Q>, MetricsOf<V, Q>>;
        /** The columns of the rows as CSV, whether there are rows or not. */
        readonly columns: readonly CsvColumn<ComparedRowOf<V, Q>>[];
      }
    : {
        readonly data: readonly RowOf<V, Q>[];
        /** The totals of all rows, as the network computes them: ratios cannot be added up. */
        readonly totals: MetricsOf<V, Q>;
        /** The columns of the rows as CSV, whether there are rows or not. */
        readonly columns: readonly CsvColumn<RowOf<V, Q>>[];
      });
