import type { Transaction } from '../database/database.ts';
import { insertRows } from '../database/insertRows.ts';
import type { Periods } from './periodsOf.ts';
import { addDecimals } from './addDecimals.ts';
import type { FactColumn } from './factColumns.ts';

/** What one placement of a publisher measured in one hour: counts as numbers, money as exact decimal text. */
export interface Cell extends Periods {
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
): (db: Transaction, publisherId: string, cells: readonly Cell[]) => void {
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
function sumUp(cells: readonly Cell[], key: readonly (keyof Cell)[]): Iterable<Cell> {
  const sums = new Map<string, Cell>();
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
