import { expect, it } from 'vitest';
import * as fc from 'fast-check';
import { afterFailure, retryAfterMs, remainingDelay, type Backoff } from '../../src/queue/settle.ts';

const NOW = Date.UTC(2026, 10, 21, 9);

/** The waits of `count` failures, each at once after the wait before. */
function waits(count: number): number[] {
  const found: number[] = [];
  let backoff: Backoff | undefined;
  for (let now = NOW; found.length < count; now += found.at(-1) ?? 0) {
    backoff = afterFailure(backoff, now);
    found.push((backoff.at ?? 0) - now);
  }
  return found;
}

it('the first delay is 0.5 to 1 s', () => {
  for (let run = 0; run < 200; run++) {
    const [first = 0] = waits(1);
    expect(first).toBeGreaterThanOrEqual(500);
    expect(first).toBeLessThanOrEqual(1_000);
  }
});
it('in the first four seconds no delay exceeds two seconds', () => {
  for (let run = 0; run < 200; run++) {
    let at = 0;
    for (const wait of waits(8)) {
      if (at < 4_000) expect(wait).toBeLessThanOrEqual(2_000);
      at += wait;
    }
  }
});
it('after a five-second outage the next attempt follows within two seconds', () => {
  for (let run = 0; run < 500; run++) {
    let at = 0;
    for (const wait of waits(12)) if ((at += wait) >= 5_000) break;
    expect(at).toBeLessThanOrEqual(7_000);
  }
});
it('later delays double up to five minutes, at most half of each random', () => {
  const late = waits(24).slice(-5);
  for (const wait of late) expect(wait).toBeGreaterThanOrEqual(150_000);
  for (const wait of waits(60)) expect(wait).toBeLessThanOrEqual(300_000);
});
it('500 pages that failed together do not retry together', () => {
  const seconds = new Map<number, number>();
  for (let page = 0; page < 500; page++) {
    let backoff: Backoff | undefined;
    let now = NOW + Math.random() * 1_000;
    while (now < NOW + 60_000) {
      backoff = afterFailure(backoff, now);
      now = backoff.at ?? 0;
    }
    const second = Math.floor((now - NOW) / 1_000);
    seconds.set(second, (seconds.get(second) ?? 0) + 1);
  }
  expect(Math.max(...seconds.values())).toBeLessThanOrEqual((3 * 500) / 32);
});

it('Retry-After is read in seconds and as a date', () => {
  expect(retryAfterMs('7', NOW)).toBe(7_000);
  expect(retryAfterMs(new Date(NOW + 9_000).toUTCString(), NOW)).toBe(9_000);
});
it('a Retry-After that is unreadable, negative, past or missing is ignored', () => {
  for (const header of ['soon', '', '-5', '0', 'NaN', new Date(NOW - 9_000).toUTCString(), null, undefined])
    expect([header, retryAfterMs(header, NOW)]).toEqual([header, 0]);
});
it('a huge Retry-After is limited to an hour', () => {
  for (const header of ['2147484', '1e300', '9'.repeat(400), 'Fri, 01 Jan 2100 00:00:00 GMT'])
    expect([header, retryAfterMs(header, NOW)]).toEqual([header, 3_600_000]);
});
it('no delay is shorter than Retry-After, not even for a flush', () => {
  expect(afterFailure(undefined, NOW, '60')).not.toEqual(afterFailure(undefined, NOW, '60')); // not all at once
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3_600 }), (seconds) => {
      const backoff = afterFailure(undefined, NOW, String(seconds));
      return (
        remainingDelay(backoff, NOW, true) >= seconds * 1_000 && remainingDelay(backoff, NOW, false) >= seconds * 1_000
      );
    }),
  );
});

it('a flush ends the backoff except for the first half second after a failure', () => {
  const backoff = { since: NOW - 90_000, set: NOW, at: NOW + 60_000, floor: NOW + 500 };
  expect(remainingDelay(backoff, NOW, false)).toBe(60_000);
  expect(remainingDelay(backoff, NOW, true)).toBe(500);
  expect(remainingDelay(backoff, NOW + 501, true)).toBe(0);
});
it.each([60_000, 90 * 60_000, 5e10])('a clock set back by %i ms does not stop the queue', (back) => {
  const backoff = afterFailure({ since: NOW - 9e6, set: NOW - 2e5, at: NOW }, NOW);
  expect(remainingDelay(backoff, NOW - back, false)).toBe(0);
  expect(afterFailure(backoff, NOW - back).at - (NOW - back)).toBeLessThanOrEqual(300_000);
});
it('a clock that jumps ahead does not make the delays long', () => {
  const backoff = afterFailure(afterFailure(undefined, NOW), NOW + 90 * 60_000);
  expect((backoff.at ?? 0) - backoff.set).toBeLessThanOrEqual(3_000);
});
