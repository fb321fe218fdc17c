import { expect, test } from 'vitest';
import { livesOf } from '../../src/inspector/lives.ts';
import type { KeptEvent, MountEvent } from '../../src/inspector/mount.ts';
import type { Exchange } from '../../src/inspector/tap.ts';

const AT = Date.parse('2026-11-21T09:00:00.000Z');
const event = (event_id: string): KeptEvent => ({
  event_id,
  event_name: 'WIDGET_LOAD',
  event_datetime: new Date(AT).toISOString(),
  session_id: 's',
});
const tracked = (id: string): MountEvent => ({ type: 'tracked', event: event(id) });
const batch = (ids: string[], more: Partial<Exchange>): Exchange => ({
  path: '/offers/events/batch',
  at: AT + 100,
  sent: { events: ids.map((event_id) => ({ event_id })) },
  isForced: false,
  ms: 20,
  ...more,
});
const ok = (index: number) => ({ index, success: true });
const no = (index: number, retryable: boolean) => ({
  index,
  success: false,
  error: { code: 'BUSY', message: 'later', retryable },
});

test('an event that was refused alone tells of both its journeys', () => {
  const [first, second] = livesOf(
    [tracked('a'), tracked('b'), { type: 'delivered', count: 2, event_ids: ['a', 'b'] }],
    [
      batch(['a', 'b'], { status: 207, answer: { results: [ok(0), no(1, true)] } }),
      batch(['b'], { at: AT + 1_100, status: 202, answer: { results: [ok(0)] } }),
    ],
  );
  expect(first?.steps.map(({ text }) => text)).toEqual(['tracked', 'sent', '207: accepted']);
  expect(second?.fate).toBe('delivered');
  expect(second?.steps.map(({ text }) => text)).toEqual([
    'tracked',
    'sent',
    '207: refused for now (BUSY: later)',
    'sent again',
    '202: accepted',
  ]);
});

test('a dead letter says why, and is delivered after all when it was replayed', () => {
  const dead: MountEvent = { type: 'dead_letter', event: event('a'), reason: 'BUSY: later' };
  const exchange = batch(['a'], { status: 207, answer: { results: [no(0, false)] } });
  expect(livesOf([tracked('a'), dead], [exchange])[0]).toMatchObject({ fate: 'dead' });
  const replayed = livesOf(
    [tracked('a'), dead, tracked('a'), { type: 'delivered', count: 1, event_ids: ['a'] }],
    [exchange],
  );
  expect(replayed).toHaveLength(1);
  expect(replayed[0]?.fate).toBe('delivered');
});

test('what waits, flies or got no answer is told apart', () => {
  const fate = (exchanges: Exchange[]) => livesOf([tracked('a')], exchanges)[0];
  expect(fate([])?.fate).toBe('waiting');
  expect(fate([{ ...batch(['a'], {}), ms: undefined } as unknown as Exchange])?.fate).toBe('in flight');
  expect(fate([batch(['a'], { error: 'TypeError' })])?.steps.at(-1)?.text).toBe('no answer (TypeError): kept');
  expect(fate([batch(['a'], { status: 502, answer: 'Bad gateway' })])?.steps.at(-1)?.text).toBe('502: kept');
});
