import { describe, expect, test } from 'vitest';
import { DATABASE_KINDS } from '../databases.ts';
import { event } from '../testNetwork.ts';
import { at, openSession, session, useShownOffer, world } from './useShownOffer.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

describe.each(DATABASE_KINDS)('the time of events on %s', (kind) => {
  useShownOffer(kind);

  test('E8 events at the edges of the time limits are accepted, each in its UTC hour', async () => {
    const monthOld = await world.earlierSession('2025-10-21T10:35:00Z');
    const early = await world.earlierSession('2025-11-20T08:30:00Z');
    const events = [
      event('BRAND_CLICK', session, at(5 * MINUTE)),
      event('BRAND_CLICK', monthOld, at(-30 * DAY)),
      event('BRAND_CLICK', early, { event_datetime: '2025-11-20T09:59:59.999+01:00' }),
    ];
    expect((await world.batch(events)).status).toBe(202);
    const { body } = await world.call(
      'GET',
      '/adnet/reporting/v2/report/?from=2025-11-20&to=2025-11-20&time_grain=hour&metrics=clicks',
      { key: world.network.describe().keys.management ?? '' },
    );
    expect(body.data).toMatchObject([
      { period_start: '2025-11-20T10:00:00Z', clicks: 1 },
      { period_start: '2025-11-20T08:00:00Z', clicks: 1 },
    ]);
  });

  test('an event up to 5 minutes before its session is accepted, because clocks differ', async () => {
    expect((await world.batch([event('BRAND_CLICK', session, at(-5 * MINUTE))])).status).toBe(202);
  });

  test('a session opened now cannot report events of the past', async () => {
    const bought = await world.session({ order_details: { cost_details: { amount: 900, currency_code: 'EUR' } } });
    const past = at(-29 * DAY);
    const names = ['WIDGET_LOAD', 'BRAND_DISPLAY', 'BRAND_CLICK', 'CONVERSION'];
    const { status, body } = await world.batch([
      event('WIDGET_LOAD', bought, at(-5 * MINUTE - 1)),
      ...names.map((name) => event(name, bought, past)),
    ]);
    expect(status).toBe(502);
    for (const { success, error } of body.results) {
      expect({ success, ...error }).toEqual({
        success: false,
        code: 'EVENT_BEFORE_SESSION',
        message: expect.stringContaining('5 minutes before the session was created'),
        retryable: false,
      });
    }
    await world.batch([event('WIDGET_LOAD', session)]);
    const summary = await world.summary({ from: '2025-10-20', to: '2025-11-20' });
    expect(Object.entries(summary).filter(([, value]) => value !== 0)).toEqual([['feed_loads', 1]]);
  });

  test('loads, displays and views of a session and impressions of an insertion count once, in the hour of the first', async () => {
    const hours = ['10:00', '08:00', '09:00'];
    await openSession('2025-11-20T07:59:00Z');
    for (const hour of hours) {
      const parts = { event_datetime: `2025-11-20T${hour}:00Z` };
      const names = ['WIDGET_LOAD', 'WIDGET_DISPLAY', 'WIDGET_VIEW', hour === '08:00' ? 'BRAND_VIEW' : 'BRAND_DISPLAY'];
      await world.batch(names.map((name) => event(name, session, parts)));
    }
    const { body } = await world.call(
      'GET',
      '/adnet/reporting/v2/report/?from=2025-11-20&to=2025-11-20&time_grain=hour&metrics=impressions,feed_loads,widget_displays,viewable_widget_displays',
      { key: world.network.describe().keys.management ?? '' },
    );
    expect(body.data).toEqual([
      {
        period_start: '2025-11-20T08:00:00Z',
        period_end: '2025-11-20T09:00:00Z',
        impressions: 1,
        feed_loads: 1,
        widget_displays: 1,
        viewable_widget_displays: 1,
      },
    ]);
  });
});
