import type { DateRange } from '../../../clients.ts';
import type { TimeGrain } from '../../../wire/reporting.ts';
import type { FlatRow } from '../readReport.ts';

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
  const starts = startsOf(dates, grain);
  const end = timestamp(Date.parse(dates.to) + DAY_MS);
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

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The starts of the periods, clipped to the dates as the network clips them. */
function startsOf({ from, to }: DateRange, grain: Exclude<TimeGrain, 'total'>): string[] {
  const starts: string[] = [];
  const end = Date.parse(to) + DAY_MS;
  for (let time = Date.parse(from); time < end; time = nextStart(time, grain)) starts.push(timestamp(time));
  return starts;
}

function nextStart(time: number, grain: Exclude<TimeGrain, 'total'>): number {
  const date = new Date(time);
  switch (grain) {
    case 'hour':
      return time + HOUR_MS;
    case 'day':
      return time + DAY_MS;
    case 'week':
      return time + (7 - ((date.getUTCDay() + 6) % 7)) * DAY_MS;
    case 'month':
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
  }
}

function numberIn(row: FlatRow | undefined, name: string): number | null {
  const value = row?.[name];
  return typeof value === 'number' ? value : null;
}

function timestamp(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}
