import { beforeEach, expect, expectTypeOf, test } from 'vitest';
import { ofTest } from '../../fixtures/opened.ts';
import { ReportingClient, toCsv, type MetricChange, type Publisher } from '../../../src/operator.ts';
import { openScriptedServer, type Scripted } from './scriptedServer.ts';

const server = ofTest(openScriptedServer);
let client: ReportingClient<'channel'>;
beforeEach(
  () => void (client = new ReportingClient({ networkUrl: server.url, apiKey: 'adnet_sk_test_1', variant: 'channel' })),
);

type Cells = Readonly<Record<string, string | number | null>>;

const day = (date: string, cells: Cells): Cells => ({
  period_start: `${date}T00:00:00Z`,
  period_end: `${new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10)}T00:00:00Z`,
  ...cells,
});

/** Responds to the report on each range of dates with its rows, in pages. */
function serveReports(rows: Record<string, readonly Cells[]>, summaries: Record<string, Cells> = {}): void {
  const respond: Scripted = (response, request) => {
    const query = new URL(request.url, server.url).searchParams;
    const from = query.get('from') ?? '';
    const [offset, limit] = [Number(query.get('offset') ?? 0), Number(query.get('limit') ?? 50)];
    const all = rows[from] ?? [];
    const data = all.slice(offset, offset + limit);
    const body = {
      data,
      summary: summaries[from] ?? { clicks: 0 },
      pagination: { offset, limit, total: all.length, has_more: offset + data.length < all.length },
      meta: { timezone: 'UTC', data_through: '2026-11-21T00:00:00Z', request_id: 'r' },
    };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  };
  server.responses = [respond];
}

const WEEK = { from: '2026-11-16', to: '2026-11-22' } as const;

test('each row has its counterpart and the change, in per cent, and in points for ratios', async () => {
  serveReports(
    {
      '2026-11-16': [day('2026-11-17', { clicks: 12, ctr: 0.03, channel_payout: 0.3 })],
      '2026-11-09': [day('2026-11-10', { clicks: 10, ctr: 0.02, channel_payout: 0.1 })],
    },
    { '2026-11-16': { clicks: 12, ctr: 0.03 }, '2026-11-09': { clicks: 48, ctr: 0.05 } },
  );
  const report = await client.report({ ...WEEK, time_grain: 'day', metrics: ['clicks', 'ctr'], compare: 'previous' });
  expect(report.data).toEqual([
    {
      ...day('2026-11-17', { clicks: 12, ctr: 0.03, channel_payout: 0.3 }),
      counterpart_start: '2026-11-10T00:00:00Z',
      counterpart: day('2026-11-10', { clicks: 10, ctr: 0.02, channel_payout: 0.1 }),
      change: {
        clicks: { difference: 2, percent: 20, points: null },
        ctr: { difference: 0.01, percent: null, points: 1 },
        channel_payout: { difference: 0.2, percent: 200, points: null },
      },
    },
  ]);
  expect(report.compared).toEqual({ from: '2026-11-09', to: '2026-11-15' });
  expect(report.totals).toEqual({
    clicks: 12,
    ctr: 0.03,
    counterpart: { clicks: 48, ctr: 0.05 },
    change: {
      clicks: { difference: -36, percent: -75, points: null },
      ctr: { difference: -0.02, percent: null, points: -2 },
    },
  });
  expect(server.seen.some(({ url }) => url.includes('compare'))).toBe(false);
});

test('what only the earlier period had is gone: rows of zeros, never for periods without data yet', async () => {
  const acme = { publisher_id: 'p1', publisher_name: 'Acme', clicks: 8 };
  const renamed = { publisher_id: 'p2', publisher_name: 'Bolt & Co', clicks: 3 };
  serveReports({
    '2026-11-16': [day('2026-11-16', renamed)],
    '2026-11-09': [
      day('2026-11-15', { ...acme, clicks: 99 }), // counterpart of 22 November, which has no data yet
      day('2026-11-09', acme),
      day('2026-11-09', { ...renamed, publisher_name: 'Bolt', clicks: 4 }),
    ],
  });
  const query = {
    ...WEEK,
    time_grain: 'day',
    group_by: ['publisher'],
    metrics: ['clicks'],
    compare: 'previous',
  } as const;
  const report = await client.report(query);
  expect(report.data[0]?.change.clicks.percent).toBe(-25);
  expect(report.missingRows).toEqual([
    {
      ...day('2026-11-16', { ...acme, clicks: 0 }),
      counterpart_start: '2026-11-09T00:00:00Z',
      counterpart: day('2026-11-09', acme),
      change: { clicks: { difference: -8, percent: -100, points: null } },
    },
  ]);
});

test('pages share one read of the earlier period; rows() yields what is gone last', async () => {
  const dates = ['16', '17', '18'];
  serveReports({
    '2026-11-16': dates.map((date) => day(`2026-11-${date}`, { clicks: 1 })),
    '2026-11-09': ['09', '10', '11', '12'].map((date) => day(`2026-11-${date}`, { clicks: 2 })),
  });
  const rows = [];
  for await (const row of client.rows({
    ...WEEK,
    time_grain: 'day',
    metrics: ['clicks'],
    compare: 'previous',
    limit: 2,
  }))
    rows.push([row.period_start.slice(8, 10), row.clicks, row.counterpart?.clicks]);
  expect(rows).toEqual([
    ['16', 1, 2],
    ['17', 1, 2],
    ['18', 1, 2],
    ['19', 0, 2],
  ]);
  const ranges = server.seen.map(({ url }) => new URL(url, server.url).searchParams.get('from'));
  expect(ranges).toEqual(['2026-11-16', '2026-11-09', '2026-11-16']);
});

test('a comparison requires both dates, real ones and in order', async () => {
  // @ts-expect-error -- nor do the types allow it
  await expect(client.report({ compare: 'previous' })).rejects.toThrow('compare requires from and to');
  for (const dates of [
    { from: '2026-02-30', to: '2026-03-01' },
    { from: '2026-03-02', to: '2026-03-01' },
  ])
    await expect(client.report({ ...dates, compare: 'previous' })).rejects.toThrow('must be dates such as');
  await expect(client.report({ ...WEEK, compare: 'before' as 'year' })).rejects.toThrow(
    "'previous', 'year' or two dates",
  );
  expect(server.seen).toEqual([]);
});

test('dates may be Date objects, of which the UTC date is sent', async () => {
  serveReports({});
  await client.report({ from: new Date('2026-11-16T23:30:00-05:00'), to: new Date('2026-11-20T00:00Z') });
  expect(server.seen[0]?.url).toContain('from=2026-11-17&to=2026-11-20');
  await expect(client.report({ from: new Date('x'), to: new Date() })).rejects.toThrow('from is not a valid date');
});

test('rows are typed by the query', async () => {
  serveReports({ '2026-11-16': [day('2026-11-16', { publisher_id: 'p', publisher_name: 'P', clicks: 1, ctr: 0.1 })] });
  const { data, summary } = await client.report({ ...WEEK, metrics: ['clicks', 'ctr'], group_by: ['publisher'] });
  const row = data[0];
  if (!row) throw new Error('no row');
  expectTypeOf(row.clicks).toEqualTypeOf<number>();
  expectTypeOf(row.publisher_name).toEqualTypeOf<string>();
  expectTypeOf(summary.ctr).toEqualTypeOf<number>();
  // @ts-expect-error -- not a selected metric
  expect(row.impressions).toBeUndefined();
  // @ts-expect-error -- not a selected breakdown
  expect(row.page_type).toBeUndefined();
  const some = await client.report({});
  expectTypeOf(some.summary.clicks).toEqualTypeOf<number | undefined>();
  const compared = await client.report({ ...WEEK, metrics: ['clicks'], compare: 'previous' });
  expectTypeOf(compared.totals.change.clicks).toEqualTypeOf<MetricChange>();
  expect(toCsv(data, { columns: ['publisher_name', 'clicks'] })).toBe('publisher_name,clicks\r\nP,1\r\n');
  expect(toCsv(compared.data, { columns: ['clicks', 'clicks_before', 'clicks_change_percent'] })).toContain('clicks');
  // @ts-expect-error -- no column of these rows
  expect(toCsv(data, { columns: ['publisher_nam'] })).toBe('publisher_nam\r\n\r\n');
  // @ts-expect-error -- not a selected metric
  expect(toCsv(compared.data, { columns: ['impressions_before'] })).toContain('impressions_before');
  const metrics: ('clicks' | 'ctr')[] = ['clicks'];
  const { totals } = await client.report({ ...WEEK, metrics });
  expectTypeOf(totals.ctr).toEqualTypeOf<number | undefined>();
});

test('compared rows become CSV with columns for the value before and the change', async () => {
  serveReports({
    '2026-11-16': [day('2026-11-16', { clicks: 12, ctr: 0.03 }), day('2026-11-17', { clicks: 1, ctr: 0 })],
    '2026-11-09': [day('2026-11-09', { clicks: 10, ctr: 0.02 })],
  });
  const { data } = await client.report({ ...WEEK, time_grain: 'day', compare: 'previous' });
  expect(data[1]?.counterpart).toBeNull();
  expect(toCsv(data)).toBe(
    [
      'period_start,period_end,counterpart_start,clicks,clicks_before,clicks_change_percent,ctr,ctr_before,ctr_change_points',
      '2026-11-16T00:00:00Z,2026-11-17T00:00:00Z,2026-11-09T00:00:00Z,12,10,20,0.03,0.02,1',
      '2026-11-17T00:00:00Z,2026-11-18T00:00:00Z,2026-11-10T00:00:00Z,1,,,0,,',
      '',
    ].join('\r\n'),
  );
});

test('the types refuse dates by half, and narrow a publisher by its status', () => {
  const refused = () => [
    // @ts-expect-error -- from without to
    client.report({ from: '2026-11-16' }),
    // @ts-expect-error -- not a breakdown
    client.rows({ group_by: ['publishers'] }),
  ];
  const idOf = (one: Publisher): string | null =>
    one.status === 'APPROVED' ? one.publisher_remote_id.trim() : one.pending_publisher_id;
  expectTypeOf(idOf).returns.toEqualTypeOf<string | null>();
  expect(refused).toBeTypeOf('function');
});
