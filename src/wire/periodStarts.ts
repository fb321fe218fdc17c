import type { TimeGrain } from './reporting.ts';
import { addDays, DAY_MS, monthStart, startOf, weekStart, type DateRange } from './utcDates.ts';

const HOUR_MS = 3_600_000;

/** Returns the start of each period of a range, clipped to it, in milliseconds. */
export function periodStarts(range: DateRange, grain: TimeGrain): number[] {
  const first = startOf(range.from);
  if (grain === 'total') return [first];
  const end = startOf(range.to) + DAY_MS;
  const starts = [];
  for (let start = first; start < end; start = nextStart(start, grain)) starts.push(start);
  return starts;
}

/** The start of the period after the one that contains a moment. */
function nextStart(time: number, grain: Exclude<TimeGrain, 'total'>): number {
  const date = new Date(time).toISOString().slice(0, 10);
  switch (grain) {
    case 'hour':
      return time + HOUR_MS;
    case 'day':
      return time + DAY_MS;
    case 'week':
      return startOf(addDays(weekStart(date), 7));
    case 'month':
      return startOf(monthStart(date, 1));
  }
}
