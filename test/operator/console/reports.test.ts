import { expect, test } from 'vitest';
import { createReports } from '../../../src/operator/console/createReports.ts';
import { createComparer, type Row } from '../../../src/operator/reports/comparison.ts';
import { toCsv } from '../../../src/operator.ts';

// The process caches a report and sends the part that a page shows.

const DAYS = 179;
const METRICS = ['clicks', 'impressions', 'ctr', 'channel_payout', 'feed_loads', 'conversions'] as const;
const dayOf = (from: string, day: number): string =>
  new Date(Date.parse(from) + day * 86_400_000).toISOString().replace('.000', '');

/** As many rows as an operator with 28 publishers has in half a year. */
function rowsFrom(from: string): Row[] {
  return Array.from({ length: DAYS * 28 }, (_, index) => {
    const day = Math.floor(index / 28);
    return {
      period_start: dayOf(from, day),
      period_end: dayOf(from, day + 1),
      publisher_id: `6f1c7b7e-58c5-4b53-9d0c-${String(index % 28).padStart(12, '0')}`,
      publisher_name: `Publisher ${index % 28}`,
      ...Object.fromEntries(METRICS.map((name, place) => [name, ((index + 1) * (place + 7)) % 997])),
    };
  });
}

function reportsOf(): { reports: ReturnType<typeof createReports>; all: readonly Row[]; calls: object[] } {
  const [dates, compared] = [
    { from: '2026-05-01', to: dayOf('2026-05-01', DAYS - 1).slice(0, 10) },
    { from: '2025-11-03', to: dayOf('2025-11-03', DAYS - 1).slice(0, 10) },
  ];
  const comparer = createComparer(rowsFrom(compared.from), { dates, compared, grain: 'day' });
  const all = rowsFrom(dates.from).map((row) => comparer.compare(row)) as unknown as readonly Row[];
  const calls: object[] = [];
  const client = {
    async *pages(query: { time_grain?: string; group_by?: readonly string[] }) {
      calls.push(query);
      const data = query.time_grain === 'total' && query.group_by?.[0] === 'publisher' ? all.slice(0, 28) : all;
      const totals = Object.fromEntries(METRICS.map((name) => [name, 1]));
      const meta = { timezone: 'UTC', data_through: null, request_id: 'r' };
      yield { data, summary: totals, totals, compared, pagination: { total: data.length }, meta };
    },
  };
  return { reports: createReports(client as never, 'channel'), all, calls };
}

const signal = new AbortController().signal;
const QUERY = 'from=2026-05-01&to=2026-10-26&grain=day&by=publisher&compare=previous&metrics=clicks,ctr&chart=clicks';
const read = (text: string): URLSearchParams => new URLSearchParams(text);

test('of 5,012 compared rows a page gets a window and the lines of its chart, a tenth of the bytes', async () => {
  const { reports, all } = reportsOf();
  const report = await reports.read(read(QUERY), signal);
  expect(report).toMatchObject({ count: 5_012, isUnsteady: false });
  expect(report.rows).toHaveLength(100);
  expect(report.groups).toHaveLength(6);
  expect(report.chart_rows).toHaveLength(6 * DAYS);
  const [sent, whole] = [JSON.stringify(report).length, JSON.stringify(all).length];
  expect(sent).toBeLessThan(whole / 10);
});

test('windows of all offsets are the rows of the report, in every order, from one reading', async () => {
  const { reports, all, calls } = reportsOf();
  const { read_at } = await reports.read(read(QUERY), signal);
  const begun = calls.length;
  for (const sort of ['-clicks', '-clicks_change', 'publisher_name']) {
    const rows: Row[] = [];
    for (let offset = 0; offset < all.length; offset += 100)
      rows.push(...reports.rows(read(`${QUERY}&sort=${sort}&read_at=${read_at}&offset=${offset}`)).rows);
    const { csv } = await reports.csv(read(`${QUERY}&sort=${sort}&kept=1`), signal);
    expect(toCsv(rows)).toBe(csv);
    const shown = new Set(rows);
    expect([rows.length, all.every((row) => shown.has(row))]).toEqual([all.length, true]);
  }
  // The lines of the chart took one more, and no window another.
  expect(calls).toHaveLength(begun);
});

test('another query than that of a kept report is read from the network', async () => {
  const { reports, calls } = reportsOf();
  const { read_at } = await reports.read(read(QUERY), signal);
  const begun = calls.length;
  const rows = () => reports.rows(read(`${QUERY}&read_at=${read_at}&offset=100`)).rows;
  expect(rows()).toHaveLength(100);
  const other = await reports.read(read(`${QUERY.replace('2026-05-01', '2026-05-02')}&kept=1`), signal);
  expect(other.read_at).not.toBe(read_at);
  expect(calls.length).toBeGreaterThan(begun);
  // Reports of a few tabs are kept; an older one is read again, but not for its rows.
  for (let day = 10; day < 19; day++) await reports.read(read(QUERY.replace('2026-05-01', `2026-05-${day}`)), signal);
  const before = calls.length;
  expect(rows).toThrow('no longer');
  expect(calls).toHaveLength(before);
  expect((await reports.read(read(`${QUERY}&kept=1`), signal)).read_at).not.toBe(read_at);
});

test('bars are drawn from the highest rows by each metric', async () => {
  const { reports, all } = reportsOf();
  const total = await reports.read(read('by=widget_id&grain=total&compare=none&metrics=clicks,ctr'), signal);
  for (const metric of METRICS) {
    const highest = all.map((row) => Number(row[metric])).toSorted((a, b) => b - a)[0];
    expect(total.chart_rows?.some((row) => row[metric] === highest)).toBe(true);
  }
});
