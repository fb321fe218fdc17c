import { describe, expect, test } from 'vitest';
import { CHANNEL_METRICS } from '../../../src/wire/reporting.ts';
import { DATABASE_KINDS } from '../databases.ts';
import { event, type Body } from '../testNetwork.ts';
import { session, useShownOffer, world } from './useShownOffer.ts';

/** Metrics that add up: ratios do not. */
const MEASURED = CHANNEL_METRICS.filter((metric) => !['ctr', 'cvr', 'rpl', 'attributed_cpa'].includes(metric));

// What a sender sees of a batch is held by the rules of `verify`, the limits of times by test/wire/judgeEvent.test.ts.
describe.each(DATABASE_KINDS)('events on %s', (kind) => {
  useShownOffer(kind);
  const arrived = async (): Promise<Body[]> => (await world.control('GET', '/sandbox/events')).events;
  const report = async (query: string): Promise<Body[]> => {
    const path = `/adnet/reporting/v2/report/?from=2025-11-18&to=2025-11-20&${query}`;
    return (await world.call('GET', path, { key: world.network.describe().keys.management ?? '' })).body.data;
  };

  test('E1 a refused event is a 400 that names what is wrong', async () => {
    const { status, body } = await world.post(
      '/events',
      event('WIDGET_LOAD', session, { event_datetime: 'yesterday' }),
    );
    const errors = [{ message: expect.stringContaining('event_datetime') }];
    expect({ status, body }).toEqual({ status: 400, body: { message: expect.any(String), errors } });
  });

  test('E4 the same event_id in a batch or later counts once, and the first content wins', async () => {
    const click = event('BRAND_CLICK', session);
    expect((await world.batch([click, click])).body.accepted).toBe(2);
    const other = event('WIDGET_LOAD', session, { event_id: click['event_id'] });
    expect((await world.post('/events', other)).status).toBe(201);
    expect(await world.summary()).toMatchObject({ clicks: 1, feed_loads: 0 });
    expect((await arrived()).map((entry) => entry.status)).toEqual(['stored', 'duplicate', 'duplicate']);
  });

  test('E4 an event without an event_id counts each time, and ids are compared exactly', async () => {
    const ids = [undefined, undefined, 'a', 'A', 'a ', '\u00e9', 'e\u0301'];
    await world.batch(ids.map((event_id) => event('BRAND_CLICK', session, { event_id })));
    expect((await world.summary())['clicks']).toBe(ids.length);
  });

  test('E4 an event_id that another session used first suppresses nothing', async () => {
    const stranger = await world.session();
    const click = event('BRAND_CLICK', session, { event_id: 'order-1001' });
    const squatted = event('BRAND_CLICK', stranger, { event_id: 'order-1001' });
    await world.batch([squatted]);
    expect((await world.batch([squatted, click, click])).body).toMatchObject({ accepted: 3, failed: 0 });
    expect((await world.summary())['clicks']).toBe(2);
    const mine = await world.control('GET', `/sandbox/events?session_id=${session.session_id}`);
    expect(mine.events.map((entry: Body) => entry.status)).toEqual(['stored', 'duplicate']);
  });

  test("E6 another publisher's session is unknown", async () => {
    const other = await world.control('POST', '/sandbox/channels', { name: 'Other' });
    const key = { 'x-api-key': other.keys.integration };
    const answer = await world.post('/events/batch', { events: [event('WIDGET_LOAD', session)] }, key);
    expect(answer.body.results[0].error.code).toBe('UNKNOWN_SESSION');
  });

  test('what counts once does so in the hour of its first event; days are the sums of hours even if that moves across midnight', async () => {
    const early = await world.earlierSession('2025-11-19T23:39:00Z', {
      order_details: { cost_details: { amount: '10.10', currency_code: 'EUR' } },
    });
    const once = ['WIDGET_LOAD', 'WIDGET_DISPLAY', 'WIDGET_VIEW'];
    for (const time of ['20T09:30', '20T00:10', '19T23:50', '19T23:40']) {
      const event_datetime = `2025-11-${time}:00Z`;
      const names = [...once, time === '19T23:40' ? 'BRAND_VIEW' : 'BRAND_DISPLAY', 'BRAND_CLICK'];
      await world.batch(names.map((name) => event(name, early, { event_datetime })));
    }
    // In New York it is 19:20 of the day before.
    await world.batch([event('CONVERSION', early, { event_datetime: '2025-11-19T19:20:00-05:00' })]);
    const hours = await report('time_grain=hour');
    const days = await report('time_grain=day');
    const widget = await world.call(
      'GET',
      '/api/analysis/publisher-reporting/v2/report/?from=2025-11-18&to=2025-11-20&time_grain=hour&metrics=widget_loads,widget_displays,viewable_widget_displays',
      { key: world.network.describe().keys.publisher_reporting ?? '' },
    );
    expect(hours.map((row) => [row.period_start, row.impressions, row.clicks, row.conversions])).toEqual([
      ['2025-11-20T09:00:00Z', 0, 1, 0],
      ['2025-11-20T00:00:00Z', 0, 1, 1],
      ['2025-11-19T23:00:00Z', 1, 2, 0],
    ]);
    expect(widget.body.data.at(-1)).toMatchObject({ widget_loads: 1, widget_displays: 1, viewable_widget_displays: 1 });
    expect(days).toMatchObject([
      { period_start: '2025-11-20T00:00:00Z', order_revenue_amount: 0, attributed_ad_spend_amount: 2.5 },
      { period_start: '2025-11-19T00:00:00Z', order_revenue_amount: 10.1, attributed_ad_spend_amount: 0 },
    ]);
    for (const { period_start, ...day } of days) {
      const its = hours.filter((hour) => hour.period_start.startsWith(period_start.slice(0, 10)));
      for (const metric of MEASURED)
        expect(
          its.reduce((sum, hour) => sum + hour[metric], 0),
          metric,
        ).toBe(day[metric]);
    }
  });

  test('facts have the placement of the session', async () => {
    const placed = await world.session({
      placement_details: { view: 'CHECKOUT', display_mode: 'OVERLAY', widget_id: 'w1' },
    });
    await world.batch([event('WIDGET_LOAD', placed), event('WIDGET_LOAD', session)]);
    expect(await report('group_by=page_type,widget_type,widget_id&metrics=feed_loads')).toMatchObject([
      { page_type: 'CHECKOUT', widget_type: 'OVERLAY', widget_id: 'w1' },
      { page_type: 'THANK_YOU', widget_type: 'INLINE', widget_id: null },
    ]);
  });
});
