import { promisifyRequest as done } from 'idb-keyval';
import { QUEUE_MAX_AGE_MS, QUEUE_MAX_EVENTS } from '../../wire/limits.ts';
import { HOUR_MS } from '../sending/backoff.ts';
import type { DropReason } from '../events.ts';
import { byWorth, DEAD, eventRange, isClick, isWaiting, keyTime } from './key.ts';
import { isIdle, type Rows } from './rows.ts';

/** Dead letters kept at most. */
const DEAD_MAX = 50;
/** No browser stores anything for longer: an older time is that of a wrong clock, which must not cost events. */
const BELIEVABLE_AGE_MS = 365 * 24 * HOUR_MS;
/** How many of the next displays to drop are remembered, so that a full queue is not read whole for each new event. */
const NEXT_MAX = 256;

/** Which rows to drop, and why. */
export type Drops = readonly (readonly [why: DropReason, keys: readonly string[]])[];

/** The cap on a queue's rows. */
export interface Cap {
  /** Counts rows that are about to be added. Returns whether the cap has to be checked for them. */
  add(count: number): boolean;
  /** Takes note of how many rows are waiting. */
  count(waiting: number): void;
  /** Finds what to drop. A full queue that only this page adds to need not be read for that. */
  find(rows: IDBObjectStore, added: readonly string[]): Promise<Drops>;
  /** Finds what to drop of these rows. */
  findAmong(keys: Iterable<string>): Drops;
}

/** Opens the cap. Rows in flight are never dropped. */
export function openCap(known: Rows['known']): Cap {
  /** Rows that may be added before the cap has to be checked; as of the last read, since other tabs add as well. */
  let room = QUEUE_MAX_EVENTS;
  /** The next displays to drop, the oldest last. Those that come later are worth more. */
  let next: string[] = [];

  /** Finds what to drop of all rows. */
  function overdue(keys: readonly string[]): Drops {
    const expired: string[] = [];
    const dead: string[] = [];
    const rest = keys.filter((key) => {
      const isDead = key > DEAD;
      if (!isDead && (!isWaiting(key) || !isIdle(known.get(key)))) return false;
      const age = Date.now() - keyTime(isDead ? key.slice(DEAD.length) : key);
      // No clock makes those old that this page has seen come.
      const isOld = age > QUEUE_MAX_AGE_MS && age < BELIEVABLE_AGE_MS && !known.has(key);
      if (isOld) expired.push(key);
      else if (isDead) dead.push(key);
      return !isOld && !isDead;
    });
    const full = rest.sort(byWorth).splice(QUEUE_MAX_EVENTS);
    next = rest.filter((key) => !isClick(key)).slice(-NEXT_MAX);
    return [
      ['expired', expired],
      ['full', full],
      ['dead_letters_full', dead.slice(0, -DEAD_MAX)],
    ];
  }

  return {
    add: (count) => (room -= count) < 0,
    count(waiting) {
      room = QUEUE_MAX_EVENTS - waiting;
    },
    async find(rows, added) {
      const count = added.length;
      room = 0;
      next = next.filter((key) => isIdle(known.get(key)));
      if (
        count &&
        next.length >= count &&
        (await done(rows.count(IDBKeyRange.bound('0', DEAD)))) === QUEUE_MAX_EVENTS + count
      )
        return [['full', next.splice(-count)]];
      return overdue((await done(rows.getAllKeys(eventRange()))) as string[]);
    },
    findAmong: (keys) => overdue([...keys].sort()),
  };
}
