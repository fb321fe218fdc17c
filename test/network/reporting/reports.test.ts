import { expect, test } from 'vitest';
import { onEachDatabase } from './onEachDatabase.ts';
import { CHANNEL, openReportingFixture } from './reportingFixture.ts';

const HOUR = '2025-11-19T10:00:00Z';

// The rules of `verify` and the model hold the rest.
onEachDatabase('reports', (its) => {
  test('R2 of two mistakes the first is reported: shape, window, metrics, data', async () => {
    const { office } = its;
    office.settings = { history_from: '2025-08-01', enabled_metrics: ['clicks'] };
    expect((await office.channelReport('from=2025-11-06&to=2025-11-05&foo=1')).body).toEqual({
      foo: [expect.any(String)],
    });
    expect((await office.channelReport('from=2025-07-01&to=2025-07-32&metrics=ctr')).body).toHaveProperty('to');
    expect((await office.channelReport('from=2025-07-01&to=2025-11-21&metrics=ctr')).body).toHaveProperty('to');
    expect((await office.channelReport('from=2025-07-01&to=2025-07-02&metrics=ctr')).body['code']).toBe(
      'DATE_RANGE_OUTSIDE_AVAILABLE_WINDOW',
    );
    expect((await office.channelReport('metrics=ctr')).body['code']).toBe('METRIC_NOT_AVAILABLE');
    expect((await office.channelReport()).body['code']).toBe('REPORTING_DATA_UNAVAILABLE');
    office.settings = { source_row_limit: 1, report_row_limit: 1 };
    await office.facts({ hour: HOUR, clicks: 1 }, { hour: '2025-11-18T10:00:00Z', clicks: 1 });
    expect((await office.channelReport('time_grain=day')).body['code']).toBe('REPORTING_SOURCE_ROW_LIMIT_EXCEEDED');
  });

  test('R3 a key of pages or of offers opens no report, and no key is stored', async () => {
    const { publishable, integration, management } = its.office.keys;
    for (const key of [publishable, integration])
      expect((await its.office.ask(CHANNEL, { headers: { 'x-api-key': key } })).status).toBe(401);
    expect(JSON.stringify(await its.db.query('SELECT * FROM api_keys'))).not.toContain(management);
  });

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

  test('R14 R15 by default a report shows the enabled metrics, a ratio without its parts as well', async () => {
    const { office } = its;
    await office.facts({ hour: HOUR, clicks: 1, impressions: 8 });
    office.settings = { enabled_metrics: ['ctr', 'conversions', 'publisher_payout'] };
    expect((await office.channelReport()).text).toContain('"summary":{"conversions":0,"ctr":0.125}');
    expect(Object.keys((await office.publisherReport()).summary)).toEqual(['publisher_payout', 'conversions', 'ctr']);
  });

  test('R44 a ratio just below a half is rounded down, however close it is', async () => {
    // 15624999999999999 / 500000000000000000 = 0.031249999999999998: sixteen digits of it are already 0.03125.
    await its.office.facts({ hour: HOUR, clicks: '15624999999999999', impressions: '500000000000000000' });
    expect((await its.office.channelReport('metrics=ctr')).summary).toEqual({ ctr: 0.0312 });
  });

  test('R55 a removed publisher stays in the history, in one row with its current name', async () => {
    await its.office.facts({ hour: '2025-11-18T10:00:00Z', clicks: 1 }, { hour: HOUR, clicks: 2 });
    await its.db.query("UPDATE publishers SET brand_name = 'Apex', removed_at = now() WHERE publisher_remote_id = $1", [
      its.office.acme,
    ]);
    expect((await its.office.channelReport('metrics=clicks&group_by=publisher')).data).toEqual([
      expect.objectContaining({ publisher_id: its.office.acme, publisher_name: 'Apex', clicks: 3 }),
    ]);
  });

  test('R55 activity belongs to the channel in which it happened', async () => {
    const later = await openReportingFixture(its.db);
    await its.office.facts({ hour: HOUR, clicks: 1 });
    await its.db.query('UPDATE publishers SET channel_id = $2 WHERE publisher_remote_id = $1', [
      its.office.acme,
      later.channel,
    ]);
    await its.office.facts({ hour: HOUR, clicks: 2, channel: later.channel });
    expect((await its.office.channelReport('metrics=clicks')).summary).toEqual({ clicks: 1 });
    expect((await later.channelReport('metrics=clicks&group_by=publisher')).data).toMatchObject([
      { publisher_name: 'Acme', clicks: 2 },
    ]);
    expect((await its.office.publisherReport('metrics=clicks')).summary).toEqual({ clicks: 3 });
  });
});
