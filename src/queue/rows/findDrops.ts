import { QUEUE_MAX_AGE_MS, QUEUE_MAX_EVENTS } from '../../wire/limits.ts';
import type { DropReason } from '../events.ts';
import { HOUR_MS } from '../sending/settle.ts';
import { byWorth, DEAD, isIdle, isWaiting, keyTime, type Rows } from './rows.ts';

/** Dead letters kept at most. */
const DEAD_MAX = 50;
/** No browser stores anything for longer: an older time is that of a wrong clock, which must not cost events. */
const BELIEVABLE_AGE_MS = 365 * 24 * HOUR_MS;
/** A queue grows this far past its cap before the surplus is dropped at once, so that it is not read whole for each event. */
export const QUEUE_GROWN = QUEUE_MAX_EVENTS * 1.05;

/** Which rows to drop, and why. */
export type Drops = readonly (readonly [reason: DropReason, keys: readonly string[]])[];

/** Whether a row that an earlier page has made is too old to be sent. No clock makes those old that this page has seen come. */
export function isOld(key: string, known: Rows['known'], now: number): boolean {
  const age = now - keyTime(key);
  return age > QUEUE_MAX_AGE_MS && age < BELIEVABLE_AGE_MS && !known.has(key);
}

/**
 * Finds what to drop of all rows: what is more than the queue holds and, if the time is known, what is too old. Rows in flight
 * are never dropped.
 */
export function findDrops(keys: readonly string[], known: Rows['known'], now = 0): Drops {
  const expired: string[] = [];
  const dead: string[] = [];
  const rest = keys.filter((key) => {
    const isDead = key > DEAD;
    if (!isDead && (!isWaiting(key) || !isIdle(known.get(key)))) return false;
    const isExpired = isOld(isDead ? key.slice(DEAD.length) : key, known, now);
    if (isExpired) expired.push(key);
    else if (isDead) dead.push(key);
    return !isExpired && !isDead;
  });
  return [
    ['expired', expired],
    ['full', rest.sort(byWorth).splice(QUEUE_MAX_EVENTS)],
    ['dead_letters_full', dead.sort().slice(0, -DEAD_MAX)],
  ];
}
