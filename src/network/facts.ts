import { type Transaction, insertRows } from './database/database.ts';
import { FACT_COLUMNS, type FactColumn } from './database/schema.ts';
import { dateOf, HOUR_MS, monthStart, weekStart } from '../wire/utcDates.ts';

/** Fills the daily facts, which must be empty, from the hourly ones. */
export const SUM_UP_DAYS = `
INSERT INTO daily_facts (publisher_id, channel_id, day, week_start, month_start, page_type, widget_type, widget_id, ${FACT_COLUMNS.join(', ')})
SELECT publisher_id, channel_id, day, min(week_start), min(month_start), page_type, widget_type, widget_id, ${FACT_COLUMNS.map((column) => `sum(${column})`).join(', ')}
FROM hourly_facts GROUP BY publisher_id, channel_id, day, page_type, widget_type, widget_id`;

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

/** The periods of the last requested hour: nearly all events that arrive are of one hour. */
let latest: { readonly hour: number; readonly periods: Periods } | undefined;

/** Returns the UTC periods of an instant, which is a Date or milliseconds. */
export function periodsAt(at: Date | number): Periods {
  const hour = Math.floor(Number(at) / HOUR_MS) * HOUR_MS;
  if (latest?.hour !== hour) latest = { hour, periods: periodsOfHour(hour) };
  return latest.periods;
}

function periodsOfHour(time: number): Periods {
  const day = dateOf(time);
  return { hour: new Date(time).toISOString(), day, week_start: weekStart(day), month_start: monthStart(day) };
}

/** What one placement of a publisher measured in one hour: counts as numbers, money as exact decimal text. */
export interface FactCell extends Periods {
  readonly channel_id: string;
  readonly page_type: string;
  readonly widget_type: string;
  readonly widget_id: string;
  readonly measures: Measures;
}
export type Measures = Readonly<Partial<Record<FactColumn, number | string>>>;

const DIMENSIONS = ['page_type', 'widget_type', 'widget_id'] as const;
const BY_HOUR = ['channel_id', 'hour', 'day', 'week_start', 'month_start', ...DIMENSIONS] as const;
const BY_DAY = ['channel_id', 'day', 'week_start', 'month_start', ...DIMENSIONS] as const;

/** Returns a function that adds cells of one publisher to the hourly and the daily facts, so that both always agree. */
export function factsWriter(
  columns: readonly FactColumn[],
): (db: Transaction, publisherId: string, cells: readonly FactCell[]) => void {
  const added = columns.map((column) => `${column} = f.${column} + excluded.${column}`).join(', ');
  const key = `publisher_id, channel_id, ${DIMENSIONS.join(', ')}`;
  const insertHours = insertRows({
    into: 'hourly_facts AS f',
    columns: [...BY_HOUR, ...columns],
    suffix: `ON CONFLICT (${key}, hour) DO UPDATE SET ${added}`,
  });
  const insertDays = insertRows({
    into: 'daily_facts AS f',
    columns: [...BY_DAY, ...columns],
    suffix: `ON CONFLICT (${key}, day) DO UPDATE SET ${added}`,
  });
  return (db, publisherId, cells) => {
    const rowsOf = (by: typeof BY_HOUR | typeof BY_DAY): unknown[][] =>
      [...sumUp(cells, by)].map((cell) => [
        ...by.map((name) => cell[name]),
        ...columns.map((column) => String(cell.measures[column] ?? 0)),
      ]);
    if (cells.length === 0) return;
    for (const statement of insertHours(publisherId, rowsOf(BY_HOUR))) db.send(...statement);
    for (const statement of insertDays(publisherId, rowsOf(BY_DAY))) db.send(...statement);
  };
}

/** One cell per combination of the key's columns, because a statement must not touch a row twice; in one order for all writers. */
function sumUp(cells: readonly FactCell[], key: readonly (keyof FactCell)[]): Iterable<FactCell> {
  const sums = new Map<string, FactCell>();
  for (const cell of cells) {
    const name = JSON.stringify(key.map((column) => cell[column]));
    const sum = sums.get(name);
    sums.set(name, sum ? { ...sum, measures: addMeasures(sum.measures, cell.measures) } : cell);
  }
  return [...sums].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, cell]) => cell);
}

function addMeasures(one: Measures, other: Measures): Measures {
  const sum: Record<string, number | string> = { ...one };
  for (const [column, value] of Object.entries(other)) {
    const known = sum[column] ?? 0;
    sum[column] =
      typeof known === 'number' && typeof value === 'number'
        ? known + value
        : addDecimals(String(known), String(value));
  }
  return sum;
}

/** The exact sum of decimal texts, such as `42.50` or `-0.1`. */
function addDecimals(...texts: readonly string[]): string {
  const [first = '0'] = texts;
  if (texts.length < 2) return first;
  const digits = Math.max(...texts.map((text) => (text.split('.')[1] ?? '').length));
  const sum = texts.reduce((total, text) => {
    const [whole = '', fraction = ''] = text.split('.');
    return total + BigInt(whole + fraction.padEnd(digits, '0'));
  }, 0n);
  const [sign, size] = sum < 0n ? ['-', -sum] : ['', sum];
  const padded = String(size).padStart(digits + 1, '0');
  return digits === 0 ? sign + padded : `${sign}${padded.slice(0, -digits)}.${padded.slice(-digits)}`;
}
