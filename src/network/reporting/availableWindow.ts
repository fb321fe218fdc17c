import { DEFAULT_DATES, HOURLY_MAX_DATES } from '../../wire/limits.ts';
import type { TimeGrain } from '../../wire/reporting.ts';
import { addDays, type DateRange } from '../../wire/utcDates.ts';

/** How many dates a report may reach back unless `history_from` is set. Older activity extends it. */
const HISTORY_DATES = 3 * 366;

/** The history of the owner of a key, as UTC dates. */
export interface History {
  readonly today: string;
  /** The dates of its first and its latest available activity. */
  readonly firstDate: string | undefined;
  readonly latestDate: string | undefined;
  /** Settings: the first date of the history, and for how many dates, including today, there is hourly history. */
  readonly historyFrom: string | undefined;
  readonly hourlyDates: number | undefined;
}

/** The dates that a report may cover. Hourly history may be shorter (docs/rules.md#r48). */
export function availableWindow(grain: TimeGrain, history: History): DateRange {
  const { today, firstDate, historyFrom, hourlyDates } = history;
  const reach = addDays(today, 1 - HISTORY_DATES);
  const from = historyFrom ?? earliest(reach, firstDate ?? reach);
  return { from: grain === 'hour' ? latest(from, hourlyStart(today, hourlyDates) ?? from) : from, to: today };
}

/** The default dates: the latest 7 of the history, or 3 for an hourly report (docs/rules.md#r46). */
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
