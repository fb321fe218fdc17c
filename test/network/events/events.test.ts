import { describe, expect, test } from 'vitest';
import { DATABASE_KINDS } from '../databases.ts';
import { event, type Body } from '../testNetwork.ts';
import { at, session, useShownOffer, world } from './useShownOffer.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

describe.each(DATABASE_KINDS)('events on %s', (kind) => {
  useShownOffer(kind);
  const arrived = async (): Promise<Body[]> => (await world.control('GET', '/sandbox/events')).events;

  test('E1 a refused event is a 400 that names what is wrong', async () => {
    const { status, body } = await world.post(
      '/events',
      event('WIDGET_LOAD', session, { event_datetime: 'yesterday' }),
    );
    const errors = [{ message: expect.stringContaining('event_datetime') }];
    expect({ status, body }).toEqual({ status: 400, body: { message: expect.any(String), errors } });
  });

  test('E3 resending a 207 whole changes nothing; resending its failures stores each once', async () => {
    await world.control('POST', '/sandbox/faults', { route: '/events/batch', fail_indexes: [1] });
    const events = [event('BRAND_CLICK', session), event('BRAND_CLICK', session), event('BRAND_CLICK', session)];
    const first = await world.batch(events);
    expect({ status: first.status, error: first.body.results[1].error }).toMatchObject({
      status: 207,
      error: { retryable: true },
    });
    expect((await world.summary())['clicks']).toBe(2);
    expect((await world.batch(events)).status).toBe(202);
    expect((await world.summary())['clicks']).toBe(3);
  });

  test('E4 the same event_id in a batch or later counts once, and the first content wins', async () => {
    const click = event('BRAND_CLICK', session);
    expect((await world.batch([click, click])).body.accepted).toBe(2);
    const other = event('WIDGET_LOAD', session, { event_id: click['event_id'] });
    expect((await world.post('/events', other)).status).toBe(201);
    expect(await world.summary()).toMatchObject({ clicks: 1, feed_loads: 0 });
    expect((await arrived()).map((entry) => entry.status)).toEqual(['stored', 'duplicate', 'duplicate']);
  });

  test('E4 an event without an event_id is accepted each time', async () => {
    const click = event('BRAND_CLICK', session, { event_id: undefined });
    await world.batch([click, click]);
    expect((await world.summary())['clicks']).toBe(2);
  });

  test('E4 an event_id that another session used first suppresses nothing', async () => {
    const stranger = await world.session();
    const click = event('BRAND_CLICK', session, { event_id: 'order-1001' });
    const squatted = event('BRAND_CLICK', stranger, { event_id: 'order-1001' });
    expect((await world.batch([squatted])).status).toBe(202);
    expect((await world.batch([squatted, click, click])).body).toMatchObject({ accepted: 3, failed: 0 });
    expect((await world.summary())['clicks']).toBe(2);
    const mine = await world.control('GET', `/sandbox/events?session_id=${session.session_id}`);
    expect(mine.events.map((entry: Body) => entry.status)).toEqual(['stored', 'duplicate']);
  });

  test('E4 event_ids are compared exactly', async () => {
    const ids = ['a', 'A', 'a ', '\u00e9', 'e\u0301'];
    await world.batch(ids.map((event_id) => event('BRAND_CLICK', session, { event_id })));
    expect((await world.summary())['clicks']).toBe(ids.length);
  });

  test('E5 a 5xx after the commit and a retry count once', async () => {
    await world.control('POST', '/sandbox/faults', { route: '/events/batch', status: 503, after_commit: true });
    const events = [event('BRAND_CLICK', session)];
    expect((await world.batch(events)).status).toBe(503);
    expect((await world.batch(events)).status).toBe(202);
    expect((await world.summary())['clicks']).toBe(1);
  });

  test.each([
    ['an event more than 5 minutes ahead', at(5 * MINUTE + 1), 'EVENT_IN_THE_FUTURE'],
    ['an event older than 30 days', at(-30 * DAY - 1), 'EVENT_TOO_OLD'],
  ])('E8 %s fails for good', async (_what, parts, code) => {
    const { status, body } = await world.batch([event('BRAND_CLICK', session, parts), event('WIDGET_LOAD', session)]);
    expect(status).toBe(207);
    expect(body.results[0]).toMatchObject({ index: 0, success: false, error: { code, retryable: false } });
    expect(body.results[1]).toEqual({ index: 1, success: true });
  });

  test("E6 another publisher's session is unknown", async () => {
    const other = await world.control('POST', '/sandbox/channels', { name: 'Other' });
    const key = { 'x-api-key': other.keys.integration };
    const answer = await world.post('/events/batch', { events: [event('WIDGET_LOAD', session)] }, key);
    expect(answer.body.results[0].error.code).toBe('UNKNOWN_SESSION');
  });

  test('E6 a session older than 30 days takes no more events', async () => {
    await world.control('POST', '/sandbox/clock', { now: '2025-12-20T10:30:00.001Z' });
    const { body } = await world.batch([event('WIDGET_LOAD', session, { event_datetime: '2025-12-20T10:30:00Z' })]);
    expect(body.results[0].error.code).toBe('SESSION_TOO_OLD');
  });

  test('facts have the placement of the session', async () => {
    const placed = await world.session({
      placement_details: { view: 'CHECKOUT', display_mode: 'OVERLAY', widget_id: 'w1' },
    });
    await world.batch([event('WIDGET_LOAD', placed), event('WIDGET_LOAD', session)]);
    const { body } = await world.call(
      'GET',
      '/adnet/reporting/v2/report/?from=2025-11-20&to=2025-11-20&group_by=page_type,widget_type,widget_id&metrics=feed_loads',
      { key: world.network.describe().keys.management ?? '' },
    );
    expect(body.data).toMatchObject([
      { page_type: 'CHECKOUT', widget_type: 'OVERLAY', widget_id: 'w1' },
      { page_type: 'THANK_YOU', widget_type: 'INLINE', widget_id: null },
    ]);
  });
});
