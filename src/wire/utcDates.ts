import { parseDatetime } from './json.ts';
import type { TimeGrain } from './reporting.ts';

// UTC dates as YYYY-MM-DD; they sort as text.

/** Milliseconds of an hour. */
export const HOUR_MS = 3_600_000;
/** Milliseconds of a UTC date: UTC has no daylight saving time. */
export const DAY_MS = 86_400_000;

/** An inclusive range of UTC dates. */
export interface DateRange {
  readonly from: string;
  readonly to: string;
}

/** Returns the UTC date of a moment. */
export function dateOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Returns the first millisecond of a UTC date. */
export function startOf(date: string): number {
  return Date.parse(`${date}T00:00:00Z`);
}

/** Returns the date some days later; earlier for a negative number. */
export function addDays(date: string, days: number): string {
  return dateOf(startOf(date) + days * DAY_MS);
}

/** Returns the number of dates in a range, both ends included. */
export function countDays({ from, to }: DateRange): number {
  return Math.round((startOf(to) - startOf(from)) / DAY_MS) + 1;
}

/** Returns the first day of the month some months later; earlier for a negative number. */
export function monthStart(date: string, months = 0): string {
  const time = new Date(startOf(date));
  return dateOf(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + months, 1));
}

/** Returns the last day of the month some months later; earlier for a negative number. */
export function monthEnd(date: string, months = 0): string {
  return addDays(monthStart(date, months + 1), -1);
}

/** Returns the Monday on or before a date. */
export function weekStart(date: string): string {
  return addDays(date, -((new Date(startOf(date)).getUTCDay() + 6) % 7));
}

/** Whether a text is a real calendar date in YYYY-MM-DD form. */
export function isDate(text: string): boolean {
  return parseDatetime(`${text}T00:00:00Z`) !== undefined;
}

/** Returns a moment as reports write it: UTC, in whole seconds. */
export function timestamp(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}

/** Returns the start of each period of a range, clipped to it, in milliseconds. */
export function periodStarts(range: DateRange, grain: TimeGrain): number[] {
  const first = startOf(range.from);
  if (grain === 'total') return [first];
  const end = startOf(range.to) + DAY_MS;
  const starts = [];
  for (let start = first; start < end; start = nextStart(start, grain)) starts.push(start);
  return starts;
}

/** Returns the start of the period after the one that contains a moment, in milliseconds. */
export function nextStart(time: number, grain: Exclude<TimeGrain, 'total'>): number {
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
