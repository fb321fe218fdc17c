import { expect, test } from 'vitest';
import { judgeEvent } from '../../src/wire/events.ts';

const NOW = Date.parse('2025-11-20T10:30:00Z');
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const brand = { offer_id: 'o1', advertiser_id: 'a1', insertion_id: 'i1' };

/** Judges a click so many milliseconds from now, of a session that was opened then. */
function judge(at: number, opened: number | undefined, brand_properties = brand): string {
  const event_datetime = new Date(NOW + at).toISOString();
  const event = { event_name: 'BRAND_CLICK', event_datetime, session_id: 's', brand_properties } as const;
  const session = opened === undefined ? undefined : { created_at: new Date(NOW + opened), insertions: { i1: brand } };
  const verdict = judgeEvent(event, session, NOW);
  return verdict.ok ? `at ${verdict.at - NOW}` : `${verdict.error.code} ${verdict.error.retryable}`;
}

// To the millisecond; src/network/contract/rules.md#e6 and #e8.
test.each([
  [5 * MINUTE, 0, 'at 300000'],
  [5 * MINUTE + 1, 0, 'EVENT_IN_THE_FUTURE false'],
  [-30 * DAY, -30 * DAY, `at ${-30 * DAY}`],
  [-30 * DAY - 1, -30 * DAY, 'EVENT_TOO_OLD false'],
  [0, -30 * DAY - 1, 'SESSION_TOO_OLD false'],
  [-5 * MINUTE, 0, `at ${-5 * MINUTE}`],
  [-5 * MINUTE - 1, 0, 'EVENT_BEFORE_SESSION false'],
  [0, undefined, 'UNKNOWN_SESSION false'],
])('an event at %i ms of a session opened at %s ms: %s', (at, opened, verdict) => {
  expect(judge(at, opened)).toBe(verdict);
});

test('the insertion of an event is one of its session, and of its offer', () => {
  for (const other of [
    { ...brand, insertion_id: 'i2' },
    { ...brand, insertion_id: '__proto__' },
    { ...brand, offer_id: 'o2' },
  ])
    expect(judge(0, 0, other)).toBe('UNKNOWN_INSERTION false');
});
