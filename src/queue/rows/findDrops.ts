import { QUEUE_MAX_AGE_MS, QUEUE_MAX_EVENTS } from '../../wire/limits.ts';
import type { DropReason } from '../events.ts';
import { HOUR_MS } from '../sending/backoff.ts';
import { byWorth, DEAD, isIdle, isWaiting, keyTime, type Rows } from './rows.ts';

/** Dead letters kept at most. */
const DEAD_MAX = 50;
/** No browser stores anything for longer: an older time is that of a wrong clock, which must not cost events. */
const BELIEVABLE_AGE_MS = 365 * 24 * HOUR_MS;
/** A queue grows this far past its cap before the surplus is dropped at once, so that it is not read whole for each event. */
export const QUEUE_GROWN = QUEUE_MAX_EVENTS * 1.05;

/** Which rows to drop, and why. */
export type Drops = readonly (readonly [reason: DropReason, keys: readonly string[]])[];

/** Finds what to drop of all rows: what is too old, and what is more than the queue holds. Rows in flight are never dropped. */
export function findDrops(keys: readonly string[], known: Rows['known']): Drops {
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
  return [
    ['expired', expired],
    ['full', rest.sort(byWorth).splice(QUEUE_MAX_EVENTS)],
    ['dead_letters_full', dead.sort().slice(0, -DEAD_MAX)],
  ];
}
