import { beforeEach, expect, test } from 'vitest';
import { ofTest } from '../../fixtures/opened.ts';
import { ReportChangedError, ReportingClient } from '../../../src/operator.ts';
import { openScriptedServer } from './scriptedServer.ts';

const KEY = 'adnet_sk_test_0123456789';

const server = ofTest(openScriptedServer);
let client: ReportingClient<'channel'>;
beforeEach(() => void (client = new ReportingClient({ networkUrl: server.url, apiKey: KEY, variant: 'channel' })));

const row = (day: number): object => ({
  period_start: `2025-11-0${day}T00:00:00Z`,
  period_end: `2025-11-0${day + 1}T00:00:00Z`,
  clicks: day,
});

function reportOf(
  data: readonly object[],
  more: { offset?: number; has_more?: boolean; total?: number; summary?: object } = {},
): { body: object } {
  const { offset = 0, has_more = false, total = 3, summary = { clicks: 6 } } = more;
  return {
    body: {
      data,
      summary,
      pagination: { offset, limit: 50, total, has_more },
      meta: { timezone: 'UTC', data_through: '2025-11-20T00:00:00Z', request_id: 'r1' },
    },
  };
}

test('the query is sent with the parameter names of the API, arrays joined by commas, in order', async () => {
  server.responses = [reportOf([])];
  await client.report({
    from: '2025-11-01',
    to: '2025-11-07',
    metrics: ['clicks', 'impressions'],
    time_grain: 'day',
    group_by: ['publisher', 'page_type'],
    sort_by: 'clicks',
    sort_direction: 'asc',
    sort_order: 'desc',
    publisher_ids: ['a', 'b'],
    page_types: ['THANK_YOU'],
    widget_types: undefined,
    offset: 0,
    limit: 10,
  });
  const url = new URL(server.seen[0]?.url ?? '', server.url);
  expect(url.pathname).toBe('/adnet/reporting/v2/report/');
  expect(Object.fromEntries(url.searchParams)).toEqual({
    from: '2025-11-01',
    to: '2025-11-07',
    metrics: 'clicks,impressions',
    time_grain: 'day',
    group_by: 'publisher,page_type',
    sort_by: 'clicks',
    sort_direction: 'asc',
    sort_order: 'desc',
    publisher_ids: 'a,b',
    page_types: 'THANK_YOU',
    offset: '0',
    limit: '10',
  });
  expect(server.seen[0]?.headers['x-api-key']).toBe(KEY);
});

test('a filter value with a comma, which would become two values, is refused', async () => {
  await expect(client.report({ page_types: ['A,B'] })).rejects.toThrow(
    'page_types must not contain a value with a comma',
  );
  expect(server.seen).toEqual([]);
});

test.each([
  ['', '/api/analysis/publisher-reporting/v2/report/'],
  ['/', '/api/analysis/publisher-reporting/v2/report/'],
  ['/api', '/api/analysis/publisher-reporting/v2/report/'],
  ['/api/', '/api/analysis/publisher-reporting/v2/report/'],
  ['/api/api//', '/api/analysis/publisher-reporting/v2/report/'],
  ['/shop/api', '/shop/api/analysis/publisher-reporting/v2/report/'],
  ['/myapi', '/myapi/api/analysis/publisher-reporting/v2/report/'],
])('with networkUrl %j publisher reports are requested from %s', async (base, path) => {
  server.responses = [reportOf([])];
  await new ReportingClient({ networkUrl: server.url + base, apiKey: KEY, variant: 'publisher' }).report();
  expect(server.seen[0]?.url).toBe(path);
});

test('an unknown variant is refused at once', () => {
  expect(() => new ReportingClient({ networkUrl: server.url, apiKey: KEY, variant: 'shop' as 'channel' })).toThrow(
    "'channel' or 'publisher'",
  );
});

test('metrics are numbers whether the network sent numbers or strings; text columns stay strings', async () => {
  const cells = {
    publisher_id: '123',
    publisher_name: '456',
    page_type: null,
    widget_type: '7',
    widget_id: '8',
    clicks: '3',
    ctr: '0.1250',
    channel_payout: 1.5,
  };
  server.responses = [
    reportOf([{ ...row(1), ...cells }], { summary: { clicks: '3', ctr: 0.125, channel_payout: '1.50' } }),
  ];
  const report = await client.report();
  expect(report.data[0]).toMatchObject({ ...cells, clicks: 3, ctr: 0.125, channel_payout: 1.5 });
  expect(report.summary).toEqual({ clicks: 3, ctr: 0.125, channel_payout: 1.5 });
});

test.each([
  '2025-11-05T01:00:00Z',
  '2025-11-05T01:00:00.000Z',
  '2025-11-05T01:00:00+00:00',
  '2025-11-05T02:00:00.123456+01:00',
  '2025-11-05T01:00:00',
  '2025-11-05T01:00Z',
])('the time %s is read as ISO 8601 in UTC', async (text) => {
  server.responses = [
    { body: { ...reportOf([{ ...row(1), period_start: text }]).body, meta: { data_through: text } } },
  ];
  const report = await client.report();
  expect(report.data[0]?.period_start).toBe('2025-11-05T01:00:00Z');
  expect(report.meta).toEqual({ timezone: 'UTC', data_through: '2025-11-05T01:00:00Z', request_id: '' });
});

test('a time without a zone is UTC in every time zone', async () => {
  const zone = process.env['TZ'];
  process.env['TZ'] = 'Asia/Tokyo';
  try {
    server.responses = [reportOf([{ ...row(1), period_start: '2025-11-05T01:00:00', period_end: '2025-11-06' }])];
    const [first] = (await client.report()).data;
    expect(first).toMatchObject({ period_start: '2025-11-05T01:00:00Z', period_end: '2025-11-06T00:00:00Z' });
  } finally {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  }
});

test.each([
  ['no JSON', '<html>'],
  ['no data', { ...reportOf([]).body, data: {} }],
  ['no summary', { ...reportOf([]).body, summary: null }],
  ['no pagination', { ...reportOf([]).body, pagination: {} }],
  ['has_more as a string', { ...reportOf([]).body, pagination: { offset: 0, limit: 1, total: 1, has_more: 'no' } }],
  ['an invalid row', reportOf([5 as unknown as object]).body],
  ['a row without a period', reportOf([{ clicks: 1 }]).body],
  ['a metric that is not a number', reportOf([{ ...row(1), clicks: 'many' }]).body],
  ['a metric that is null', reportOf([{ ...row(1), clicks: null }]).body],
  ['an invalid time', reportOf([{ ...row(1), period_start: 'Monday' }]).body],
  ['a name that is a number', reportOf([{ ...row(1), publisher_name: 5 }]).body],
])('a response with %s is an error, never guessed', async (_, body) => {
  server.responses = [{ body }];
  await expect(client.report()).rejects.toThrow('GET /adnet/reporting/v2/report/ returned 200, but not a report.');
});

test('rows() reads all pages, with the largest page of the variant', async () => {
  server.responses = [reportOf([row(3), row(2)], { has_more: true }), reportOf([row(1)], { offset: 2 })];
  const days = [];
  for await (const { clicks } of client.rows({ metrics: ['clicks'] })) days.push(clicks);
  expect(days).toEqual([3, 2, 1]);
  expect(server.seen.map((call) => call.url.split('?')[1])).toEqual([
    'metrics=clicks&limit=250&offset=0',
    'metrics=clicks&limit=250&offset=2',
  ]);
});

test('a publisher’s pages have 10,000 rows; a given limit and offset are used', async () => {
  server.responses = [reportOf([])];
  const publisher = new ReportingClient({ networkUrl: server.url, apiKey: KEY, variant: 'publisher' });
  for await (const page of publisher.pages()) expect(page.data).toEqual([]);
  for await (const page of client.pages({ limit: 2, offset: 4 })) expect(page.data).toEqual([]);
  expect(server.seen.map((call) => call.url.split('?')[1])).toEqual(['limit=10000&offset=0', 'limit=2&offset=4']);
});

test.each([{ total: 4 }, { summary: { clicks: 7 } }])(
  'a walk stops when the report changes between pages: %j',
  async (change) => {
    server.responses = [reportOf([row(3)], { has_more: true }), reportOf([row(2)], { offset: 1, ...change })];
    const days: unknown[] = [];
    const walk = async (): Promise<void> => {
      for await (const { clicks } of client.rows()) days.push(clicks);
    };
    await expect(walk()).rejects.toBeInstanceOf(ReportChangedError);
    expect(days).toEqual([3]);
  },
);

test('with snapshot: false reading continues', async () => {
  server.responses = [reportOf([row(3)], { has_more: true }), reportOf([row(2)], { offset: 1, total: 4 })];
  const days: unknown[] = [];
  for await (const { clicks } of client.rows({}, { snapshot: false })) days.push(clicks);
  expect(days).toEqual([3, 2]);
});

test('an empty page that promises more ends with an error instead of an endless loop', async () => {
  server.responses = [reportOf([], { has_more: true })];
  const walk = async (): Promise<void> => {
    for await (const page of client.pages({}, { snapshot: false })) expect(page.data).toEqual([]);
  };
  await expect(walk()).rejects.toBeInstanceOf(ReportChangedError);
});
