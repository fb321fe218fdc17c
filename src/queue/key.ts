// The key of a row on disk: `time(9) tab(4) counter(4) kind(1) bytes`, the numbers in base 36. Sorted as text the oldest
// comes first, no two tabs can collide, and a list of keys alone tells what may be dropped and how much room it gives.

const TIME_DIGITS = 9;
const COUNTER_DIGITS = 4;
const KIND_AT = 17;

/** Nine base-36 digits of a time in milliseconds; a clock before 1970 counts as 1970. */
export function timePrefix(time: number): string {
  return Math.max(0, Math.floor(time)).toString(36).padStart(TIME_DIGITS, '0');
}

/** The key of a new row: what happened earlier sorts first. */
export function rowKey(row: { time: number; tab: string; count: number; isClick: boolean; bytes: number }): string {
  const count = row.count.toString(36).padStart(COUNTER_DIGITS, '0');
  return timePrefix(row.time) + row.tab + count + (row.isClick ? 'c' : 'd') + row.bytes.toString(36);
}

/** The same row, due at another time. */
export function dueAt(key: string, time: number): string {
  return timePrefix(time) + key.slice(TIME_DIGITS);
}

/** When the row was made, or when it is due if it was refused. */
export function keyTime(key: string): number {
  return parseInt(key.slice(0, TIME_DIGITS), 36);
}

/** Bytes of the row's event as JSON. */
export function keyBytes(key: string): number {
  return parseInt(key.slice(KIND_AT + 1), 36);
}

/** Tells whether the row is a click: clicks outlive displays. */
export function isClickKey(key: string): boolean {
  return key[KIND_AT] === 'c';
}
