import { QUEUE_MAX_AGE_MS } from '../wire/limits.ts';

/** Older than this no browser keeps anything: the clock was wrong then or is wrong now, and a wrong clock must not cost events. */
const BELIEVABLE_AGE_MS = 365 * 24 * 3_600_000;

/** Tells whether an event made at `made` is too old to be sent. */
export function isExpired(made: number, now: number): boolean {
  return now - made > QUEUE_MAX_AGE_MS && now - made < BELIEVABLE_AGE_MS;
}
