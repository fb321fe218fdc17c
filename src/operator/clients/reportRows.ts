import type {
  ChannelGrouping,
  ChannelMetric,
  PublisherGrouping,
  PublisherMetric,
  Report,
} from '../../wire/reporting.ts';
import type { ReportVariant } from './reportQuery.ts';

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
} & (Q extends { readonly compare: 'previous' | 'year' }
    ? {
        readonly data: readonly ComparedRowOf<V, Q>[];
        /** Rows of the period before that have no row in this one, with zeros. On the last page only. */
        readonly gone: readonly ComparedRowOf<V, Q>[];
        /** The dates of the counterparts, both included. */
        readonly compared: { readonly from: string; readonly to: string };
        /** The totals of all rows and of their counterparts, as the network computes them: ratios cannot be added up. */
        readonly totals: MetricsOf<V, Q> & Comparison<MetricsOf<V, Q>, MetricsOf<V, Q>>;
      }
    : {
        readonly data: readonly RowOf<V, Q>[];
        /** The totals of all rows, as the network computes them: ratios cannot be added up. */
        readonly totals: MetricsOf<V, Q>;
      });
