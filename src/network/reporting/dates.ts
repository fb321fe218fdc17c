const DAY_MS = 86_400_000;

/** Whether the text is a real calendar date in YYYY-MM-DD form. */
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

/** The date that many days later; earlier for a negative number. */
export function addDays(date: string, days: number): string {
  return dateOf(startOf(date) + days * DAY_MS);
}

/** The number of UTC dates in a range, including both ends. */
export function countDates(from: string, to: string): number {
  return Math.round((startOf(to) - startOf(from)) / DAY_MS) + 1;
}

/** A moment as reports format it: UTC, in whole seconds. */
export function timestamp(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}
