import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert, asyncProperty, constantFrom, integer, record } from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { parseCsv } from '../../../src/operator/publishers/readPublisherList.ts';
import { addDays, monthStart } from '../../../src/wire/utcDates.ts';
import { useOperatorWorld } from '../operatorWorld.ts';

// `offerlet-operator statement`, against the whole sandbox network.

const world = useOperatorWorld();
const today = new Date().toISOString().slice(0, 10);
const first = monthStart(today, -1);
const month = first.slice(0, 7);
const last = addDays(monthStart(today), -1);
let folder = '';
beforeEach(() => {
  folder = join(world.folder, 'statements');
  rmSync(folder, { recursive: true, force: true });
});

interface Line {
  readonly publisher_id: string;
  readonly publisher_name: string;
  readonly values: Readonly<Record<string, number>>;
}
interface Printed {
  readonly frozen_at: string | null;
  readonly isComplete: boolean;
  readonly lines: readonly Line[];
  readonly totals: Readonly<Record<string, number>>;
  readonly totals_now: Readonly<Record<string, number>>;
  readonly changes: readonly { publisher_id: string; before: Record<string, number>; now: Record<string, number> }[];
}

async function statement(words = '', run = world.run): Promise<Printed> {
  const { code, stdout, stderr } = await run(`statement ${words} --json`);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as Printed;
}

/** The month by publisher, from the raw API. */
async function raw(): Promise<Record<string, Record<string, number>>> {
  const metrics = 'impressions,clicks,ctr,conversions,cvr,channel_payout';
  const rows = await world.raw({ from: first, to: last, group_by: 'publisher', metrics });
  return Object.fromEntries(
    rows.map((row) => [
      String(row['publisher_id']),
      Object.fromEntries(metrics.split(',').map((name) => [name, Number(row[name])])),
    ]),
  );
}

/** The lines of a CSV by their columns. */
function csvOf(text: string): Record<string, string>[] {
  const [header, ...records] = parseCsv(text);
  return records.map(({ cells }) => Object.fromEntries(cells.map((cell, index) => [header?.cells[index] ?? '', cell])));
}

const byId = (lines: readonly Line[]) =>
  Object.fromEntries(lines.map(({ publisher_id, values }) => [publisher_id, values]));

test('the lines and the total are those of the raw API, and nothing is written without a folder', async () => {
  const printed = await statement();
  expect(byId(printed.lines)).toEqual(await raw());
  const [total] = await world.raw({ from: first, to: last, metrics: 'clicks,channel_payout' });
  expect(printed.totals).toMatchObject({ clicks: total?.['clicks'], channel_payout: total?.['channel_payout'] });
  expect([printed.isComplete, printed.frozen_at, printed.changes, existsSync(folder)]).toEqual([true, null, [], false]);
});

test('a complete month is frozen once; late events are shown as changes and change no figure', async () => {
  const frozen = await statement(`--folder ${folder}`);
  expect(frozen.frozen_at).not.toBeNull();
  const bytes = readFileSync(join(folder, `${month}.json`), 'utf8');
  const names = Object.keys(byId(frozen.lines));
  const added = new Map<string, number>();
  await assert(
    asyncProperty(
      record({
        publisher: constantFrom(...names),
        clicks: integer({ min: 1, max: 500 }),
        day: integer({ min: 0, max: 27 }),
      }),
      async ({ publisher, clicks, day }) => {
        await world.activity([
          { day: addDays(first, day), publisher_remote_id: publisher, clicks, channel_payout: clicks / 4 },
        ]);
        added.set(publisher, (added.get(publisher) ?? 0) + clicks);
        const printed = await statement(`--folder ${folder}`);
        expect(printed.lines).toEqual(frozen.lines);
        const now = await raw();
        expect(Object.fromEntries(printed.changes.map((change) => [change.publisher_id, change.now]))).toEqual(
          Object.fromEntries([...added.keys()].map((id) => [id, now[id]])),
        );
        for (const change of printed.changes)
          expect((change.now['clicks'] ?? 0) - (change.before['clicks'] ?? 0)).toBe(added.get(change.publisher_id));
        expect((printed.totals_now['clicks'] ?? 0) - (printed.totals['clicks'] ?? 0)).toBe(
          [...added.values()].reduce((sum, one) => sum + one, 0),
        );
      },
    ),
    { numRuns: 8 },
  );
  expect(readFileSync(join(folder, `${month}.json`), 'utf8')).toBe(bytes);
  const csv = await world.run(`statement --folder ${folder} --csv`);
  const now = await raw();
  for (const line of csvOf(csv.stdout)) {
    const id = line['publisher_id'] ?? '';
    for (const [name, value] of Object.entries(now[id] ?? {}))
      expect([line[name], line[`${name}_now`]], `${id} ${name}`).toEqual([
        String(byId(frozen.lines)[id]?.[name]),
        String(value),
      ]);
  }
  const table = await world.run(`statement --folder ${folder} --currency EUR`);
  expect(table.stdout).toContain('changed since');
  expect(table.stdout).toMatch(/\+\d+\.\d\d, \+\d+ clicks$/m);
  expect(table.stderr).toMatch(/frozen on .* UTC\. Late events changed \d+ publishers? since/);
});

test('a month that is not over is not frozen', async () => {
  const printed = await statement(`--month ${today.slice(0, 7)} --folder ${folder}`);
  expect([printed.isComplete, printed.frozen_at, existsSync(folder)]).toEqual([false, null, false]);
  // The month is over, but its last day is still loading.
  await world.control('PUT', 'settings', { data_through: `${last}T22:00:00Z` });
  const loading = await statement(`--folder ${folder}`);
  await world.control('PUT', 'settings', { data_through: null });
  expect([loading.isComplete, existsSync(folder)]).toEqual([false, false]);
});

test('two processes at once freeze one statement', async () => {
  const freeze = () => statement(`--folder ${folder}`, world.runProcess);
  const both = await Promise.all([freeze(), freeze()]);
  expect(both[0].frozen_at).toBe(both[1].frozen_at);
});

test('a channel too large for one report is read in parts, and what no list has is one line', async () => {
  const whole = byId((await statement()).lines);
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
  const { '': rest, ...left } = byId(parts.lines);
  const { [removed]: gone, ...others } = whole;
  expect(left).toEqual(others);
  expect(rest).toMatchObject({ clicks: gone?.['clicks'], impressions: gone?.['impressions'], ctr: gone?.['ctr'] });
  expect(parts.lines.at(-1)?.publisher_name).toBe('Publishers no longer in the channel');
});

test('one publisher, CSV with the currency of the file, and a statement of another channel', async () => {
  const reports = join(world.folder, 'reports.yaml');
  writeFileSync(reports, 'currency: EUR\n');
  const csv = await world.run(`statement --folder ${folder} --publisher ${world.publisher} --file ${reports} --csv`);
  const [header, line, ...rest] = csv.stdout.split('\r\n');
  expect(header).toBe(
    'month,publisher_id,publisher_name,impressions,clicks,ctr,conversions,cvr,channel_payout,impressions_now,clicks_now,ctr_now,conversions_now,cvr_now,channel_payout_now,currency,frozen_at',
  );
  expect(line).toMatch(new RegExp(`^${month},${world.publisher},.*,EUR,\\d{4}-`));
  expect(rest).toEqual(['']);
  const path = join(folder, `${month}.json`);
  writeFileSync(path, readFileSync(path, 'utf8').replace('Demo Channel', 'Other Channel'));
  expect(await world.run(`statement --folder ${folder}`)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is a statement of the channel "Other Channel"') as string,
  });
});

test.each([
  ['--month 2026-13', 'is not a month: "2026-13". Use something like 2026-10.'],
  ['--month 2099-01', '--month is in the future: 2099-01.'],
])('statement %s is refused with one line', async (words, line) => {
  const { code, stderr } = await world.run(`statement ${words}`);
  expect([code, stderr.trimEnd().split('\n')]).toEqual([2, [expect.stringContaining(line)]]);
});
