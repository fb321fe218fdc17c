import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
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
  readonly isComplete: boolean;
  readonly lines: readonly { publisher_id: string; publisher_name: string; values: Record<string, number> }[];
  readonly totals: Readonly<Record<string, number>>;
}

async function statement(words = ''): Promise<Printed> {
  const { code, stdout, stderr } = await world.run(`statement ${words} --json`);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as Printed;
}

const byId = ({ lines }: Printed) =>
  Object.fromEntries(lines.map(({ publisher_id, values }) => [publisher_id, values]));

test('the lines and the totals are those of the raw API, in JSON and in CSV', async () => {
  const dates = { from: first, to: last, metrics: METRICS.join() };
  const rows = await world.raw({ ...dates, group_by: 'publisher' });
  const [total] = await world.raw(dates);
  const printed = await statement();
  const valuesOf = (row: object) => Object.fromEntries(METRICS.map((name) => [name, (row as typeof total)?.[name]]));
  expect(byId(printed)).toEqual(Object.fromEntries(rows.map((row) => [row['publisher_id'], valuesOf(row)])));
  expect([printed.totals, printed.isComplete]).toEqual([valuesOf(total ?? {}), true]);
  const csv = await world.run('statement --currency EUR --csv');
  const [header, ...lines] = parseCsv(csv.stdout).map(({ cells }) => cells);
  expect(header).toEqual(['month', 'publisher_id', 'publisher_name', ...METRICS, 'currency', 'paid_to']);
  expect(lines).toEqual(
    printed.lines.map(({ publisher_id, publisher_name, values }) => [
      month,
      publisher_id,
      publisher_name,
      ...METRICS.map((name) => String(values[name])),
      'EUR',
      'Demo Channel',
    ]),
  );
  expect(csv.stderr).toBe('Amounts are what Demo Channel is paid, not what its publishers are paid.\n');
});

test('a month that is not over, or whose last day is still loading, is said to be incomplete', async () => {
  const now = await world.run(`statement --month ${today.slice(0, 7)}`);
  expect(now.stderr).toContain('is not complete: the last complete day is');
  await world.control('PUT', 'settings', { data_through: `${last}T22:00:00Z` });
  const loading = await statement();
  await world.control('PUT', 'settings', { data_through: null });
  expect(loading.isComplete).toBe(false);
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
  expect(parts.lines.at(-1)?.publisher_name).toBe('Publishers no longer in the channel');
});

test.each([
  ['--month 2026-13', 'is not a month: "2026-13". Use something like 2026-10.'],
  ['--month 2099-01', '--month is in the future: 2099-01.'],
])('statement %s is refused with one line', async (words, line) => {
  const { code, stderr } = await world.run(`statement ${words}`);
  expect([code, stderr.trimEnd().split('\n')]).toEqual([2, [expect.stringContaining(line)]]);
});
