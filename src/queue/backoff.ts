/** What the tabs of an origin remember of the trouble that sending is in; times are of the shopper's clock, in milliseconds. */
export interface Trouble {
  /** When it began. */
  since: number;
  /** The next try. */
  at: number;
  /** `online` and the like bring the next try forward to here, never further: the pause after a failure, or Retry-After. */
  floor: number;
}

/** Milliseconds between a failure and the next request, whatever asks for it. */
export const FAILURE_PAUSE_MS = 500;
/** The longest wait in the first four seconds of trouble: a thank-you page is open for seconds. */
const EAGER_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 300_000;
/** The longest that Retry-After is obeyed: 2,147,484 s would overflow setTimeout into a hot loop. */
export const HOUR_MS = 3_600_000;

/** A wait below a ceiling: half of it, the rest by chance, so that a thousand pages do not return together. */
export function jitter(ceiling: number): number {
  return Math.ceil((Math.min(ceiling, LONGEST_WAIT_MS) * (1 + Math.random())) / 2);
}

/** Milliseconds that a Retry-After header asks for, in seconds or as a date; 0 when it asks for nothing readable. */
export function retryAfterMs(header: string | null | undefined, now: number): number {
  const ms = Number(header) * 1_000 || Date.parse(String(header)) - now;
  return ms > 0 ? Math.min(ms, HOUR_MS) : 0;
}

/** What a further failure makes of the trouble so far. After a few seconds each wait is about as long as all before it. */
export function afterFailure(before: Trouble | undefined, now: number, retryAfter?: string | null): Trouble {
  const since = before?.since ?? now;
  const wait = jitter(before ? Math.max(EAGER_WAIT_MS, now - since - 3_000) : 1_000);
  const asked = retryAfterMs(retryAfter, now);
  const floor = now + (asked ? asked + Math.random() * Math.max(wait, asked / 2) : FAILURE_PAUSE_MS);
  return { since, at: Math.max(now + wait, floor), floor };
}

/** Milliseconds until a request may be sent. `isEager`: back online, visible again or told to. */
export function waitFor(trouble: Trouble | undefined, now: number, isEager: boolean): number {
  const wait = trouble ? (isEager ? trouble.floor : trouble.at) - now : 0;
  // Further ahead than anything we set: written under a clock that has been set back since.
  return wait > 0 && wait < 2 * HOUR_MS ? wait : 0;
}
