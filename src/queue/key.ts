// The key of a row on disk: `time(9) tab(4) kind(1) bytes.count`, the numbers in base 36. Sorted as text the oldest comes
// first, no two tabs can collide, and a list of keys alone tells which rows may go and how much room they take.

/** Keeps the base-36 digits of a time at nine from 1932 on. */
const TIME_OFFSET = 4e12;
const TIME_DIGITS = 9;
const KIND_AT = 13;

/** The key of a new row. `tab` has four characters; `count` differs within a tab. */
export function rowKey(row: { time: number; tab: string; isClick: boolean; bytes: number; count: number }): string {
  return dueAt(
    `${'.'.repeat(TIME_DIGITS)}${row.tab}${row.isClick ? 'c' : 'a'}${row.bytes.toString(36)}.${row.count}`,
    row.time,
  );
}

/** The key of the same row, due at another time. */
export function dueAt(key: string, time: number): string {
  return Math.floor(time + TIME_OFFSET).toString(36) + key.slice(TIME_DIGITS);
}

/** When the row was made or, of a refused one, when it is due. */
export function keyTime(key: string): number {
  return parseInt(key.slice(0, TIME_DIGITS), 36) - TIME_OFFSET;
}

/** Bytes of the row's event as JSON. */
export function keyBytes(key: string): number {
  return parseInt(key.slice(KIND_AT + 1), 36);
}

/** Sorts the rows that are to be kept first: clicks before displays, newer before older. */
export function byWorth(a: string, b: string): number {
  return a[KIND_AT] + a < b[KIND_AT] + b ? 1 : -1;
}
