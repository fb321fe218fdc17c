const DAY_MS = 86_400_000;

/** Tells whether a text is a date that exists, written exactly `YYYY-MM-DD` (R8). */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && dateOf(time) === text;
}

/** The UTC date of a moment. */
export function dateOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** The first millisecond of a UTC date. */
export function startOf(date: string): number {
  return Date.parse(`${date}T00:00:00Z`);
}

/** The date so many days later, or earlier. */
export function addDays(date: string, days: number): string {
  return dateOf(startOf(date) + days * DAY_MS);
}

/** How many UTC dates a range holds, both ends counted. */
export function countDates(from: string, to: string): number {
  return Math.round((startOf(to) - startOf(from)) / DAY_MS) + 1;
}

/** A moment as reports write it: whole seconds, UTC (R11). */
export function timestamp(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}
