import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHANNEL_METRICS } from '../../../src/wire/reporting.ts';
import { serve } from '../../../src/sandbox/startNetwork.ts';
import { DATABASE_KINDS } from '../databases.ts';
import { event, openTestNetwork, type TestNetwork } from '../testNetwork.ts';

/** Metrics that add up: ratios do not. */
const MEASURED = CHANNEL_METRICS.filter((metric) => !['ctr', 'cvr', 'rpl', 'attributed_cpa'].includes(metric));

describe.each(DATABASE_KINDS)('reports of a whole network on %s', (kind) => {
  let world: TestNetwork;
  beforeAll(async () => {
    world = await openTestNetwork(kind);
    await world.offer();
    const { publisher_remote_id } = world.network.describe().publisher;
    const row = { hour: '2025-11-18T10:00:00Z', publisher_remote_id, page_type: 'CHECKOUT', widget_type: 'INLINE' };
    await world.control('POST', '/sandbox/activity', { rows: [{ ...row, clicks: 1 }] });
  });
  afterAll(() => world.close());

  test('R57 days are the sums of their hours, even after an earlier event moved a count across midnight', async () => {
    const session = await world.earlierSession('2025-11-19T23:39:00Z', {
      order_details: { cost_details: { amount: '10.10', currency_code: 'EUR' } },
    });
    const at = (event_name: string, event_datetime: string): unknown => event(event_name, session, { event_datetime });
    for (const time of ['2025-11-20T09:30:00Z', '2025-11-20T00:10:00Z', '2025-11-19T23:50:00Z', '2025-11-19T23:40:00Z'])
      await world.batch(['WIDGET_LOAD', 'BRAND_DISPLAY', 'BRAND_CLICK'].map((name) => at(name, time)));
    await world.batch([at('CONVERSION', '2025-11-20T00:20:00Z')]);
    const report = async (grain: string): Promise<Map<string, Record<string, number>>> => {
      const path = `/adnet/reporting/v2/report/?from=2025-11-18&to=2025-11-20&time_grain=${grain}&limit=250`;
      const { body } = await world.call('GET', path, { key: world.network.describe().keys.management ?? '' });
      const days = new Map<string, Record<string, number>>();
      for (const { period_start, ...row } of body.data) {
        const day = days.get(period_start.slice(0, 10)) ?? {};
        for (const metric of MEASURED) day[metric] = Math.round(((day[metric] ?? 0) + row[metric]) * 100) / 100;
        days.set(period_start.slice(0, 10), day);
      }
      return days;
    };
    const days = await report('day');
    expect(days.get('2025-11-19')).toMatchObject({ order_revenue_amount: 10.1, conversions: 0 });
    expect(days.get('2025-11-20')).toMatchObject({
      order_revenue_amount: 0,
      conversions: 1,
      attributed_ad_spend_amount: 2.5,
    });
    expect(await report('hour')).toEqual(days);
  });

  test('R25 three filters of 250 long values each fit into one URL', async () => {
    const listening = await serve((request) => world.network.fetch(request), { port: 0 });
    const values = (width: number): string =>
      Array.from({ length: 250 }, (_, at) => String(at).padEnd(width, 'x')).join();
    const ids = Array.from({ length: 250 }, () => randomUUID()).join();
    const query = `page_types=${values(64)}&widget_types=${values(64)}&publisher_ids=${ids}`;
    const key = world.network.describe().keys.management ?? '';
    const answer = await fetch(`${listening.url}/adnet/reporting/v2/report/?${query}`, {
      headers: { 'x-api-key': key },
    });
    expect([answer.status, ((await answer.json()) as { data: unknown[] }).data]).toEqual([200, []]);
    await listening.close();
  });

  test('a setting changes the next report', async () => {
    const key = world.network.describe().keys.management ?? '';
    await world.control('PUT', '/sandbox/settings', { enabled_metrics: ['clicks'] });
    expect(Object.keys((await world.call('GET', '/adnet/reporting/v2/report/', { key })).body.summary)).toEqual([
      'clicks',
    ]);
    await world.control('PUT', '/sandbox/settings', { enabled_metrics: null });
    expect(Object.keys((await world.call('GET', '/adnet/reporting/v2/report/', { key })).body.summary)).toHaveLength(
      16,
    );
  });
});
