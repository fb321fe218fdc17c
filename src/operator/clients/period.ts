import { addDays, dateOf, monthEnd, monthStart, weekStart, type DateRange } from '../../wire/utcDates.ts';

/** The names of `period()`. */
export const PERIODS = [
  'today',
  'yesterday',
  'last_7_days',
  'last_14_days',
  'last_28_days',
  'last_30_days',
  'last_90_days',
  'week_to_date',
  'last_week',
  'month_to_date',
  'last_month',
  'quarter_to_date',
  'last_quarter',
  'year_to_date',
  'last_year',
] as const;
export type PeriodName = (typeof PERIODS)[number];

/**
 * Returns the first and the last UTC date of a period by its name. `last_N_days` and `…_to_date` end today; weeks start on
 * Monday. Throws a TypeError for an unknown name.
 */
export function period(
  name: PeriodName,
  { now = new Date() }: { readonly now?: Date | number | undefined } = {},
): DateRange {
  const time = Number(now);
  if (Number.isNaN(time)) throw new TypeError('now is not a valid date.');
  const today = dateOf(time);
  const quarter = monthStart(today, -(new Date(time).getUTCMonth() % 3));
  const january = `${today.slice(0, 4)}-01-01`;
  switch (name) {
    case 'today':
      return { from: today, to: today };
    case 'yesterday':
      return { from: addDays(today, -1), to: addDays(today, -1) };
    case 'last_7_days':
      return lastDays(today, 7);
    case 'last_14_days':
      return lastDays(today, 14);
    case 'last_28_days':
      return lastDays(today, 28);
    case 'last_30_days':
      return lastDays(today, 30);
    case 'last_90_days':
      return lastDays(today, 90);
    case 'week_to_date':
      return { from: weekStart(today), to: today };
    case 'last_week':
      return { from: addDays(weekStart(today), -7), to: addDays(weekStart(today), -1) };
    case 'month_to_date':
      return { from: monthStart(today), to: today };
    case 'last_month':
      return { from: monthStart(today, -1), to: monthEnd(today, -1) };
    case 'quarter_to_date':
      return { from: quarter, to: today };
    case 'last_quarter':
      return { from: monthStart(quarter, -3), to: monthEnd(quarter, -1) };
    case 'year_to_date':
      return { from: january, to: today };
    case 'last_year':
      return { from: monthStart(january, -12), to: addDays(january, -1) };
    default:
      throw new TypeError(`"${String(name satisfies never)}" is not a period. Use one of ${PERIODS.join(', ')}.`);
  }
}

/** Returns the range of that many UTC dates which ends today. */
export function lastDays(today: string, days: number): DateRange {
  return { from: addDays(today, 1 - days), to: today };
}
