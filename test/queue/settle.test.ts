import { expect, it } from 'vitest';
import { type Backoff, type QueueEntry, type SentBatch, type Settlement, settle } from '../../src/queue/settle.ts';
import { rowKey } from '../../src/queue/rows.ts';

const NOW = Date.UTC(2026, 10, 22);
const entry = (n: number, tries?: number): QueueEntry => [
  rowKey(NOW + n, false, `t${n}`),
  {
    event: { event_id: `e${n}`, event_name: 'BRAND_VIEW', event_datetime: '', session_id: 's' },
    ...(tries && { tries }),
  },
];
const ok = (index: number): object => ({ index, success: true });
const no = (index: number, retryable: boolean): object => ({
  index,
  success: false,
  error: { code: 'c', message: 'm', retryable },
});

/** Settles a batch of events that were sent once. */
function settled(
  status: number,
  results: unknown = [],
  more: Partial<SentBatch> & { batch?: readonly QueueEntry[] } = {},
): Settlement {
  const batch = more.batch ?? [entry(0), entry(1), entry(2)];
  return settle({
    batch,
    isWanted: () => true,
    response: { status, body: { results }, reason: `Status ${status}` },
    before: undefined,
    isEager: false,
    now: NOW,
    ...more,
  });
}

const failed = (times: number, ...ns: number[]): Backoff => ({
  failures: Object.fromEntries(ns.map((n) => [entry(n)[0], times])),
});

it('removes accepted events and the backoff state', () => {
  expect(settled(202)).toEqual({
    changes: [[entry(0)[0]], [entry(1)[0]], [entry(2)[0]], ['!', undefined]],
    backoff: undefined,
    events: [{ type: 'delivered', count: 3, eventIds: ['e0', 'e1', 'e2'] }],
    next: 'go',
  });
});

it('moves a refused event to a later time and counts the refusal', () => {
  const { changes, events } = settled(207, [ok(0), no(1, true), ok(2)]);
  const [, moved] = changes;
  expect(moved).toMatchObject([expect.any(String), { tries: 1 }, entry(1)[0]]);
  expect(events[0]).toMatchObject({ type: 'retried', count: 1, reason: 'c: m' });
});

it('makes a dead letter of a final refusal, and of the tenth', () => {
  for (const [retryable, tries] of [
    [false, 0],
    [true, 9],
  ] as const) {
    const { changes, events } = settled(207, [no(0, retryable)], { batch: [entry(0, tries)] });
    expect(changes[0]).toMatchObject([`~${entry(0)[0]}`, { reason: 'c: m' }, entry(0)[0]]);
    expect(events).toMatchObject([{ type: 'dead_letter', event: { event_id: 'e0' }, reason: 'c: m' }]);
  }
});

it('leaves queued events alone and backs off', () => {
  const { changes, backoff, events } = settled(0);
  expect(changes).toEqual([['!', backoff]]);
  expect(backoff).toMatchObject({ since: NOW });
  expect(backoff?.failures).toBeUndefined();
  expect(events).toMatchObject([{ type: 'retried', count: 3, nextTryAt: backoff?.at }]);
});

it('changes nothing about events that were purged meanwhile', () => {
  const { changes, events } = settled(207, [ok(0), no(1, false), no(2, true)], { isWanted: () => false });
  expect(changes).toEqual([['!', undefined]]);
  expect(events).toEqual([]);
});

it('counts failures of the server only', () => {
  for (const status of [0, 200, 408, 425, 429]) expect(settled(status).backoff?.failures).toBeUndefined();
  for (const status of [500, 502, 503, 504])
    expect(settled(status, [], { before: failed(1, 0) }).backoff?.failures).toEqual({
      ...failed(2, 0).failures,
      ...failed(1, 1, 2).failures,
    });
});

it('forgets the failures of an event that is settled, and keeps those of others', () => {
  const { changes, backoff } = settled(202, [], { before: failed(3, 1, 7) });
  expect(backoff).toEqual(failed(3, 7));
  expect(changes.at(-1)).toEqual(['!', backoff]);
});

it('lets other events pass a backoff only if suspects alone have caused it', () => {
  const suspects = failed(3, 0, 1, 2);
  expect(settled(500, [], { before: suspects }).backoff?.isSuspects).toBe(true);
  expect(
    settled(500, [], { before: { ...suspects, since: NOW, at: NOW, floor: NOW, isSuspects: true } }).backoff
      ?.isSuspects,
  ).toBe(true);
  expect(
    settled(500, [], { before: { ...suspects, since: NOW, at: NOW, floor: NOW } }).backoff?.isSuspects,
  ).toBeFalsy();
  expect(settled(500, [], { before: failed(3, 0, 1) }).backoff?.isSuspects).toBeFalsy();
  // A 207 that refuses everything is an outage, whichever event is suspected.
  expect(settled(207, [no(0, true), no(1, true), no(2, true)]).backoff?.isSuspects).toBeFalsy();
});
