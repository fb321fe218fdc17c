// The key of a row on disk: `time(13) kind(1) chance`. Sorted as text the oldest comes first, no two tabs collide, and a
// list of keys alone tells which rows may go.

/** Keeps a time at 13 digits from 1873 to 2160. */
const TIME_OFFSET = 4e12;
const TIME_DIGITS = 13;

/** The key of what the tabs of an origin must agree on; it sorts before every event. */
export const TROUBLE = '!';
/** The key of the lease of browsers without Web Locks. */
export const LEASE = '!!';
/** Begins the keys of dead letters; they sort after every event. */
export const DEAD = '~';

/** Tells whether the key is an event's that is yet to be delivered. */
export function isWaiting(key: string): boolean {
  return key > '0' && key < DEAD;
}

/** The key of a new row, at a whole number of milliseconds. */
export function rowKey(time: number, isClick: boolean): string {
  return time + TIME_OFFSET + (isClick ? 'c' : 'a') + Math.random();
}

/** The key of the same row, due at another time. */
export function dueAt(key: string, time: number): string {
  return time + TIME_OFFSET + key.slice(TIME_DIGITS);
}

/** When the row was made or, of a refused one, when it is due. */
export function keyTime(key: string): number {
  return parseInt(key) - TIME_OFFSET;
}

/** Sorts the rows that are to be kept first: clicks before displays, newer before older. */
export function byWorth(a: string, b: string): number {
  return a[TIME_DIGITS] + a < b[TIME_DIGITS] + b ? 1 : -1;
}
