import type { ComparedPeriods } from './period.ts';
import { isShare, isTextColumn, type Report, type ReportRow } from '../../wire/reporting.ts';
import type { Comparison, MetricChange } from './reportQuery.ts';
import { periodStarts, DAY_MS, startOf, timestamp } from '../../wire/utcDates.ts';

type Metrics = Readonly<Record<string, number>>;

/** A row of a report; with `compare` it has its counterpart. */
export type Row = ReportRow & {
  readonly counterpart?: Readonly<Record<string, string | number | null>> | null;
  readonly counterpart_start?: string | null;
  readonly change?: Readonly<Record<string, MetricChange>>;
};

/** The totals of a report, as the network computed them. */
export type Totals = Readonly<Record<string, number>> & {
  readonly counterpart?: Readonly<Record<string, number>>;
  readonly change?: Readonly<Record<string, MetricChange>>;
};

/** A row with its counterpart; the columns of the row itself are there as well. */
interface ComparedRow extends Comparison<ReportRow, Metrics> {
  readonly period_start: string;
  readonly period_end: string;
  readonly counterpart_start: string | null;
}

/** Finds the counterpart of each row: the row of the same breakdown in the period that has the same place. */
export interface RowComparer {
  /** Returns a row with its counterpart and the change. */
  compare(row: ReportRow): ComparedRow;
  /** Returns the counterparts that no row had until now, as rows of zeros. Periods after `dataThrough` are left out. */
  missingRows(dataThrough: string | null): ComparedRow[];
}

/** Creates a comparer with all rows of the period before. */
export function createComparer(before: readonly ReportRow[], periods: ComparedPeriods): RowComparer {
  const { dates, compared, grain } = periods;
  const starts = periodStarts(dates, grain).map(timestamp);
  const comparedStarts = periodStarts(compared, grain).map(timestamp);
  const place = new Map(starts.map((start, index) => [start, index]));
  const comparedPlace = new Map(comparedStarts.map((start, index) => [start, index]));
  const left = new Map<string, ReportRow>();
  for (const row of before) left.set(keyOf(row, comparedPlace), row);
  const ends = [...starts.slice(1), timestamp(startOf(dates.to) + DAY_MS)];

  return {
    compare(row) {
      const key = keyOf(row, place);
      const counterpart = left.get(key) ?? null;
      left.delete(key);
      const counterpart_start = comparedStarts[place.get(row.period_start) ?? -1] ?? null;
      return { ...row, counterpart_start, counterpart, change: changesOf(row, counterpart) };
    },
    missingRows(dataThrough) {
      const rows: ComparedRow[] = [];
      for (const counterpart of left.values()) {
        const index = comparedPlace.get(counterpart.period_start) ?? -1;
        const [period_start, period_end] = [starts[index], ends[index]];
        if (period_start === undefined || period_end === undefined) continue;
        if (dataThrough === null || period_start > dataThrough) continue;
        const row: ReportRow = { ...counterpart, period_start, period_end };
        for (const name of Object.keys(row)) if (!isTextColumn(name)) row[name] = 0;
        const counterpart_start = counterpart.period_start;
        rows.push({ ...row, counterpart_start, counterpart, change: changesOf(row, counterpart) });
      }
      return rows;
    },
  };
}

/** Returns the totals with those of the period before. */
export function compareTotals(
  summary: Report['summary'],
  before: Report['summary'],
): Metrics & Comparison<Metrics, Metrics> {
  // Metric names never collide with the two added ones.
  return { ...summary, counterpart: before, change: changesOf(summary, before) } as Metrics &
    Comparison<Metrics, Metrics>;
}

/** The place of the period and the breakdown; a publisher's name may have changed, its id has not. */
function keyOf(row: ReportRow, place: ReadonlyMap<string, number>): string {
  const breakdown = Object.keys(row)
    .filter((name) => isTextColumn(name) && !name.startsWith('period_') && name !== 'publisher_name')
    .map((name) => row[name]);
  return JSON.stringify([place.get(row.period_start) ?? row.period_start, ...breakdown]);
}

function changesOf(row: object, counterpart: object | null): Record<string, MetricChange> {
  const changes: Record<string, MetricChange> = {};
  for (const [name, value] of Object.entries(row)) {
    if (typeof value === 'number') changes[name] = measureChange({ name, value, before: numberAt(counterpart, name) });
  }
  return changes;
}

/** Returns how a metric changed. */
export function measureChange({
  name,
  value,
  before,
}: {
  name: string;
  value: number;
  before: number | null;
}): MetricChange {
  const difference = rounded(value - (before ?? 0), 4);
  if (isShare(name))
    return { difference, percent: null, points: before === null ? null : rounded(difference * 100, 2) };
  return { difference, percent: before ? rounded((difference / before) * 100, 2) : null, points: null };
}

function numberAt(row: object | null, name: string): number | null {
  const value = row === null ? undefined : (row as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'number' ? value : null;
}

/** Rounds away what binary fractions add: 0.3 − 0.1 is 0.19999999999999998. */
function rounded(value: number, decimals: number): number {
  const factor = 10 ** decimals;
  return (Math.sign(value) * Math.round(Math.abs(value) * factor)) / factor || 0;
}
