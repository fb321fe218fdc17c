import { retryAfterMs } from './retryAfter.ts';

/** What is remembered of the trouble that sending is in; times are of the shopper's clock, in milliseconds. */
export interface Trouble {
  /** When it began. */
  since: number;
  /** The last failure. */
  last: number;
  /** Failures after the first four seconds: each doubles the wait. */
  late: number;
  /** The next try; `online` and the like bring it forward. */
  at: number;
  /** What the server asked for by Retry-After: nothing brings this forward. */
  notBefore: number;
}

/** Milliseconds between a failure and the next request, whatever asks for it. */
export const FAILURE_PAUSE_MS = 500;
/** Milliseconds of trouble in which tries stay close together: a thank-you page is open for seconds. */
const EAGER_MS = 4_000;
const LONGEST_WAIT_MS = 300_000;
/** Above this a time in the future was written under a clock that has been set back since. */
const BELIEVABLE_MS = 2 * 3_600_000;

/** The wait below a ceiling: at least half of it, the rest by chance, so that a thousand pages do not return together. */
export function jitter(ceiling: number, random: () => number): number {
  return (ceiling * (1 + random())) / 2;
}

/** What a further failure makes of the trouble so far. */
export function afterFailure(
  before: Trouble | undefined,
  { now, random, retryAfter }: { now: number; random: () => number; retryAfter?: string | null },
): Trouble {
  const since = before && before.since <= now ? before.since : now;
  const late = now - since < EAGER_MS ? 0 : (before?.late ?? 0) + 1;
  const wait = jitter(late ? Math.min(LONGEST_WAIT_MS, 1_000 * 2 ** late) : before ? 2_000 : 1_000, random);
  const asked = retryAfterMs(retryAfter, now);
  const notBefore = asked ? now + asked + random() * Math.max(wait, asked / 2) : 0;
  return { since, last: now, late, at: Math.max(now + wait, notBefore), notBefore };
}

/** Milliseconds until a request may be sent. `isEager`: back online, visible again or told to, which ends the back-off but no Retry-After. */
export function waitFor(trouble: Trouble | undefined, now: number, isEager: boolean): number {
  if (!trouble) return 0;
  const wait = (isEager ? Math.max(trouble.last + FAILURE_PAUSE_MS, trouble.notBefore) : trouble.at) - now;
  return wait > BELIEVABLE_MS ? 0 : Math.max(0, wait);
}
