import { expect, test } from 'vitest';
import { CHANNEL_METRICS, PUBLISHER_METRICS } from '../../../src/wire/reporting.ts';
import { onEachDatabase } from './onEachDatabase.ts';

const HOUR = '2025-11-19T10:00:00Z';

onEachDatabase('the metrics of a report', (its) => {
  test('R13 disabled metrics are listed in request order, with the enabled ones', async () => {
    const { office } = its;
    await office.facts({ hour: HOUR, clicks: 1 });
    office.settings = { enabled_metrics: ['ctr', 'clicks', 'impressions', 'widget_loads'] };
    const answer = await office.channelReport('metrics=rpl,clicks,conversions');
    expect([answer.status, answer.body]).toEqual([
      400,
      {
        code: 'METRIC_NOT_AVAILABLE',
        unsupported_metrics: ['rpl', 'conversions'],
        allowed_metrics: ['impressions', 'clicks', 'ctr'],
      },
    ]);
    expect((await office.channelReport('metrics=rpl,nonsense')).body).toEqual({
      metrics: [expect.stringContaining('nonsense')],
    });
    expect((await office.channelReport('metrics=ctr,clicks')).status).toBe(200);
  });

  test('R14 by default a report shows the enabled metrics in their documented order', async () => {
    const { office } = its;
    await office.facts({ hour: HOUR, clicks: 1 });
    expect(Object.keys((await office.channelReport()).summary)).toEqual([...CHANNEL_METRICS]);
    expect(Object.keys((await office.publisherReport()).summary)).toEqual([...PUBLISHER_METRICS]);
    office.settings = { enabled_metrics: ['cvr', 'impressions', 'publisher_payout'] };
    expect(Object.keys((await office.channelReport()).summary)).toEqual(['impressions', 'cvr']);
    expect(Object.keys((await office.publisherReport()).summary)).toEqual(['publisher_payout', 'impressions', 'cvr']);
  });

  test('R15 a ratio works whether or not its parts are selected or enabled', async () => {
    const { office } = its;
    await office.facts({ hour: HOUR, clicks: 1, impressions: 8 });
    expect((await office.channelReport('metrics=ctr')).data).toMatchObject([{ ctr: 0.125 }]);
    office.settings = { enabled_metrics: ['ctr'] };
    const { data, summary } = await office.channelReport();
    expect([Object.keys(data[0] ?? {}), summary]).toEqual([['period_start', 'period_end', 'ctr'], { ctr: 0.125 }]);
  });

  test('R39 money is summed exactly and rounded once', async () => {
    const hours = Array.from({ length: 10 }, (_, hour) => `2025-11-19T0${hour}:00:00Z`);
    await its.office.facts(...hours.map((hour) => ({ hour, channel_payout: '0.10', revenue_with_email: '0.004' })));
    const { data, summary } = await its.office.channelReport(
      'time_grain=hour&from=2025-11-19&to=2025-11-19&metrics=channel_payout,revenue_with_email',
    );
    expect(data.map((row) => row['revenue_with_email'])).toEqual(hours.map(() => 0));
    expect(summary).toEqual({ channel_payout: 1, revenue_with_email: 0.04 });
  });

  test('R43 ratios and revenue per load have four decimals, other money two', async () => {
    await its.office.facts({
      hour: HOUR,
      clicks: 2,
      impressions: 3,
      conversions: 1,
      feed_loads: 3,
      channel_payout: '0.0371',
      attributed_ad_spend_amount: '10.0371',
      revenue_with_email: '1.005',
      order_revenue_amount: '123456789.125',
    });
    const metrics = 'ctr,cvr,rpl,attributed_cpa,channel_payout,revenue_with_email,order_revenue_amount';
    expect((await its.office.channelReport(`metrics=${metrics}`)).summary).toEqual({
      ctr: 0.6667,
      cvr: 0.5,
      rpl: 0.0124,
      attributed_cpa: 10.04,
      channel_payout: 0.04,
      revenue_with_email: 1.01,
      order_revenue_amount: 123456789.13,
    });
    await its.office.facts({ hour: '2025-11-18T00:00:00Z', publisher_payout: '0.125', feed_loads: 5 });
    expect((await its.office.publisherReport('metrics=publisher_payout,widget_loads')).summary).toEqual({
      publisher_payout: 0.13,
      widget_loads: 8,
    });
  });

  test('R44 halves are rounded away from zero, and a ratio just below a half down, however close it is', async () => {
    await its.office.facts({ hour: '2025-11-18T10:00:00Z', clicks: 1, impressions: 32 });
    const dated = (day: string): string => `metrics=ctr&from=${day}&to=${day}`;
    expect((await its.office.channelReport(dated('2025-11-18'))).summary).toEqual({ ctr: 0.0313 });
    // 15624999999999999 / 500000000000000000 = 0.031249999999999998: sixteen digits of it are already 0.03125.
    await its.office.facts({ hour: HOUR, clicks: '15624999999999999', impressions: '500000000000000000' });
    expect((await its.office.channelReport(dated('2025-11-19'))).summary).toEqual({ ctr: 0.0312 });
  });

  test('R45 counts are JSON integers and money is a JSON number', async () => {
    await its.office.facts({ hour: HOUR, clicks: 3, impressions: 4, channel_payout: '2.50' });
    const { text } = await its.office.channelReport('metrics=clicks,channel_payout,ctr');
    expect(text).toContain('"clicks":3,"channel_payout":2.5,"ctr":0.75');
  });
});
