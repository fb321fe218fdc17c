import { expect, test } from 'vitest';
import { eventTimelines } from '../../src/inspector/eventTimelines.ts';
import type { StoredEvent } from '../../src/queue/events.ts';
import type { PageEvent } from '../../src/session/openTrace.ts';
import type { RequestRecord } from '../../src/inspector/observePage.ts';

const AT = Date.parse('2026-11-21T09:00:00.000Z');
const event = (event_id: string): StoredEvent => ({
  event_id,
  event_name: 'WIDGET_LOAD',
  event_datetime: new Date(AT).toISOString(),
  session_id: 's',
});
const tracked = (id: string): PageEvent => ({ type: 'tracked', event: event(id) });
const batch = (ids: string[], more: Partial<RequestRecord>): RequestRecord => ({
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

test('the timeline of an event that was refused and sent again has both requests', () => {
  const [first, second] = eventTimelines(
    [tracked('a'), tracked('b'), { type: 'delivered', count: 2, eventIds: ['a', 'b'] }],
    [
      batch(['a', 'b'], { status: 207, received: { results: [ok(0), no(1, true)] } }),
      batch(['b'], { at: AT + 1_100, status: 202, received: { results: [ok(0)] } }),
    ],
  );
  expect(first?.steps.map(({ text }) => text)).toEqual(['tracked', 'sent', '207: accepted']);
  expect(second?.status).toBe('delivered');
  expect(second?.steps.map(({ text }) => text)).toEqual([
    'tracked',
    'sent',
    '207: refused for now (BUSY: later)',
    'sent again',
    '202: accepted',
  ]);
});

test('a dead letter has its reason, and is delivered after all when it was replayed', () => {
  const dead: PageEvent = { type: 'deadLetter', event: event('a'), reason: 'BUSY: later' };
  const request = batch(['a'], { status: 207, received: { results: [no(0, false)] } });
  expect(eventTimelines([tracked('a'), dead], [request])[0]).toMatchObject({ status: 'dead' });
  const replayed = eventTimelines(
    [tracked('a'), dead, tracked('a'), { type: 'delivered', count: 1, eventIds: ['a'] }],
    [request],
  );
  expect(replayed).toHaveLength(1);
  expect(replayed[0]?.status).toBe('delivered');
});

test('waiting, in flight, without a response and refused are different states', () => {
  const status = (requests: RequestRecord[]) => eventTimelines([tracked('a')], requests)[0];
  expect(status([])?.status).toBe('waiting');
  expect(status([{ ...batch(['a'], {}), ms: undefined } as unknown as RequestRecord])?.status).toBe('in flight');
  expect(status([batch(['a'], { error: 'TypeError' })])?.steps.at(-1)?.text).toBe('no response (TypeError): kept');
  expect(status([batch(['a'], { status: 502, received: 'Bad gateway' })])?.steps.at(-1)?.text).toBe('502: kept');
});
