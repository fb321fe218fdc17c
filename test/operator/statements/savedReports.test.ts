import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readSavedReports } from '../../../src/operator/command/readQuery.ts';
import { blocksIn } from '../../docs/pages.ts';
import { useOperatorWorld } from '../operatorWorld.ts';

const world = useOperatorWorld();
const folder = mkdtempSync(join(tmpdir(), 'offerlet-reports-'));
const file = join(folder, 'reports.yaml');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const read = (text: string) => {
  writeFileSync(file, text);
  return readSavedReports(file);
};

test.each([
  ['reports:\n  a:\n    metrics: clics\n', 'line 3: reports.a.metrics is not known: "clics". Did you mean clicks?'],
  ['reports:\n  a:\n    metric: clicks\n', 'line 3: reports.a.metric is not known. Did you mean metrics?'],
  [
    'reports:\n  a:\n    period: last-wek\n',
    'line 3: reports.a.period is not a known period: "last-wek". Did you mean last-week?',
  ],
  ['reports:\n  a:\n    grain: weak\n', 'line 3: reports.a.grain is not known: "weak". Did you mean week?'],
  ['reports:\n  a:\n    by: [publisher, day]\n', 'line 3: reports.a.by does not take "day".'],
  ['reports:\n  a:\n    sort: clicks_change\n', 'line 3: reports.a.sort clicks_change requires'],
  [
    'reports:\n  a:\n    filter:\n      page_typ: THANK_YOU\n',
    'line 3: reports.a.filter is not known: "page_typ". Did you mean page_type?',
  ],
  ['reports:\n  a b: {}\n', 'line 2: reports.a b is not a name for a report.'],
  ['curency: EUR\n', 'line 1: curency is not known. Did you mean currency?'],
])('%j is refused with its line', (text, message) => {
  expect(() => read(text)).toThrow(message);
});

test('the file in the documentation can be read, and every report of it runs', async () => {
  const [block] = blocksIn('yaml').filter(({ page }) => page === 'docs/operators/reports.md');
  const { reports, currency } = read(block?.code ?? '');
  expect([reports.length > 1, currency]).toEqual([true, 'EUR']);
  for (const { name } of reports) {
    const ran = await world.run(`reports run ${name} --file ${file} --csv`);
    expect([name, ran.code, ran.stderr]).toEqual([name, 0, '']);
  }
  const list = await world.run(`reports list --file ${file} --json`, { env: { OFFERLET_API_KEY: '' } });
  expect((JSON.parse(list.stdout) as { reports: { name: string }[] }).reports.map(({ name }) => name)).toEqual(
    reports.map(({ name }) => name),
  );
});

test('amounts in a table have the label of the file or of the flag, and other metrics have none', async () => {
  read('currency: CHF\nreports:\n  a:\n    by: page_type\n    metrics: [clicks, channel_payout, rpl, ctr]\n');
  const headerOf = ({ stdout }: { stdout: string }) => stdout.split('\n', 1)[0]?.split(/ {2,}/);
  const metrics = ['clicks', 'channel_payout (CHF)', 'rpl (CHF)', 'ctr'];
  expect(headerOf(await world.run(`reports run a --file ${file}`))).toEqual(['PAGE_TYPE', ...metrics]);
  const flags = 'report --by page_type --metrics clicks,channel_payout,rpl,ctr';
  expect(headerOf(await world.run(`${flags} --currency CHF`))).toEqual(['PAGE_TYPE', ...metrics]);
  expect(headerOf(await world.run(flags))).toEqual(['PAGE_TYPE', 'clicks', 'channel_payout', 'rpl', 'ctr']);
  // A list of metrics, JSON, and a CSV that stays what the console saves.
  expect((await world.run(`report --metrics channel_payout --currency CHF`)).stdout).toContain('channel_payout (CHF)');
  expect(JSON.parse((await world.run(`${flags} --currency CHF --json`)).stdout)).toMatchObject({ currency: 'CHF' });
  expect((await world.run(`${flags} --currency CHF --csv`)).stdout).toBe((await world.run(`${flags} --csv`)).stdout);
});

test('a saved report is byte for byte the report of its flags, for other dates too', async () => {
  read(
    'reports:\n  a:\n    period: 14d\n    grain: day\n    by: page_type\n    metrics: [clicks, ctr]\n    compare: previous\n    sort: -clicks\n    filter: { page_type: [THANK_YOU, CHECKOUT] }\n    chart: true\n',
  );
  const flags =
    'report --grain day --by page_type --metrics clicks,ctr --compare previous --sort -clicks --filter page_type=THANK_YOU --filter page_type=CHECKOUT';
  const run = async (args: string) => (await world.run(args)).stdout;
  expect(await run(`reports run a --file ${file} --csv`)).toBe(await run(`${flags} --period 14d --csv`));
  expect(await run(`reports run a --file ${file}`)).toBe(await run(`${flags} --period 14d --chart`));
  expect(await run(`reports run a --file ${file} --period last-week --csv`)).toBe(
    await run(`${flags} --period last-week --csv`),
  );
  const output = join(folder, 'a.csv');
  await run(`reports run a --file ${file} --output ${output}`);
  expect(readFileSync(output, 'utf8')).toBe(await run(`${flags} --period 14d --csv`));
});

test.each([
  ['reports run weekly-click', 'has no report "weekly-click". Did you mean weekly-clicks?'],
  ['reports run', 'NAME is missing'],
  ['reports run weekly --file nowhere.yaml', '--file cannot be read: "nowhere.yaml" (there is no such file).'],
])('%s is refused with one line', async (words, line) => {
  read('reports:\n  weekly-clicks: {}\n');
  const args = words.includes('--file') ? words : `${words} --file ${file}`;
  const { code, stderr } = await world.run(args);
  expect([code, stderr.trimEnd().split('\n')]).toEqual([2, [expect.stringContaining(line)]]);
});
