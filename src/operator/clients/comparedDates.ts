import type { TimeGrain } from '../../wire/reporting.ts';
import { addDays, countDays, monthEnd, monthStart, startOf, type DateRange } from '../../wire/utcDates.ts';

/** With what a report is compared: the dates just before, or the same ones a year earlier. */
export type Compare = 'previous' | 'year';
export const COMPARES: readonly Compare[] = ['previous', 'year'];

/** Which dates are compared, and by which periods. */
export interface ComparedPeriods {
  readonly dates: DateRange;
  readonly compared: DateRange;
  readonly grain: TimeGrain;
}

/** 52 weeks: a Monday is compared with a Monday. */
const YEAR_DAYS = 364;

/**
 * Returns the dates that a range is compared with. `previous`: as many days, just before; whole months and the grain
 * `month`: as many months before; the grain `week`: as many weeks before. `year`: 52 weeks before, so that weekdays match;
 * whole months and the grain `month`: the same months a year before.
 */
export function comparedDates(range: DateRange, compare: Compare, grain: TimeGrain): DateRange {
  const isWholeMonths = range.from === monthStart(range.from) && range.to === monthEnd(range.to);
  const isByMonth = grain === 'month' || (isWholeMonths && (compare === 'previous' || grain === 'total'));
  if (isByMonth) {
    const months = compare === 'year' ? 12 : monthsIn(range);
    return { from: monthsBefore(range.from, months), to: endMonthsBefore(range.to, months) };
  }
  const days = countDays(range);
  const shift = compare === 'year' ? YEAR_DAYS : grain === 'week' ? 7 * Math.ceil(days / 7) : days;
  return { from: addDays(range.from, -shift), to: addDays(range.to, -shift) };
}

/** The number of calendar months that a range touches. */
function monthsIn({ from, to }: DateRange): number {
  const [first, last] = [new Date(startOf(from)), new Date(startOf(to))];
  return (last.getUTCFullYear() - first.getUTCFullYear()) * 12 + last.getUTCMonth() - first.getUTCMonth() + 1;
}

/** The same day of an earlier month, or its last day when it is shorter. */
function monthsBefore(date: string, months: number): string {
  const day = addDays(monthStart(date, -months), Number(date.slice(8)) - 1);
  const last = monthEnd(date, -months);
  return day < last ? day : last;
}

/** Like `monthsBefore`; the last day of a month stays the last day. */
function endMonthsBefore(date: string, months: number): string {
  return date === monthEnd(date) ? monthEnd(date, -months) : monthsBefore(date, months);
}
