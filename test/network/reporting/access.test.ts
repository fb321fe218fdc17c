import { expect, test } from 'vitest';
import { createKey, revokeKey } from '../../../src/network/storedKeys.ts';
import { CHANNEL, openReportingFixture } from './reportingFixture.ts';
import { onEachDatabase } from './onEachDatabase.ts';

onEachDatabase('who may read reports, and how', (its) => {
  test('R2 of two mistakes the first is reported: method, key, shape, window, metrics, data', async () => {
    const { office } = its;
    const key = { 'x-api-key': office.keys.management };
    expect((await office.ask(`${CHANNEL}?foo=1`, { method: 'POST' })).status).toBe(405);
    expect((await office.ask(`${CHANNEL}?foo=1`)).status).toBe(401);
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
    expect((await office.ask(CHANNEL, { headers: key })).body['code']).toBe('REPORTING_DATA_UNAVAILABLE');
    office.settings = { source_row_limit: 1, report_row_limit: 1 };
    await office.facts({ hour: '2025-11-19T10:00:00Z', clicks: 1 }, { hour: '2025-11-18T10:00:00Z', clicks: 1 });
    expect((await office.channelReport('time_grain=day')).body['code']).toBe('REPORTING_SOURCE_ROW_LIMIT_EXCEEDED');
  });

  test('R3 a missing, unknown, publishable, revoked or expired key is refused with {detail}; none is stored', async () => {
    const { office, db } = its;
    const make = (expiresAt?: Date): Promise<{ id: string; key: string }> =>
      createKey(db, {
        kind: 'management',
        environment: 'staging',
        issuedIn: 'staging',
        channelId: office.channel,
        ...(expiresAt ? { expiresAt } : {}),
      });
    const revoked = await make();
    await revokeKey(db, { id: revoked.id, issuedIn: 'staging' });
    expect(JSON.stringify(await db.query('SELECT * FROM api_keys'))).not.toContain(revoked.key);
    const expired = await make(new Date('2025-11-20T10:29:59Z'));
    for (const key of [
      undefined,
      '',
      'adnet_sk_test_unknown',
      'nonsense',
      office.keys.publishable,
      office.keys.integration,
      revoked.key,
      expired.key,
    ]) {
      const answer = await office.ask(CHANNEL, key === undefined ? {} : { headers: { 'x-api-key': key } });
      expect([answer.status, Object.keys(answer.body)]).toEqual([401, ['detail']]);
    }
    await office.facts({ hour: '2025-11-19T10:00:00Z', clicks: 1 });
    for (const name of ['X-API-Key', 'x-api-key', 'X-Api-KEY']) {
      expect((await office.ask(CHANNEL, { headers: { [name]: office.keys.management } })).status).toBe(200);
    }
  });

  test('R4 a key of another environment is refused with a message that says so', async () => {
    const production = await openReportingFixture(its.db, 'production');
    const answer = await its.office.ask(CHANNEL, { headers: { 'x-api-key': production.keys.management } });
    expect([answer.status, answer.body['detail']]).toEqual([401, expect.stringMatching(/environment.*does not match/)]);
    const reverse = await production.ask(CHANNEL, { headers: { 'x-api-key': its.office.keys.management } });
    expect([reverse.status, reverse.body['detail']]).toEqual([
      401,
      expect.stringMatching(/environment.*does not match/),
    ]);
  });
});
