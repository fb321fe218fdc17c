import { beforeAll, describe, expect, test } from 'vitest';
import { ofSuite } from '../../fixtures/opened.ts';
import { CONTRACT } from '../../../src/network/openapi.ts';
import { DATABASE_KINDS } from '../databases.ts';
import { openTestNetwork } from '../testNetwork.ts';

/** Texts for a query or a path, encoded as in a URL. */
const ADDRESSED = [
  '',
  '%20',
  '%00',
  'a%00b',
  '%ED%A0%80',
  '%F0%9F%98%80',
  '%FF',
  '%E0%A4',
  '%',
  '..%2f..%2fkeys.json',
  "'%20OR%201=1--",
  '$1',
  '-1',
  '0',
  '1e9',
  '99999999999999999999',
  '9007199254740993',
  '00000000-0000-0000-0000-000000000000',
  '2025-02-30',
  '0000-01-01',
  '9999-12-31',
  '__proto__',
  'constructor',
  '{id}',
  'x'.repeat(3_000),
  ','.repeat(300),
];
/** What every route refuses first, whatever else is wrong. */
const HEADERS: readonly Record<string, string>[] = [
  { version: 'x' },
  { version: '9'.repeat(400) },
  { 'content-type': 'text/html' },
  { 'content-type': ';' },
  { 'content-length': '-1' },
  { 'x-api-key': 'adnet_sk_test_' },
  { 'x-api-key': 'x'.repeat(5_000) },
  { 'x-api-key': 'adnet_sk_test_\u00ff' },
];

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
}
const OPERATIONS: readonly Operation[] = Object.entries(CONTRACT.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => {
    const parameters = (operation as { parameters?: Operation['parameters'] }).parameters ?? [];
    return { method: method.toUpperCase(), path, parameters };
  }),
);

describe.each(DATABASE_KINDS)('bad addresses and headers on %s', (kind) => {
  const world = ofSuite(() => openTestNetwork(kind));
  beforeAll(async () => {
    const { publisher_remote_id } = world.network.describe().publisher;
    const row = { hour: '2025-11-20T09:00:00Z', publisher_remote_id, page_type: 'A', widget_type: 'B', impressions: 1 };
    await world.control('POST', '/sandbox/activity', { rows: [row] });
  });
  const ask = ({ method, path }: { method: string; path: string }, headers: Record<string, string> = {}) => {
    const { keys } = world.network.describe();
    const isPartner = path.startsWith('/events') || path.startsWith('/recommendations');
    const key = path.startsWith('/api/') ? keys.publisher_reporting : isPartner ? keys.integration : keys.management;
    return world.call(method, path, {
      key: key ?? '',
      ...(method === 'POST' || method === 'PUT' ? { body: {} } : {}),
      headers: { version: '1.0.0', 'content-type': 'application/json', ...headers },
    });
  };

  test('any text in a path is at worst a 404 or a 400', async () => {
    for (const { method, path } of OPERATIONS.filter((one) => one.path.includes('{'))) {
      for (const text of ADDRESSED) {
        const { status } = await ask({ method, path: path.replace(/\{\w+\}/, text) });
        expect([400, 404, 405], `${method} ${path} ${text}`).toContain(status);
      }
    }
  });

  test('any text in a query is at worst a 400 that names the parameter', async () => {
    const queried = OPERATIONS.flatMap((one) => one.parameters.map((parameter) => ({ ...one, parameter })));
    expect(queried.length).toBeGreaterThan(25);
    for (const { method, path, parameter } of queried.filter((one) => one.parameter.in === 'query')) {
      for (const text of ADDRESSED) {
        const { status, body } = await ask({ method, path: `${path}?${parameter.name}=${text}` });
        const what = `${method} ${path}?${parameter.name}=${text}: ${JSON.stringify(body)?.slice(0, 300)}`;
        expect([200, 400, 404], what).toContain(status);
        if (status === 400) expect(JSON.stringify(body), what).toContain(parameter.name);
      }
    }
  });

  test('any date of a report is at worst a 400, however long the history', async () => {
    await world.control('PUT', '/sandbox/settings', { history_from: '1970-01-01' });
    for (const path of ['/adnet/reporting/v2/report/', '/api/analysis/publisher-reporting/v2/report/']) {
      for (const from of ['0000-01-01', '0001-01-01', '1969-12-31', '1970-01-01', '9999-12-31']) {
        for (const grain of ['total', 'day', 'week', 'month', 'hour']) {
          const { status } = await ask({
            method: 'GET',
            path: `${path}?from=${from}&to=2025-11-20&time_grain=${grain}`,
          });
          expect(status, `${path} ${from} ${grain}`).toBe(from === '1970-01-01' && grain !== 'hour' ? 200 : 400);
        }
      }
    }
  });

  test('any header is at worst a refusal', async () => {
    for (const operation of OPERATIONS.filter((one) => !one.path.includes('{') && !one.path.endsWith('/reset'))) {
      for (const header of HEADERS) {
        const { status } = await ask(operation, header);
        expect(status, `${operation.method} ${operation.path} ${JSON.stringify(header)}`).toBeLessThan(500);
      }
    }
  });
});
