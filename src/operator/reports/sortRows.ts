import type { Row } from './comparison.ts';

/** Which report is sorted, and how. */
export interface SortedReport {
  readonly variant: 'channel' | 'publisher';
  /** A column or `METRIC_change`, with `-` before it for the highest first; empty for the latest period first. */
  readonly sort: string;
  readonly compare?: 'previous' | 'year' | undefined;
  /** A breakdown without periods: unsorted, it begins with the highest of its first metric. */
  readonly isRanking?: boolean | undefined;
}

/** Whether the network sorts this report. It sorts neither a publisher's report by metrics nor what only the clients compare. */
export function isSortedByNetwork({ variant, sort, compare, isRanking = false }: SortedReport): boolean {
  return compare === undefined && (sort === '' ? !isRanking : variant === 'channel');
}

/** The parameters that have the network sort. */
export function sortParams(report: SortedReport): { sort_by?: string; sort_direction?: 'asc' | 'desc' } {
  const { sort } = report;
  if (sort === '' || !isSortedByNetwork(report)) return {};
  return { sort_by: sort.replace(/^-/, ''), sort_direction: sort.startsWith('-') ? 'desc' : 'asc' };
}

/** Sorts rows that the network did not sort, as it does: empty cells last in both directions, equal rows in their order. */
export function sortRows<R extends Row>(rows: readonly R[], sort: string): readonly R[] {
  const column = sort.replace(/^-/, '') || 'period_start';
  const sign = sort === '' || sort.startsWith('-') ? -1 : 1;
  return rows
    .map((row) => ({ row, key: keyOf(row, column) }))
    .toSorted(({ key: a }, { key: b }) => {
      if (a === b) return 0;
      if (a === null) return 1;
      if (b === null) return -1;
      return a < b ? -sign : sign;
    })
    .map(({ row }) => row);
}

function keyOf(row: Row, column: string): string | number | null {
  if (!column.endsWith('_change')) return row[column] ?? null;
  return row.change?.[column.slice(0, -'_change'.length)]?.difference ?? null;
}
