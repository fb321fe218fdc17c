import type { TimeGrain } from '../../wire/reporting.ts';
import { addDays, startOf, type DateRange } from '../../wire/utcDates.ts';

/** In milliseconds. The start belongs to the period, the end does not. */
export interface Period {
  readonly start: number;
  readonly end: number;
}

/** The period of a grain that begins at `start`, clipped to the requested range (docs/rules.md#r21). */
export function clippedPeriod(grain: TimeGrain, start: number, requested: DateRange): Period {
  const first = startOf(requested.from);
  const last = startOf(addDays(requested.to, 1));
  if (grain === 'total') return { start: first, end: last };
  return { start: Math.max(start, first), end: Math.min(nextStart(grain, start), last) };
}

/** The start of the next period. UTC has no daylight saving time: a day is 24 hours. */
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
