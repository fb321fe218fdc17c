import type { DateRange } from '../../../clients.ts';
import type { TimeGrain } from '../../../wire/reporting.ts';

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Whether the period of a row has begun and is not over yet. */
export function isOpen(
  { period_start, period_end }: Readonly<Record<string, unknown>>,
  now = new Date().toISOString(),
): boolean {
  return String(period_start) <= now && String(period_end) > now;
}

/** Returns a period for a table: sortable, with the weekday where that helps. */
export function formatPeriod(start: string, end: string, grain: TimeGrain): string {
  const day = start.slice(0, 10);
  const last = new Date(Date.parse(end) - 1).toISOString().slice(0, 10);
  switch (grain) {
    case 'hour':
      return `${day} ${start.slice(11, 16)}`;
    case 'day':
      return `${day} ${DAYS[new Date(start).getUTCDay()] ?? ''}`;
    case 'week':
    case 'month':
    case 'total':
      return `${day} – ${last.slice(0, 4) === day.slice(0, 4) ? last.slice(5) : last}`;
  }
}

/** Returns a short name of a period, for the axis of a chart. */
export function shortPeriod(start: string, grain: TimeGrain): string {
  const time = new Date(start);
  const month = MONTHS[time.getUTCMonth()] ?? '';
  if (grain === 'hour') return start.slice(11, 13) === '00' ? `${time.getUTCDate()} ${month}` : start.slice(11, 16);
  return grain === 'month' ? `${month} ${time.getUTCFullYear()}` : `${time.getUTCDate()} ${month}`;
}

/** Returns a range of dates, such as `16 – 22 Nov 2026`. */
export function formatRange({ from, to }: DateRange): string {
  const [first, last] = [new Date(from), new Date(to)];
  const [month, year] = [MONTHS[last.getUTCMonth()] ?? '', last.getUTCFullYear()];
  const end = `${last.getUTCDate()} ${month} ${year}`;
  if (from === to) return end;
  if (first.getUTCFullYear() !== year)
    return `${first.getUTCDate()} ${MONTHS[first.getUTCMonth()] ?? ''} ${first.getUTCFullYear()} – ${end}`;
  if (first.getUTCMonth() !== last.getUTCMonth())
    return `${first.getUTCDate()} ${MONTHS[first.getUTCMonth()] ?? ''} – ${end}`;
  return `${first.getUTCDate()} – ${end}`;
}
