import { expect, it } from 'vitest';
import { type SentBatch, type Settlement, settle } from '../../src/queue/settle.ts';
import { type QueueEntry, rowKey, suspectKey } from '../../src/queue/rows.ts';

const NOW = Date.UTC(2026, 10, 22);
const entry = (n: number, tries?: number): QueueEntry => [
  rowKey(NOW + n, false, NOW, `t${n}`),
  {
    event: { event_id: `e${n}`, event_name: 'BRAND_VIEW', event_datetime: '', session_id: 's' },
    ...(tries && { tries }),
  },
];
const ok = (index: number): object => ({ index, success: true });
const refusal = (retryable: boolean): object => ({ code: 'c', message: 'm', retryable });
const no = (index: number, is: boolean): object => ({ index, success: false, error: refusal(is) });

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

it('moves a refused event to a later time and counts the refusal', () => {
  const { changes, events } = settled(207, [ok(0), no(1, true), ok(2)]);
  const [, moved] = changes;
  expect(moved).toMatchObject([expect.any(String), { tries: 1 }, entry(1)[0]]);
  expect(events[0]).toMatchObject({ type: 'retried', count: 1, reason: 'c: m' });
  const [seventh] = settled(207, [ok(0), no(1, true)], { batch: [entry(0), entry(1, 6)] }).events;
  expect(seventh?.type === 'retried' && seventh.nextTryAt).toBeGreaterThan(NOW + 30_000);
});

it('makes a dead letter of a final refusal, and of the tenth', () => {
  for (const [retryable, tries] of [
    [false, 0],
    [true, 9],
  ] as const) {
    const { changes, events } = settled(207, [no(0, retryable)], { batch: [entry(0, tries)] });
    expect(changes[0]).toMatchObject([`~${entry(0)[0]}`, { reason: 'c' }, entry(0)[0]]);
    expect(events).toMatchObject([{ type: 'deadLetter', event: { event_id: 'e0' }, reason: 'c: m' }]);
  }
});

it('changes nothing about events that were purged meanwhile', () => {
  const { changes, events } = settled(207, [ok(0), no(1, false), no(2, true)], { isWanted: () => false });
  expect(changes).toEqual([['!', undefined]]);
  expect(events).toEqual([]);
});

it('counts failures of the server only, and splits a batch after the third', () => {
  for (const status of [0, 200, 408, 425, 429])
    expect(settled(status, [], { before: { failures: 2 } }).backoff).not.toHaveProperty('sizes');
  for (const status of [500, 502, 503, 504]) {
    expect(settled(status, [], { before: { failures: 1 } }).backoff).toMatchObject({ failures: 2 });
    expect(settled(status, [], { before: { failures: 2 } }).backoff).toMatchObject({ failures: 3, sizes: [2, 1] });
  }
});

it('goes on with the other half after one has succeeded, and splits it at once if it fails', () => {
  const before = { sizes: [3, 2] };
  expect(settled(202, [], { before }).backoff).toEqual({ sizes: [2] });
  for (const status of [500, 0]) expect(settled(status, [], { before }).backoff).toMatchObject({ sizes: [2, 1, 2] });
});

it('puts an event that failed alone behind all others, without counting a refusal', () => {
  const batch = [entry(0)];
  const { changes, backoff } = settled(500, [], { batch, before: { sizes: [1, 2] } });
  expect(changes[0]).toEqual([suspectKey(entry(0)[0], NOW), entry(0)[1], entry(0)[0]]);
  expect(backoff).toMatchObject({ sizes: [2] });
});

it('lets other events pass a backoff only if suspects alone have caused it', () => {
  const batch = [0, 1].map((n): QueueEntry => [suspectKey(entry(n)[0], NOW), entry(n)[1]]);
  const since = { since: NOW, at: NOW, floor: NOW };
  expect(settled(500, [], { batch }).backoff?.isSuspects).toBe(true);
  expect(settled(500, [], { batch, before: { ...since, isSuspects: true } }).backoff?.isSuspects).toBe(true);
  expect(settled(500, [], { batch, before: since }).backoff?.isSuspects).toBeFalsy();
  expect(settled(500, [], { batch: [...batch, entry(2)] }).backoff?.isSuspects).toBeFalsy();
});

it.each([
  ['invalid: no such shopper: ada@example.com', 'invalid'],
  ['invalid: event_datetime "+49 170 123 45 67" is no time', 'invalid: event_datetime'],
  [`bad_field: offer_id ${'0123456789abcdef'.repeat(4)} is unknown`, 'bad_field: offer_id'],
  ['4917012345: abcdefabcdef', 'refused'],
  ['Status 400', 'Status 400'],
])('of the reason %j a dead letter keeps %j', (message, kept) => {
  const [code = '', text] = message.split(/: (.*)/);
  const refusal = { index: 0, success: false, error: { code, message: text, retryable: false } };
  const answer = text ? settled(207, [refusal], { batch: [entry(0)] }) : settled(400, [], { batch: [entry(0)] });
  expect(answer.changes[0]?.[1]).toMatchObject({ reason: kept });
  expect(answer.events[0]).toMatchObject({ type: 'deadLetter', reason: message });
});
