import type { ReportRow, TimeGrain } from '../../wire/reporting.ts';
import {
  addDays,
  dateOf,
  HOUR_MS,
  monthEnd,
  monthStart,
  weekStart,
  type DateRange,
  countDays,
  startOf,
} from '../../wire/utcDates.ts';

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
    case 'last_14_days':
    case 'last_28_days':
    case 'last_30_days':
    case 'last_90_days':
      return lastDays(today, Number(name.split('_')[1]));
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

/** With what a report is compared: the dates just before, or the same ones a year earlier. */
export type Compare = 'previous' | 'year';
export const COMPARES: readonly Compare[] = ['previous', 'year'];

/** What is compared with what. */
export interface ComparedPeriods {
  readonly dates: DateRange;
  readonly compared: DateRange;
  readonly grain: TimeGrain;
}

/** A period by its name, as a number of days up to today, or as two dates. */
export type Period = PeriodName | `${number}d` | DateRange;

/** Returns the dates of a period. */
export function datesOf(of: Period, now: Date | number = Date.now()): DateRange {
  if (typeof of === 'object') return of;
  const name = PERIODS.find((one) => one === of);
  return name ? period(name, { now }) : lastDays(dateOf(Number(now)), Number.parseInt(of, 10));
}

/** 52 weeks: a Monday is compared with a Monday. */
const YEAR_DAYS = 364;
/** The months after which a named period repeats. */
const MONTHS: Readonly<Partial<Record<string, number>>> = {
  month_to_date: 1,
  last_month: 1,
  quarter_to_date: 3,
  last_quarter: 3,
  year_to_date: 12,
  last_year: 12,
};

/** Names of a number of months. */
const MONTH_NAMES: Readonly<Partial<Record<number, string>>> = { 1: 'month', 3: 'quarter', 12: 'year' };

/** The dates of a comparison, and the rule that they follow. */
export interface RuledDates extends DateRange {
  /** Such as "the same days of the month before". */
  readonly rule: string;
}

/**
 * Returns the dates that a period is compared with; the grain of a report plays no part. `previous`: the days just before;
 * months, quarters and years, and those to date, with the same days of the one before. `year`: 52 weeks before, so that
 * weekdays match; months, quarters and years with the same days a year before. Two dates count as a month to date if they
 * begin with a month, and as a week to date if they begin on a Monday and have up to six days. One day is only a day.
 */
export function comparedDates(
  of: Period,
  compare: Compare,
  { now }: { readonly now?: Date | number | undefined } = {},
): RuledDates {
  const dates = datesOf(of, now);
  const months = typeof of === 'string' ? MONTHS[of] : monthsOf(dates);
  if (months !== undefined) {
    const back = compare === 'year' ? 12 : months;
    const isWhole = dates.to === monthEnd(dates.to);
    const before = compare === 'year' ? 'year' : (MONTH_NAMES[months] ?? `${months} months`);
    return {
      from: monthsBefore(dates.from, back),
      to: isWhole ? monthEnd(dates.to, -back) : monthsBefore(dates.to, back),
      rule: isWhole && back === months ? `the ${before} before` : `the same days of the ${before} before`,
    };
  }
  const days = countDays(dates);
  const isWeek =
    of === 'week_to_date' || (typeof of === 'object' && of.from === weekStart(of.from) && days > 1 && days < 7);
  const [shift, rule] =
    compare === 'year'
      ? [YEAR_DAYS, '52 weeks before']
      : isWeek
        ? [7, 'the same days of the week before']
        : [days, days === 1 ? 'the day before' : `the ${days} days before`];
  return { from: addDays(dates.from, -shift), to: addDays(dates.to, -shift), rule };
}

/** The months after which two dates repeat; undefined for a day, and unless they begin with a month. */
function monthsOf(range: DateRange): number | undefined {
  if (range.from === range.to || range.from !== monthStart(range.from)) return undefined;
  const months = monthsIn(range);
  if (range.to === monthEnd(range.to) || months === 1) return months;
  const month = new Date(startOf(range.from)).getUTCMonth();
  if (month % 3 === 0 && months <= 3) return 3;
  return month === 0 ? 12 : months;
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

/** Whether a row's period has data that is not complete: it is not over, or the data ends within it. */
export function isUnfinished(
  { period_start, period_end }: Pick<ReportRow, 'period_start' | 'period_end'>,
  dataThrough: string | null,
): boolean {
  const now = Date.now();
  const through = dataThrough === null ? now : Date.parse(dataThrough);
  return isOpen({ start: Date.parse(period_start), end: Date.parse(period_end), through, now });
}

/** Whether the data of a period is not complete: it is not over, or the data ends within it. All times are milliseconds. */
export function isOpen(period: {
  readonly start: number;
  readonly end: number;
  readonly through: number;
  readonly now: number;
}): boolean {
  const { start, end, through, now } = period;
  return start <= through && (now < end || (through > start && through + HOUR_MS < end));
}
