import { DEFAULT_DATES, HOURLY_MAX_DATES } from '../../wire/limits.ts';
import type { TimeGrain } from '../../wire/reporting.ts';
import { addDays } from './dates.ts';
import type { DateRange } from './clippedPeriod.ts';

/** Dates that a report may reach back where `history_from` is not set; longer when there is older activity. */
const HISTORY_DATES = 3 * 366;

/** What is known about the history of one key's owner, as UTC dates. */
export interface History {
  readonly today: string;
  /** The date of its first and of its latest available activity. */
  readonly firstDate: string | undefined;
  readonly latestDate: string | undefined;
  /** The knobs: where history begins, and how many dates of it, today included, are kept by the hour. */
  readonly historyFrom: string | undefined;
  readonly hourlyDates: number | undefined;
}

/** The dates that may be asked for. Hourly history may be shorter than the rest (R48). */
export function availableWindow(grain: TimeGrain, history: History): DateRange {
  const { today, firstDate, historyFrom, hourlyDates } = history;
  const reach = addDays(today, 1 - HISTORY_DATES);
  const from = historyFrom ?? earliest(reach, firstDate ?? reach);
  return { from: grain === 'hour' ? latest(from, hourlyStart(today, hourlyDates) ?? from) : from, to: today };
}

/** The dates of a report that names none: the latest 7 of the history, or 3 by the hour (R46). */
export function defaultRange(grain: TimeGrain, history: History): DateRange {
  const { today, firstDate, latestDate, historyFrom, hourlyDates } = history;
  const begin = historyFrom ?? firstDate ?? addDays(today, 1 - DEFAULT_DATES);
  const start = earliest(today, grain === 'hour' ? latest(begin, hourlyStart(today, hourlyDates) ?? begin) : begin);
  const to = latest(start, earliest(today, latestDate ?? today));
  return { from: latest(start, addDays(to, 1 - (grain === 'hour' ? HOURLY_MAX_DATES : DEFAULT_DATES))), to };
}

function hourlyStart(today: string, dates: number | undefined): string | undefined {
  return dates === undefined ? undefined : addDays(today, 1 - dates);
}

// Dates as YYYY-MM-DD sort as text.
function earliest(one: string, other: string): string {
  return one < other ? one : other;
}

function latest(one: string, other: string): string {
  return one > other ? one : other;
}
