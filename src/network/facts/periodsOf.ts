/** The UTC periods of an instant, as the facts store them. */
export interface Periods {
  /** Start of the hour: `2025-11-20T10:00:00.000Z`. */
  readonly hour: string;
  /** `2025-11-20`. */
  readonly day: string;
  /** The Monday on or before the day. */
  readonly week_start: string;
  /** The first of the month. */
  readonly month_start: string;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The periods of the hour that was asked for last: nearly all events that arrive are of one hour. */
let latest: { readonly hour: number; readonly periods: Periods } | undefined;

/** Returns the UTC periods of an instant, which is a Date or milliseconds. */
export function periodsOf(at: Date | number): Periods {
  const hour = Math.floor(Number(at) / HOUR_MS) * HOUR_MS;
  if (latest?.hour !== hour) latest = { hour, periods: periodsOfHour(hour) };
  return latest.periods;
}

function periodsOfHour(time: number): Periods {
  const midnight = Math.floor(time / DAY_MS) * DAY_MS;
  // 1970-01-01 was a Thursday, three days after a Monday.
  const daysSinceMonday = (((midnight / DAY_MS + 3) % 7) + 7) % 7;
  const day = dateText(midnight);
  return {
    hour: new Date(time).toISOString(),
    day,
    week_start: dateText(midnight - daysSinceMonday * DAY_MS),
    month_start: `${day.slice(0, 8)}01`,
  };
}

function dateText(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
