import { QUEUE_MAX_AGE_MS, QUEUE_MAX_EVENTS } from '../wire/limits.ts';
import type { DropReason, StoredEvent } from './events.ts';

// The names of what is stored. The key of an event's row is `due(9) kind(1) made(9)` and a unique part: sorted as text the
// oldest comes first, no two tabs collide, and a list of keys alone shows which rows may be dropped.

/** Begins the name of every queue's database. */
export const QUEUE_PREFIX = 'offerlet-queue';

/** Returns the name of an endpoint's database and lock: each endpoint has its own, so that no event goes to another relay. */
export function queueName(endpoint: string): string {
  return `${QUEUE_PREFIX} ${endpoint}`;
}

/** Keeps the base-36 digits of a time at nine from 1932 on. */
const TIME_OFFSET = 4e12;
const TIME_DIGITS = 9;

/** The backoff state that the tabs of an origin share. This key and the next sort before every event. */
export const BACKOFF = '!';
/** A random id that a withdrawal of consent removes: who knew it and no longer finds it must stop. */
export const CONSENT = '!!!!';
/** How many rows the keys above can make. */
export const SHARED_MAX = 2;
/** Begins the keys of suspects: events on which the server failed while they were sent alone. They sort after all others. */
const SUSPECT = '}';
/** Begins the keys of dead letters; they sort after every event. */
export const DEAD = '~';
/** Begins the keys of the page's own small values; they sort after everything else. */
export const NOTE = '~~';
/** Ends the key of the note that no other may replace: the secret of the device. */
export const DEVICE = 'device';

/** Whether the key is that of an event that is yet to be delivered. */
export function isWaiting(key: string): boolean {
  return key > '0' && key < DEAD;
}

/** Whether the server failed on an event that was sent alone. */
export function isSuspect(key: string): boolean {
  return key > SUSPECT;
}

/** A key at a whole number of milliseconds. */
function keyAt(time: number, rest: string): string {
  return (time + TIME_OFFSET).toString(36) + rest;
}

/** Returns the key of a row that is made at a time, and due at one that is this page's latest; `mark` must be unique. */
export function rowKey(due: number, isClick: boolean, made: number, mark: string): string {
  return keyAt(due, (isClick ? 'c' : 'a') + keyAt(made, mark));
}

/** Returns the key of an event without what marks it as a suspect or dead letter. */
function bare(key: string): string {
  return key.replace(/^[}~]+/, '');
}

/** Returns the key of the same row, due at another time. */
export function dueAt(key: string, time: number): string {
  return keyAt(time, bare(key).slice(TIME_DIGITS));
}

/** Returns the key that puts an event behind all others. */
export function suspectKey(key: string, time: number): string {
  return SUSPECT + dueAt(key, time);
}

/** Returns when the row is due. */
export function dueTime(key: string): number {
  return timeIn(bare(key));
}

function timeIn(text: string): number {
  return parseInt(text.slice(0, TIME_DIGITS), 36) - TIME_OFFSET;
}

/** Sorts rows by importance: clicks before displays, newer before older. */
export function byWorth(a: string, b: string): number {
  const worth = (key: string): string => bare(key).slice(TIME_DIGITS, 2 * TIME_DIGITS + 1) + bare(key);
  return worth(a) < worth(b) ? 1 : -1;
}

/** One stored event; a refused one carries how often, a dead one why. */
export interface EventRow {
  event: StoredEvent;
  /** The event has the relay's time. Otherwise it has the device's. */
  isRelayTime?: boolean;
  tries?: number;
  reason?: string;
}

/** Puts a value, or removes the row when there is none. With `from` it replaces a row, unless that has been removed. */
export type RowChange = readonly [key: string, value?: unknown, from?: string];

/** An event's row and its key. */
export type QueueEntry = readonly [key: string, row: EventRow];

/** Maximum number of stored dead letters. */
const DEAD_MAX = 50;
/** No browser stores anything for longer: an older time is that of a wrong clock, which must not cost events. */
const BELIEVABLE_AGE_MS = 365 * 24 * 3_600_000;
/** A page adds so many rows before it looks for a surplus, so that a queue is not read whole for each event. */
export const SURPLUS = 50;

/** Which rows to drop, and why. */
export type Drops = readonly (readonly [reason: DropReason, keys: readonly string[]])[];

/** What this page knows of the rows that it has put or is sending. */
type Known = ReadonlyMap<string, { readonly isInFlight?: boolean }>;

/** Whether a row is too old to be sent: the relay may have forgotten that it has accepted it. */
export function isOld(key: string, now: number): boolean {
  const age = now - timeIn(bare(key).slice(TIME_DIGITS + 1));
  return age > QUEUE_MAX_AGE_MS && age < BELIEVABLE_AGE_MS;
}

/** Finds what to drop of all rows: what is expired, and what is more than the queue holds. Rows in flight are never dropped. */
export function findDrops(keys: readonly string[], known: Known, isExpired: (key: string) => boolean): Drops {
  const found = { expired: [] as string[], dead: [] as string[], rest: [] as string[] };
  for (const key of keys) {
    const isDead = key > DEAD;
    if (!isDead && (!isWaiting(key) || known.get(key)?.isInFlight)) continue;
    found[isExpired(key) ? 'expired' : isDead ? 'dead' : 'rest'].push(key);
  }
  return [
    ['expired', found.expired],
    ['full', found.rest.sort(byWorth).splice(QUEUE_MAX_EVENTS)],
    ['dead_letters_full', found.dead.sort().slice(0, -DEAD_MAX)],
  ];
}

/** Small values that the page stores beside the events: they survive a kill as the events do, and are cleared with them. */
export interface Notes {
  /** Resolves to the value, or to undefined if nothing is stored. Never rejects. */
  read(key: string): Promise<unknown>;
  /**
   * Replaces a value by what `change` returns for it, in one transaction; undefined removes it. Resolves when the value is
   * on disk (in memory where the browser has no storage), and never rejects. `change` may be called again with a newer value, so it must be
   * idempotent, and it must not throw.
   */
  update(key: string, change: NoteChange): Promise<void>;
  /** Removes each value that is not fresh. */
  sweep(isFresh: (value: unknown) => boolean): Promise<void>;
  /** Empties what memory holds, before the queue is emptied. */
  clear(): void;
}

export type NoteChange = (before: unknown) => unknown;
