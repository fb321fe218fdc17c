import type { DateRange } from '../../../../clients.ts';
import { periodStarts } from '../../../../wire/periodStarts.ts';
import type { TimeGrain } from '../../../../wire/reporting.ts';
import { DAY_MS, startOf, timestamp } from '../../../../wire/utcDates.ts';
import type { FlatRow } from '../readWholeReport.ts';

/** One period of a series. */
export interface Point {
  readonly start: string;
  /** Zero without activity; null after the last period that has data. */
  readonly value: number | null;
  readonly before: number | null;
  /** Whether the period is not over yet. */
  readonly isOpen: boolean;
}

/** What `seriesOf` needs. */
export interface SeriesOptions {
  readonly rows: readonly FlatRow[];
  readonly metric: string;
  readonly dates: DateRange;
  readonly grain: Exclude<TimeGrain, 'total'>;
  readonly dataThrough: string | null;
  readonly now: Date;
}

/** Returns every period of the dates: a report has no rows for periods without activity. */
export function seriesOf({ rows, metric, dates, grain, dataThrough, now }: SeriesOptions): Point[] {
  const byStart = new Map(rows.map((row) => [row['period_start'], row]));
  const starts = periodStarts(dates, grain).map(timestamp);
  const end = timestamp(startOf(dates.to) + DAY_MS);
  return starts.map((start, index) => {
    const row = byStart.get(start);
    const hasData = row !== undefined || (dataThrough !== null && start <= dataThrough);
    const before = numberIn(row, `${metric}_before`);
    return {
      start,
      value: hasData ? (numberIn(row, metric) ?? 0) : null,
      before,
      isOpen: hasData && (starts[index + 1] ?? end) > timestamp(now.getTime()) && start <= timestamp(now.getTime()),
    };
  });
}

function numberIn(row: FlatRow | undefined, name: string): number | null {
  const value = row?.[name];
  return typeof value === 'number' ? value : null;
}
