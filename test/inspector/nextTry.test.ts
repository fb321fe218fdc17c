import { expect, test } from 'vitest';
import { nextTry } from '../../src/inspector/eventTimelines.ts';
import type { QueueStats } from '../../src/queue/events.ts';

const STATS: QueueStats = {
  onDisk: 2,
  inMemory: 0,
  inFlight: 0,
  deadLetters: 0,
  storage: 'indexeddb',
  isPaused: false,
  delivered: 0,
  dropped: 0,
};

test('the next try says when and why', () => {
  const now = Date.parse('2026-11-21T09:00:00.000Z');
  const stats = { ...STATS, nextTryAt: now + 1_500, lastResponse: { status: 502, at: now } };
  expect(nextTry(stats, now)).toBe('Next try at 09:00:01.500, in 1.5 s, because the last response was 502.');
});

test('a pause says what ends it', () => {
  expect(nextTry({ ...STATS, isPaused: true, lastResponse: { status: 401, at: 0 } }, 0)).toMatch(
    /^Sending is paused because the last response was 401\. .* next page view, or with Flush/,
  );
});

test('an empty queue says so, and a request without a response is not status 0', () => {
  expect(nextTry({ ...STATS, onDisk: 0 }, 0)).toBe('Nothing is waiting.');
  expect(nextTry({ ...STATS, nextTryAt: 9, lastResponse: { status: 0, at: 0 } }, 0)).toContain('got no response');
  expect(nextTry({ ...STATS, inFlight: 2 }, 0)).toBe('2 in flight.');
});
