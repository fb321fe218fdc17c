import { afterEach, expect, test } from 'vitest';
import { ReportChangedError, ReportingClient, RowLimitError, period, toCsv } from '../../../src/operator.ts';
import { addDays } from '../../../src/wire/utcDates.ts';
import { useOperatorWorld } from '../operatorWorld.ts';

// Reports with more rows than the network allows, against the whole sandbox network.

const world = useOperatorWorld();
const limitRows = (rows: number | null) => world.control('PUT', 'settings', { report_row_limit: rows });
afterEach(() => limitRows(null));

let calls: URL[] = [];
const clientOf = () =>
  new ReportingClient({
    networkUrl: world.url,
    apiKey: world.key,
    variant: 'channel',
    onRequest: ({ url }) => calls.push(new URL(url)),
  });
const DATES = { from: addDays(period('today').to, -15), to: addDays(period('today').to, -2) };
const BY_DAY = {
  ...DATES,
  time_grain: 'day',
  group_by: ['publisher'],
  metrics: ['clicks', 'channel_payout', 'ctr'],
} as const;

async function all<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
  const list: Row[] = [];
  for await (const row of rows) list.push(row);
  return list;
}

test.each([
  BY_DAY,
  { ...BY_DAY, sort_order: 'asc' },
  { ...BY_DAY, time_grain: 'week' },
  { ...BY_DAY, time_grain: 'total' },
  { ...BY_DAY, time_grain: 'hour', from: DATES.to, to: DATES.to },
  { ...BY_DAY, compare: 'previous' },
] as const)('a report that is too large is read in parts, as if it were not: %j', async (query) => {
  const client = clientOf();
  const whole = client.rows(query);
  const expected = await all(whole);
  // Two days, a week or some of the publishers for each part. On a Tuesday the dates are two whole weeks, of 24 rows.
  await limitRows({ total: 5, week: 20, day: 24, hour: 24 }[query.time_grain]);
  await expect(client.pages(query).next()).rejects.toBeInstanceOf(RowLimitError);
  const parts = client.rows(query);
  const rows = await all(parts);
  // A single period is sorted within each part.
  const sorted = (list: readonly object[]): string[] => list.map((row) => JSON.stringify(row)).toSorted();
  if (query.time_grain === 'day') expect(rows).toEqual(expected);
  expect(sorted(rows)).toEqual(sorted(expected));
  expect([parts.totals, parts.meta?.data_through, parts.columns]).toEqual([
    whole.totals,
    whole.meta?.data_through,
    whole.columns,
  ]);
  expect(parts.totals?.clicks).toBeGreaterThan(0);
});

test('events between two parts end a walk that must not mix them', async () => {
  await limitRows(24);
  const rows = clientOf().rows(BY_DAY);
  await rows.next();
  await world.activity([{ day: DATES.from, clicks: 1 }]);
  await expect(all(rows)).rejects.toBeInstanceOf(ReportChangedError);
});

test('a day of a report without publishers cannot be read in parts', async () => {
  await limitRows(1);
  const rows = clientOf().rows({ ...DATES, time_grain: 'day', group_by: ['page_type', 'widget_type'] });
  await expect(all(rows)).rejects.toBeInstanceOf(RowLimitError);
});

test('a daily pull reads only the days that have changed since, and none when none has', async () => {
  const client = clientOf();
  const first = client.rows(BY_DAY, { changedSince: {} });
  const rows = await all(first);
  expect(rows).toEqual(await all(client.rows(BY_DAY)));
  calls = [];
  const second = client.rows(BY_DAY, { changedSince: first.periods });
  expect([await all(second), second.totals, second.columns, calls.length]).toEqual([
    [],
    first.totals,
    first.columns,
    1,
  ]);
  for (const days of [3, 4, 9]) await world.activity([{ day: addDays(DATES.from, days), clicks: 1 }]);
  calls = [];
  const third = client.rows(BY_DAY, { changedSince: JSON.parse(JSON.stringify(second.periods)) as never });
  const days = (await all(third)).map(({ period_start }) => period_start.slice(0, 10));
  expect([...new Set(days)]).toEqual([9, 4, 3].map((count) => addDays(DATES.from, count)));
  expect([calls.length, third.totals?.clicks]).toEqual([3, (first.totals?.clicks ?? 0) + 3]);
  await expect(all(client.rows(DATES, { changedSince: {} }))).rejects.toThrow('changedSince requires');
});

test('a report without rows has columns all the same, and calls keep the pace', async () => {
  const rows = clientOf().rows({ ...BY_DAY, page_types: ['NOWHERE'], compare: 'previous' });
  const list = await all(rows);
  const { columns = [] } = rows;
  expect(toCsv(list, { columns })).toBe(
    'period_start,period_end,counterpart_start,publisher_id,publisher_name,clicks,clicks_before,clicks_change_percent,' +
      'channel_payout,channel_payout_before,channel_payout_change_percent,ctr,ctr_before,ctr_change_points\r\n',
  );
  const begin = Date.now();
  await all(clientOf().rows({ ...BY_DAY, limit: 50 }, { pace: 100 }));
  expect(Date.now() - begin).toBeGreaterThanOrEqual(200);
});
