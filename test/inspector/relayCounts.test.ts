import { expect, test } from 'vitest';
import { eventTimelines } from '../../src/inspector/eventTimelines.ts';
import type { RequestRecord } from '../../src/inspector/observePage.ts';
import { countAtRelay, describeRelayCount } from '../../src/inspector/panels/SeenPanel.tsx';
import type { StoredEvent } from '../../src/queue/events.ts';
import type { PageEvent } from '../../src/session/openTrace.ts';

const AT = Date.parse('2026-11-21T09:00:00.000Z');
const event = (event_id: string, event_name: StoredEvent['event_name']): StoredEvent => ({
  event_id,
  event_name,
  event_datetime: new Date(AT).toISOString(),
  session_id: 's',
});
const load = event('load', 'WIDGET_LOAD');
const display = event('display', 'BRAND_DISPLAY');
const click = event('click', 'BRAND_CLICK');
const tracked = [load, display, click].map((one): PageEvent => ({ type: 'tracked', event: one }));
const delivered = (...events: StoredEvent[]): PageEvent => ({
  type: 'delivered',
  count: events.length,
  eventIds: events.map(({ event_id }) => event_id),
});
const batch = (events: readonly StoredEvent[], more: Partial<RequestRecord>): RequestRecord => ({
  path: '/offers/events/batch',
  at: AT + 100,
  sent: { events },
  isForced: false,
  ms: 20,
  ...more,
});

function counted(events: readonly PageEvent[], requests: readonly RequestRecord[], deleted = 0): [string[], string] {
  const timelines = eventTimelines(events, requests);
  const rows = countAtRelay(timelines)
    .filter((row) => row.tracked > 0)
    .map((row) => `${row.name} ${row.tracked} ${row.accepted} ${row.waiting} ${row.refused}`);
  return [rows, describeRelayCount(timelines, deleted)];
}

test('a 202 and a delivery that the inspector did not see the response of are accepted', () => {
  const [rows, text] = counted(
    [...tracked, delivered(load, display, click)],
    [batch([load, display], { status: 202 })],
  );
  expect(rows).toEqual(['WIDGET_LOAD 1 1 0 0', 'BRAND_DISPLAY 1 1 0 0', 'BRAND_CLICK 1 1 0 0']);
  expect(text).toBe('The relay has accepted everything that was tracked here.');
});

test('of a 207 each event has its own: accepted, waiting or refused for good', () => {
  const refusal = (index: number, retryable: boolean) => ({ index, success: false, error: { code: 'NO', retryable } });
  const received = { results: [refusal(2, false), refusal(1, true), { index: 0, success: true }] };
  const [rows, text] = counted(
    [...tracked, delivered(load), { type: 'dead_letter', event: click, reason: 'NO' }],
    [batch([load, display, click], { status: 207, received })],
  );
  expect(rows).toEqual(['WIDGET_LOAD 1 1 0 0', 'BRAND_DISPLAY 1 0 1 0', 'BRAND_CLICK 1 0 0 1']);
  expect(text).toBe(
    'The relay has accepted 1 of 3. 1 was refused for good: Queue says why. 1 may still be sent: Queue says when.',
  );
});

test('a lost response leaves open what the relay counted, until the event is sent again; both together count once', () => {
  const lost = batch([load, display, click], { error: 'TypeError' });
  const [rows, text] = counted([...tracked], [lost]);
  expect(rows).toEqual(['WIDGET_LOAD 1 0 1 0', 'BRAND_DISPLAY 1 0 1 0', 'BRAND_CLICK 1 0 1 0']);
  expect(text).toContain(
    'Of 3, a response was lost. The relay may have counted them; sent again, each still counts once.',
  );
  const again = counted(
    [...tracked, delivered(load, display, click)],
    [lost, batch([load, display, click], { status: 202 })],
  );
  expect(again[0]).toEqual(['WIDGET_LOAD 1 1 0 0', 'BRAND_DISPLAY 1 1 0 0', 'BRAND_CLICK 1 1 0 0']);
  expect(again[1]).not.toContain('lost');
});

test('an event that was purged while its response was under way is accepted, one that was purged before is not', () => {
  const [rows, text] = counted([...tracked], [batch([load], { status: 202 })], 3);
  expect(rows).toEqual(['WIDGET_LOAD 1 1 0 0', 'BRAND_DISPLAY 1 0 1 0', 'BRAND_CLICK 1 0 1 0']);
  expect(text).toContain('2 may still be sent, or are among the 3 that were deleted from the queue.');
});

test('a captive portal’s 200 and an error page accept nothing', () => {
  for (const status of [200, 302, 502])
    expect(counted([...tracked], [batch([load], { status, received: 'Welcome' })])[0][0]).toBe('WIDGET_LOAD 1 0 1 0');
});

test('without an event nothing is claimed', () => {
  expect(counted([], [])).toEqual([[], 'Nothing has been tracked in this session yet.']);
});
