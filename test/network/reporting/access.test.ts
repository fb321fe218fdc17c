import { expect, test } from 'vitest';
import { createKey, revokeKey } from '../../../src/network/storedKeys.ts';
import { CHANNEL, openReportingFixture, PUBLISHER } from './reportingFixture.ts';
import { onEachDatabase } from './onEachDatabase.ts';

onEachDatabase('who may read reports, and how', (its) => {
  test('R1 every method except GET is refused, including HEAD and OPTIONS, without CORS headers', async () => {
    for (const path of [CHANNEL, PUBLISHER]) {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']) {
        const answer = await its.office.ask(path, {
          method,
          headers: { 'x-api-key': its.office.keys.management, origin: 'https://shop.example' },
        });
        expect(answer.status).toBe(405);
        expect(answer.headers.get('allow')).toBe('GET');
        expect(answer.body).toEqual({ detail: expect.stringContaining(method) as unknown });
        expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
      }
    }
  });

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

  test('R3 a key in the query string is not accepted and is an unknown parameter', async () => {
    const { office } = its;
    expect((await office.ask(`${CHANNEL}?x-api-key=${office.keys.management}`)).status).toBe(401);
    expect((await office.channelReport(`x-api-key=${office.keys.management}`)).body).toHaveProperty('x-api-key');
  });

  test('R4 a channel key cannot read a publisher report, and vice versa', async () => {
    const { office } = its;
    expect((await office.publisherReport('', office.keys.management)).status).toBe(401);
    expect((await office.ask(CHANNEL, { headers: { 'x-api-key': office.keys.acme } })).status).toBe(401);
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

  test('R52 parameter errors are lists of messages, and each call has a request id', async () => {
    const answer = await its.office.channelReport('limit=0&metrics=x');
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ limit: [expect.any(String)], metrics: [expect.any(String)] });
    expect(answer.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
  });

  test('R53 meta has the time zone UTC and a request id that is unique per call and also a header', async () => {
    const { office } = its;
    await office.facts({ hour: '2025-11-19T10:00:00Z', clicks: 1 });
    const answers = [await office.channelReport(), await office.channelReport()];
    for (const answer of answers) {
      expect(answer.meta.timezone).toBe('UTC');
      expect(answer.headers.get('x-request-id')).toBe(answer.meta.request_id);
    }
    expect(new Set(answers.map(({ meta }) => meta.request_id)).size).toBe(2);
  });

  test('R58 a path without its final slash is a 404, and nothing redirects', async () => {
    for (const path of [CHANNEL, PUBLISHER]) {
      const answer = await its.office.ask(path.slice(0, -1), { headers: { 'x-api-key': its.office.keys.management } });
      expect([answer.status, answer.body]).toEqual([404, { detail: expect.stringContaining(path) as unknown }]);
      expect(answer.headers.has('location')).toBe(false);
    }
  });

  test('R59 V1 is a 404 that names V2', async () => {
    for (const path of [
      '/adnet/reporting/v1/summary/',
      '/adnet/reporting/v1/publishers/',
      '/adnet/reporting/v1/summary',
    ]) {
      const answer = await its.office.ask(path, { headers: { 'x-api-key': its.office.keys.management } });
      expect([answer.status, answer.body]).toEqual([404, { detail: expect.stringContaining(CHANNEL) as unknown }]);
    }
  });
});
