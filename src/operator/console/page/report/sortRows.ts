import type { Row } from '../../protocol.ts';

/** Sorts rows as the command `offerlet report` does: empty cells last, equal rows in their order. */
export function sortRows(rows: readonly Row[], sort: string): readonly Row[] {
  const column = sort.replace(/^-/, '') || 'period_start';
  const sign = sort === '' || sort.startsWith('-') ? -1 : 1;
  return rows.toSorted((one, other) => {
    const [a, b] = [one[column] ?? null, other[column] ?? null];
    if (a === b) return 0;
    if (a === null) return 1;
    if (b === null) return -1;
    return a < b ? -sign : sign;
  });
}
