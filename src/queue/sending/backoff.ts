import type { Failures } from './takeBatch.ts';

/** The backoff state that the tabs of an origin share; times are of the shopper's clock, in milliseconds. */
export interface Backoff {
  /** When the failures began; missing, as the next two, when the last request succeeded. */
  since?: number;
  /** The next attempt. */
  at?: number;
  /** `online` and the like bring the next attempt forward to here, never further: the pause after a failure, or Retry-After. */
  floor?: number;
  /** Only suspects have failed since the server last accepted something: other events need not wait. */
  isSuspects?: boolean | undefined;
  failures?: Failures;
}

/** Milliseconds between a failure and the next request, whatever asks for it. */
export const FAILURE_PAUSE_MS = 500;
/** The longest delay in the first four seconds of an outage: a thank-you page is open for seconds. */
const EAGER_DELAY_MS = 2_000;
const LONGEST_DELAY_MS = 300_000;
/** The longest that Retry-After is obeyed: 2,147,484 s would overflow setTimeout into a hot loop. */
export const HOUR_MS = 3_600_000;

/** Returns a delay below a ceiling: half of it, the rest random, so that a thousand pages do not return together. */
export function jitter(ceiling: number): number {
  return Math.ceil((Math.min(ceiling, LONGEST_DELAY_MS) * (1 + Math.random())) / 2);
}

/** Returns the milliseconds that a Retry-After header asks for, in seconds or as a date; 0 when it is missing or unreadable. */
export function retryAfterMs(header: string | null | undefined, now: number): number {
  const ms = Number(header) * 1_000 || Date.parse(String(header)) - now;
  return ms > 0 ? Math.min(ms, HOUR_MS) : 0;
}

/** Returns the state after one more failure. After a few seconds each delay is about as long as all before it. */
export function afterFailure(
  before: Backoff | undefined,
  now: number,
  retryAfter?: string | null,
): Required<Pick<Backoff, 'since' | 'at' | 'floor'>> {
  const since = before?.since ?? now;
  const delay = jitter(before?.since ? Math.max(EAGER_DELAY_MS, now - since - 3_000) : 1_000);
  const asked = retryAfterMs(retryAfter, now);
  const floor = now + (asked ? asked + Math.random() * Math.max(delay, asked / 2) : FAILURE_PAUSE_MS);
  return { since, at: Math.max(now + delay, floor), floor };
}

/** Returns the milliseconds until a request may be sent. `isEager`: back online, visible again or flushed. */
export function remainingDelay(backoff: Backoff | undefined, now: number, isEager: boolean): number {
  const delay = ((isEager ? backoff?.floor : backoff?.at) ?? now) - now;
  // Further ahead than anything we set: written under a clock that has been set back since.
  return delay > 0 && delay < 2 * HOUR_MS ? delay : 0;
}
