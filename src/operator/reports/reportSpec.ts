import { HOURLY_MAX_DATES } from '../../wire/limits.ts';
import type { TimeGrain } from '../../wire/reporting.ts';
import { countDays, dateOf, type DateRange } from '../../wire/utcDates.ts';
import { comparedDates, datesOf, type Compare, type Period } from './period.ts';
import type { ReportVariant } from './reportQuery.ts';

/** What a report can be filtered by, each with its parameter of the API. */
export const FILTERS = { publisher: 'publisher_ids', page_type: 'page_types', widget_type: 'widget_types' } as const;
export type FilterName = keyof typeof FILTERS;
export const FILTER_NAMES = Object.keys(FILTERS) as readonly FilterName[];

/** One question of a report: in flags, in a URL and for the API it is the same. */
export interface ReportSpec {
  readonly variant: ReportVariant;
  /** Undefined: the dates that the network chooses. */
  readonly period: Period | undefined;
  readonly grain: TimeGrain;
  readonly by: readonly string[];
  /** Undefined: all that are enabled. */
  readonly metrics: readonly string[] | undefined;
  /** Publishers are ids; on a command line also names. */
  readonly filters: Readonly<Record<FilterName, readonly string[]>>;
  /** A column or `METRIC_change`, with a hyphen for the highest first; empty for the usual order. */
  readonly sort: string;
  readonly compare: Compare | undefined;
}

/** The filters of a report of everything. */
export const NO_FILTERS: ReportSpec['filters'] = { publisher: [], page_type: [], widget_type: [] };

/** A report of everything, as one total of the channel. */
export const EVERYTHING: ReportSpec = {
  variant: 'channel',
  period: undefined,
  grain: 'total',
  by: [],
  metrics: undefined,
  filters: NO_FILTERS,
  sort: '',
  compare: undefined,
};

/** Whether it is a breakdown without periods, which begins with the highest. */
export function isRanking({ grain, by }: Pick<ReportSpec, 'grain' | 'by'>): boolean {
  return grain === 'total' && by.length > 0;
}

/** The dates of a report up to today: the network refuses later ones. */
export function datesOfSpec({ period }: { readonly period: Period }, now: number = Date.now()): DateRange {
  const { from, to } = datesOf(period, now);
  const today = dateOf(now);
  return { from, to: to > today && from <= today ? today : to };
}

/** The grain that the network accepts for these dates: hours only for a few days. */
export function grainOf({ grain }: Pick<ReportSpec, 'grain'>, dates: DateRange | undefined): TimeGrain {
  return grain === 'hour' && dates && countDays(dates) > HOURLY_MAX_DATES ? 'day' : grain;
}

/** Returns the query of the API for a report, without its order. */
export function queryOfSpec(
  spec: ReportSpec,
  now?: number,
): Readonly<Record<string, string | readonly string[] | DateRange | undefined>> {
  const { period, by, metrics, filters, compare } = spec;
  const dates = period && datesOfSpec({ period }, now);
  const filtered = FILTER_NAMES.map((name) => [FILTERS[name], listed(filters[name])] as const);
  return {
    ...dates,
    time_grain: grainOf(spec, dates),
    group_by: listed(by),
    metrics,
    ...Object.fromEntries(filtered),
    compare: compare && period && rangeOf(comparedDates(period, compare, { now })),
  };
}

function rangeOf({ from, to }: DateRange): DateRange {
  return { from, to };
}

function listed(names: readonly string[]): readonly string[] | undefined {
  return names.length === 0 ? undefined : names;
}
