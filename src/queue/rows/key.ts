// The names of what is stored. The key of an event's row is `time(9) kind(1)` and what tells it from all others: sorted as
// text the oldest comes first, no two tabs collide, and a list of keys alone tells which rows may be dropped.

/** Begins the name of every queue's database. */
export const QUEUE_PREFIX = 'offerlet-queue';

/** Returns the name of an endpoint's database and lock: each endpoint has its own, so that no event goes to another relay. */
export function queueName(endpoint: string): string {
  return `${QUEUE_PREFIX} ${endpoint}`;
}

/** Keeps the base-36 digits of a time at nine from 1932 on. */
const TIME_OFFSET = 4e12;
const TIME_DIGITS = 9;

/** The backoff state that the tabs of an origin share. This key and the next three sort before every event. */
export const BACKOFF = '!';
/** The lease of browsers without Web Locks. */
export const LEASE = '!!';
/** The number of rows that were removed on purpose, ever. */
export const REMOVED = '!!!';
/** A random id that a withdrawal of consent removes: who knew it and no longer finds it must stop. */
export const CONSENT = '!!!!';
/** How many rows the keys above can make. */
export const SHARED_MAX = 4;
/** Begins the keys of dead letters; they sort after every event. */
export const DEAD = '~';
/** Begins the keys of the page's own small values; they sort after everything else. */
export const NOTE = '~~';

/** Whether the key is that of an event that is yet to be delivered. */
export function isWaiting(key: string): boolean {
  return key > '0' && key < DEAD;
}

/** A key at a whole number of milliseconds. */
function keyAt(time: number, rest: string): string {
  return (time + TIME_OFFSET).toString(36) + rest;
}

/** Returns the key of a new row; `mark` must be unique. */
export function rowKey(time: number, isClick: boolean, mark: string): string {
  return keyAt(time, (isClick ? 'c' : 'a') + mark);
}

/** Returns the key of the same row, due at another time. */
export function dueAt(key: string, time: number): string {
  return keyAt(time, key.slice(TIME_DIGITS));
}

/** Returns when the row was made or, of a refused one, when it is due. */
export function keyTime(key: string): number {
  return parseInt(key.slice(0, TIME_DIGITS), 36) - TIME_OFFSET;
}

/** Whether the key is that of a click, or of a display. */
export function isClick(key: string): boolean {
  return key[TIME_DIGITS] === 'c';
}

/** Sorts the rows that are to be kept first: clicks before displays, newer before older. */
export function byWorth(a: string, b: string): number {
  return a[TIME_DIGITS] + a < b[TIME_DIGITS] + b ? 1 : -1;
}

/** Returns the range of all rows but the page's notes. */
export function eventRange(): IDBKeyRange {
  return IDBKeyRange.upperBound(NOTE);
}
