/** Failures in a row after which the network is left alone. */
export const BREAKER_FAILURES = 5;
/** Milliseconds for which it is left alone. */
export const BREAKER_PAUSE_MS = 10_000;

/** Stops asking a network that keeps failing, and lets one request through when the pause is over. */
export interface Breaker {
  /** Milliseconds until a request may pass; 0 when this one may. */
  enter(): number;
  succeed(): void;
  /** Tells whether this failure opened the breaker. */
  fail(): boolean;
  isOpen(): boolean;
}

/** A breaker that opens after five failures in a row, for ten seconds. */
export function createBreaker(now: () => number): Breaker {
  let failures = 0;
  let openUntil = 0;
  let probeUntil = 0;
  return {
    enter() {
      if (failures < BREAKER_FAILURES) return 0;
      const time = now();
      if (time < openUntil) return openUntil - time;
      // One probe at a time. Its own place expires too, or a probe that is never settled would close the door for good.
      if (time < probeUntil) return probeUntil - time;
      probeUntil = time + BREAKER_PAUSE_MS;
      return 0;
    },
    succeed() {
      failures = 0;
      openUntil = 0;
      probeUntil = 0;
    },
    fail() {
      failures += 1;
      if (failures < BREAKER_FAILURES) return false;
      openUntil = now() + BREAKER_PAUSE_MS;
      probeUntil = 0;
      return true;
    },
    isOpen: () => failures >= BREAKER_FAILURES && now() < openUntil,
  };
}
