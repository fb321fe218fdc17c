import { QUEUE_MAX_AGE_MS, QUEUE_MAX_EVENTS } from '../wire/limits.ts';
import { HOUR_MS } from './backoff.ts';
import type { DropReason } from './events.ts';
import { byWorth, DEAD, isWaiting, keyTime } from './key.ts';

/** Dead letters kept at most. */
const DEAD_MAX = 50;
/** Older than this no browser keeps anything: the clock was wrong then or is wrong now, and a wrong clock must not cost events. */
const BELIEVABLE_AGE_MS = 365 * 24 * HOUR_MS;

/** Of all keys, those that have to go, by the reason. What is `young` has been seen to come by this very page. */
export function overdue(
  keys: readonly string[],
  young: { has(key: string): boolean },
): (readonly [why: DropReason, gone: readonly string[]])[] {
  const expired: string[] = [];
  const rest = keys.filter(isWaiting).filter((key) => {
    const age = Date.now() - keyTime(key);
    const isOld = age > QUEUE_MAX_AGE_MS && age < BELIEVABLE_AGE_MS && !young.has(key);
    if (isOld) expired.push(key);
    return !isOld;
  });
  return [
    ['expired', expired],
    ['full', rest.sort(byWorth).slice(QUEUE_MAX_EVENTS)],
    ['dead_letters_full', keys.filter((key) => key > DEAD).slice(0, -DEAD_MAX)],
  ];
}
