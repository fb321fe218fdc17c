import type { TimeGrain } from '../../wire/reporting.ts';
import { addDays, startOf } from './dates.ts';

/** An inclusive range of UTC dates. */
export interface DateRange {
  readonly from: string;
  readonly to: string;
}

/** Half open: the start belongs to the period, the end does not. Milliseconds. */
export interface Period {
  readonly start: number;
  readonly end: number;
}

/** The period of a grain that begins at `start`, clipped to what was asked for (R17–R21). */
export function clippedPeriod(grain: TimeGrain, start: number, asked: DateRange): Period {
  const first = startOf(asked.from);
  const last = startOf(addDays(asked.to, 1));
  if (grain === 'total') return { start: first, end: last };
  return { start: Math.max(start, first), end: Math.min(nextStart(grain, start), last) };
}

/** Where the period after the one that begins at `start` begins. UTC has no daylight saving: a day is 24 hours. */
function nextStart(grain: Exclude<TimeGrain, 'total'>, start: number): number {
  const date = new Date(start);
  switch (grain) {
    case 'hour':
      return start + 3_600_000;
    case 'day':
      return date.setUTCDate(date.getUTCDate() + 1);
    case 'week':
      return date.setUTCDate(date.getUTCDate() + 7);
    case 'month':
      return date.setUTCMonth(date.getUTCMonth() + 1);
  }
}
