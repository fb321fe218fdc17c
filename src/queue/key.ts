// The key of a row on disk: `time(9) kind(1)` and what tells it from all others. Sorted as text the oldest comes first, no
// two tabs collide, and a list of keys alone tells which rows may go.

/** Keeps the base-36 digits of a time at nine from 1932 on. */
const TIME_OFFSET = 4e12;
const TIME_DIGITS = 9;

/** The key of what the tabs of an origin must agree on; it sorts before every event. */
export const TROUBLE = '!';
/** The key of the lease of browsers without Web Locks. */
export const LEASE = '!!';
/** The key of the number of rows that have gone on purpose, so far. */
export const GONE = '!!!';
/** Begins the keys of dead letters; they sort after every event. */
export const DEAD = '~';
/** Begins the keys of the page's own small values; they sort after everything else. */
export const NOTE = '~~';

/** Tells whether the key is an event's that is yet to be delivered. */
export function isWaiting(key: string): boolean {
  return key > '0' && key < DEAD;
}

/** A key at a whole number of milliseconds. */
function keyAt(time: number, rest: string): string {
  return (time + TIME_OFFSET).toString(36) + rest;
}

/** The key of a new row; `mark` is no other row's. */
export function rowKey(time: number, isClick: boolean, mark: string): string {
  return keyAt(time, (isClick ? 'c' : 'a') + mark);
}

/** The key of the same row, due at another time. */
export function dueAt(key: string, time: number): string {
  return keyAt(time, key.slice(TIME_DIGITS));
}

/** When the row was made or, of a refused one, when it is due. */
export function keyTime(key: string): number {
  return parseInt(key.slice(0, TIME_DIGITS), 36) - TIME_OFFSET;
}

/** Sorts the rows that are to be kept first: clicks before displays, newer before older. */
export function byWorth(a: string, b: string): number {
  return a[TIME_DIGITS] + a < b[TIME_DIGITS] + b ? 1 : -1;
}
