/** Failures in a row after which the network is left alone. */
export const BREAKER_FAILURES = 5;
/** Milliseconds for which it is left alone. */
export const BREAKER_PAUSE_MS = 10_000;
/** Failures of one sender that count towards leaving the network alone for everybody. */
const FAILURES_PER_SENDER = 2;
/** Failing senders that are tracked; beyond that the ones unused for longest are forgotten. */
const SENDERS_MAX = 10_000;

/** Stops calling a network that keeps failing, and lets one request through when the pause is over. */
export interface Breaker {
  /** Milliseconds until a request of this sender may pass; 0 when this one may. */
  enter(sender: string | undefined): number;
  succeed(sender: string | undefined): void;
  /** Returns whether this failure made the network be left alone for everybody. */
  fail(sender: string | undefined): boolean;
  /** Whether the network is left alone for everybody. */
  isOpen(): boolean;
}

/**
 * A breaker that opens after five failures in a row, for ten seconds. A sender whose requests fail five times in a row
 * is refused by itself; of these only two count towards the breaker for everybody, so it takes several senders to open
 * it or to keep it open.
 */
export function createBreaker(now: () => number): Breaker {
  const everybody = createCircuit(now);
  /** Senders whose last call failed. */
  const failing = new Map<string, Circuit>();

  function circuitOf(sender: string): Circuit {
    const circuit = failing.get(sender) ?? createCircuit(now);
    failing.delete(sender);
    failing.set(sender, circuit);
    if (failing.size > SENDERS_MAX) for (const oldest of failing.keys()) if (failing.delete(oldest)) break;
    return circuit;
  }

  return {
    enter(sender) {
      const own = sender === undefined ? undefined : failing.get(sender);
      const waitMs = Math.max(everybody.waitMs(), own?.waitMs() ?? 0);
      if (waitMs > 0) return waitMs;
      everybody.enter();
      own?.enter();
      return 0;
    },
    succeed(sender) {
      everybody.succeed();
      if (sender !== undefined) failing.delete(sender);
    },
    fail(sender) {
      const own = sender === undefined ? undefined : circuitOf(sender);
      own?.fail();
      if (own === undefined || own.failures() <= FAILURES_PER_SENDER) return everybody.fail();
      everybody.leave();
      return false;
    },
    isOpen: () => everybody.isOpen(),
  };
}

interface Circuit {
  waitMs(): number;
  enter(): void;
  /** Ends a probe without a verdict: the next request may probe. */
  leave(): void;
  succeed(): void;
  fail(): boolean;
  failures(): number;
  isOpen(): boolean;
}

function createCircuit(now: () => number): Circuit {
  let failures = 0;
  let openUntil = 0;
  let probeUntil = 0;
  return {
    waitMs() {
      if (failures < BREAKER_FAILURES) return 0;
      // One probe at a time. It expires, or a probe that never settles would block the network for good.
      return Math.max(0, openUntil - now(), probeUntil - now());
    },
    enter() {
      if (failures >= BREAKER_FAILURES) probeUntil = now() + BREAKER_PAUSE_MS;
    },
    leave() {
      probeUntil = 0;
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
    failures: () => failures,
    isOpen: () => failures >= BREAKER_FAILURES && now() < openUntil,
  };
}
