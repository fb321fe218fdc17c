import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ChannelClient, ReportingClient } from '../../../src/operator.ts';
import { readStatement } from '../../../src/operator/operations/readStatement.ts';
import { parseCsv } from '../../../src/operator/publishers/readPublisherList.ts';
import { addDays, monthStart } from '../../../src/wire/utcDates.ts';
import { useOperatorWorld } from '../operatorWorld.ts';

// `offerlet-operator statement`, against the whole sandbox network.

const world = useOperatorWorld();
const today = new Date().toISOString().slice(0, 10);
const first = monthStart(today, -1);
const month = first.slice(0, 7);
const last = addDays(monthStart(today), -1);
const METRICS = ['impressions', 'clicks', 'ctr', 'conversions', 'cvr', 'channel_payout'];

interface Printed {
  readonly is_complete: boolean;
  readonly rounding: number;
  readonly data: readonly { publisher_id: string | null; publisher_name: string; [metric: string]: unknown }[];
  readonly totals: Readonly<Record<string, number>>;
}

async function statement(words = ''): Promise<Printed> {
  const { code, stdout, stderr } = await world.run(`statement ${words} --json`);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as Printed;
}

const byId = ({ data }: Printed) =>
  Object.fromEntries(data.map(({ publisher_id, publisher_name: _name, ...values }) => [publisher_id ?? '', values]));

test('the lines and the totals are those of the raw API, in JSON and in CSV', async () => {
  const dates = { from: first, to: last, metrics: METRICS.join() };
  const rows = await world.raw({ ...dates, group_by: 'publisher' });
  const [total] = await world.raw(dates);
  const printed = await statement();
  const valuesOf = (row: object) => Object.fromEntries(METRICS.map((name) => [name, (row as typeof total)?.[name]]));
  expect(byId(printed)).toEqual(Object.fromEntries(rows.map((row) => [row['publisher_id'], valuesOf(row)])));
  expect([printed.totals, printed.is_complete]).toEqual([valuesOf(total ?? {}), true]);
  const payout = printed.data.reduce((sum, line) => sum + Number(line['channel_payout']), 0);
  expect((printed.totals['channel_payout'] ?? 0) - payout).toBeCloseTo(printed.rounding, 6);
  const csv = await world.run('statement --currency EUR --csv');
  const [header, ...lines] = parseCsv(csv.stdout).map(({ cells }) => cells);
  expect(header).toEqual(['month', 'publisher_id', 'publisher_name', ...METRICS, 'currency', 'paid_to']);
  expect(lines).toEqual(
    [...printed.data, { publisher_id: '', publisher_name: 'Total', ...printed.totals }].map((line) => [
      month,
      line.publisher_id,
      line.publisher_name,
      ...METRICS.map((name) => String((line as Record<string, unknown>)[name])),
      'EUR',
      'Demo Channel',
    ]),
  );
  expect(csv.stderr).toContain('Amounts are what Demo Channel is paid, not what its publishers are paid.\n');
  expect(csv.stderr.includes('each amount is rounded')).toBe(printed.rounding !== 0);
});

test('a month that is not over, or whose last day is still loading, is said to be incomplete', async () => {
  const now = await world.run(`statement --month ${today.slice(0, 7)}`);
  expect(now.stderr).toContain('is not complete: the last complete day is');
  await world.control('PUT', 'settings', { data_through: `${last}T22:00:00Z` });
  const loading = await statement();
  await world.control('PUT', 'settings', { data_through: null });
  expect(loading.is_complete).toBe(false);
});

test('one publisher, by a part of its name, in a file', async () => {
  const file = join(world.folder, 'one.csv');
  const { code } = await world.run(`statement --publisher ${world.publisher} --output ${file}`);
  const [, line, ...rest] = parseCsv(readFileSync(file, 'utf8')).map(({ cells }) => cells);
  expect([code, line?.[1], rest]).toEqual([0, world.publisher, []]);
  const none = await world.run('statement --publisher 00000000-0000-4000-8000-000000000000');
  expect([none.code, none.stderr]).toEqual([4, `offerlet: The publisher had no activity in ${month}.\n`]);
});

test('a channel too large for one report is read in parts, and what no list has is one line', async () => {
  const whole = byId(await statement());
  const removed = Object.keys(whole).find((id) => id !== world.publisher) ?? '';
  await fetch(`${world.url}/adnet/publishers/${removed}/remove/`, {
    method: 'DELETE',
    headers: { 'x-api-key': world.key },
  });
  const count = Object.keys(whole).length;
  // The limit counts the rows of a report: all publishers are one too many, those that are left are not.
  await world.control('PUT', 'settings', { report_row_limit: count - 1 });
  const parts = await statement();
  await world.control('PUT', 'settings', { report_row_limit: null });
  const { '': rest, ...left } = byId(parts);
  const { [removed]: gone, ...others } = whole;
  expect(left).toEqual(others);
  expect(rest).toMatchObject({ clicks: gone?.['clicks'], impressions: gone?.['impressions'], ctr: gone?.['ctr'] });
  expect(parts.data.at(-1)?.publisher_name).toBe('Publishers no longer in the channel');
  // With the payout alone, what was paid for them is in a line as well.
  await world.control('PUT', 'settings', { report_row_limit: count - 1, enabled_metrics: ['channel_payout'] });
  const paid = byId(await statement());
  await world.control('PUT', 'settings', { report_row_limit: null, enabled_metrics: null });
  expect(Number(paid['']?.['channel_payout'])).toBeCloseTo(Number(gone?.['channel_payout']), 1);
});

test('events while a statement is read are in its lines and its total, or in neither', async () => {
  const reads: string[] = [];
  const channel = new ChannelClient({ networkUrl: world.url, apiKey: world.key });
  const reports = new ReportingClient({
    networkUrl: world.url,
    apiKey: world.key,
    variant: 'channel',
    async fetch(url, init) {
      // Once before each of the first reads of the month.
      if (url.includes('group_by') || url.includes('metrics=')) reads.push(url);
      if (reads.length > 0 && reads.length < 3) await world.activity([{ day: first, clicks: 3, channel_payout: 1 }]);
      return fetch(url, init);
    },
  });
  const { data, totals } = await readStatement({ reports, channel }, month);
  const sum = (name: string) => data.reduce((total, line) => total + Number(line[name]), 0);
  expect([sum('clicks'), data.some(({ publisher_id }) => publisher_id === null)]).toEqual([totals['clicks'], false]);
});

test.each([
  ['--month 2026-13', 'is not a month: "2026-13". Use something like 2026-10.'],
  ['--month 2099-01', '--month is in the future: 2099-01.'],
])('statement %s is refused with one line', async (words, line) => {
  const { code, stderr } = await world.run(`statement ${words}`);
  expect([code, stderr.trimEnd().split('\n')]).toEqual([2, [expect.stringContaining(line)]]);
});
