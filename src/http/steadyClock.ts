/**
 * Returns a clock for ages and expiry: the time at its creation, plus what has passed since. Unlike `Date.now`, it does not
 * jump when somebody sets the machine's clock.
 */
export function steadyClock(): () => number {
  const start = Date.now() - performance.now();
  return () => start + performance.now();
}

/** Returns the earlier of two clocks: neither a moment's wrong time nor one at the start makes anything look too old. */
export function carefulClock(): () => number {
  const steady = steadyClock();
  return () => Math.min(Date.now(), steady());
}
