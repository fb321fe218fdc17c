import { exec } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, expect, test } from 'vitest';
import { ChannelClient, ReportingClient, toCsv } from '../../../src/operator.ts';
import { addExclusions } from '../../../src/operator/operations/changeExclusions.ts';
import { FUNNELS } from '../../../src/operator/reports/funnel.ts';
import { addDays, dateOf } from '../../../src/wire/utcDates.ts';
import { useOperatorWorld } from '../operatorWorld.ts';
import type { Ran, RunOptions } from '../../fixtures/runCommand.ts';

// The commands of an operator, against the whole sandbox network.

const world = useOperatorWorld();

beforeEach(async () => {
  await world.control('DELETE', 'faults');
});

function offerlet(args: string, options: RunOptions & { key?: string } = {}): Promise<Ran> {
  const { key = world.key, env, ...rest } = options;
  return world.run(args, { env: { OFFERLET_API_KEY: key, ...env }, ...rest });
}

async function json(args: string, options: Parameters<typeof offerlet>[1] = {}): Promise<Record<string, never>> {
  const { code, stdout, stderr } = await offerlet(`${args} --json`, options);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as Record<string, never>;
}

test('whoami says network, environment and channel, for each kind of key', async () => {
  expect(await json('whoami')).toMatchObject({ environment: 'staging', channel: 'Demo Channel', key: 'management' });
  for (const [kind, name] of [
    ['publishable', 'publishable'],
    ['publisher_reporting', 'publisher reporting'],
    ['integration', 'integration'],
  ] as const)
    expect(await json('whoami', { key: world.keys[kind] ?? '' })).toMatchObject({ key: name });
});

test('lists are tables, CSV and JSON; ids are never cut', async () => {
  const { publishers } = (await json('publishers list')) as unknown as { publishers: { brand_name: string }[] };
  const table = await offerlet('publishers list');
  const csv = await offerlet('publishers list --csv');
  expect(publishers.length).toBeGreaterThan(15);
  expect(table.stdout.trimEnd().split('\n')).toHaveLength(publishers.length + 1);
  expect(csv.stdout.trimEnd().split('\r\n')).toHaveLength(publishers.length + 1);
  expect(table.stdout).not.toContain('\u001B');
  const narrow = await world.runProcess('publishers list --status approved', { columns: 70, env: { TERM: 'xterm' } });
  expect(narrow.stdout).toMatch(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/);
  expect(narrow.stdout).toContain('\u001B[');
  // oxlint-disable-next-line no-control-regex -- colours
  for (const line of narrow.stdout.replaceAll(/\u001B\[\d+m/g, '').split(/\r?\n/))
    expect(line.length).toBeLessThanOrEqual(70);
});

test.each([{ NO_COLOR: '1' }, { CI: 'true' }, { TERM: 'dumb' }])('%j means no colour', async (env) => {
  const { stdout } = await offerlet('whoami', { columns: 80, env: { TERM: 'xterm', ...env } });
  expect(stdout).toContain('Demo Channel');
  // On a slow machine a line says what the command waits for, and is erased.
  expect(stdout.replaceAll('\u001B[K', '')).not.toContain('\u001B');
});

test.each<[args: string, code: number, line: RegExp]>([
  ['report --metrics clics', 2, /--metrics is not known: "clics"\. Did you mean clicks\?/],
  ['report --by pubisher', 2, /Did you mean publisher\?/],
  ['report --by day', 2, /Use --grain day\./],
  ['report --grain weak', 2, /Did you mean week\?/],
  ['report --period last-mont', 2, /Did you mean last-month\?/],
  ['report --from 2026-02-30', 2, /--from is not a date/],
  ['report --period 7', 2, /Use something like 7d/],
  ['report --grain hour --period 30d', 2, /limited to 3 days/],
  ['report --sort clicks_change', 2, /requires --compare/],
  ['report --json --csv', 2, /either --json or --csv/],
  ['report --grian day', 2, /Did you mean --grain\?/],
  ['report --from 2001-01-01', 1, /outside the available history.*Use --from/],
  ['publishers lst', 2, /Did you mean list\?/],
  ['publishers', 2, /Add one of list, show, add, remove/],
  ['publishers show nobody', 4, /no publisher with the id or name "nobody"/],
  ['publishers remove nobody --yes', 4, /no publisher with the id or name/],
  ['report --output november.xlsx', 2, /does not write \.xlsx files\. Use a name that ends in \.csv/],
  ['exclusions add "Food & Drink"', 2, /"Food & Drink" is a whole category, of \d+ subcategories.*use --yes/],
  ['publishers remove nobody', 2, /Use --yes/],
  ['publishers add missing.csv', 2, /there is no such file/],
  ['exclusions set', 2, /--file FILE, or --clear/],
  ['exclusions set Winne', 2, /Did you mean Wine\?/],
  ['exclusions show --publisher nobody', 4, /no publisher/],
  ['--key=x whoami', 2, /--key comes after the command/],
  ['whoami extra', 2, /Unexpected argument "extra"/],
  ['whoami key_0123456789', 2, /Unexpected argument after the command/],
  ['report --sort adnet_sk_live_0123', 2, /--sort is not known: "\[key\]"/],
  ['whoami --api-key x', 2, /OFFERLET_API_KEY/],
  ['whoami --network http://127.0.0.1:9', 1, /The network does not respond: .*\. Check --network/],
  ['whoami --network ftp://x', 2, /--network is not a valid http\(s\) URL/],
  ['reprot', 2, /Did you mean report\?/],
])('offerlet %s ends with code %i and one clear line', async (args, code, line) => {
  const ran = await offerlet(args);
  expect([ran.code, ran.stdout]).toEqual([code, '']);
  expect(ran.stderr).toMatch(line);
  expect(ran.stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(ran.stderr).not.toContain(world.key);
  expect(ran.stderr).not.toContain('0123');
  const { stdout, stderr } = await offerlet(`${args} --json`);
  expect([stdout, JSON.parse(stderr)]).toEqual(['', { error: expect.objectContaining({ exit: code }) as unknown }]);
});

test('a refused key is code 3, and is not printed; a missing one is code 2', async () => {
  const key = 'adnet_sk_test_canary_0123456789';
  for (const args of ['whoami', 'publishers list', 'report', 'exclusions show']) {
    const { code, stderr } = await offerlet(args, { key });
    expect([code, stderr.includes('canary')]).toEqual([3, false]);
  }
  expect(await offerlet('whoami', { key: '' })).toMatchObject({ code: 2 });
  writeFileSync(join(world.folder, 'key'), `${world.key}\n`);
  expect(await offerlet(`whoami --api-key-file ${join(world.folder, 'key')}`, { key: '' })).toMatchObject({ code: 0 });
});

test('what the network says cannot control the terminal', async () => {
  await world.control('POST', 'faults', {
    route: '/adnet/channel/details/',
    status: 400,
    body: { detail: 'a\u001B[31m\u0007b\nc' },
    times: 1,
  });
  const { stderr } = await offerlet('exclusions show');
  // oxlint-disable-next-line no-control-regex -- escape sequences
  expect(stderr.trimEnd()).not.toMatch(/[\u0000-\u001F]/);
});

test('exclusions are set by name, shown with their source, and cleared', async () => {
  const id = world.publisher;
  const dry = await offerlet('exclusions set Wine "Pets / Pet Food" --dry-run');
  expect(dry.stdout).toMatch(/to add +all +Food & Drink \/ Wine/);
  expect(await offerlet('exclusions show')).toMatchObject({ stderr: expect.stringContaining('Nothing') as unknown });
  expect(await offerlet('exclusions set Wine "Pets / Pet Food"')).toMatchObject({ code: 0 });
  writeFileSync(join(world.folder, 'ids.txt'), '# for one publisher\nCoffee\n');
  await offerlet(`exclusions set --publisher ${id} --file ${join(world.folder, 'ids.txt')}`);
  const shown = await offerlet(`exclusions show --publisher ${id} --csv`);
  expect(shown.stdout.match(/,channel\r\n/g)).toHaveLength(2);
  expect(shown.stdout).toContain('Coffee,"channel, for this publisher"');
  const cleared = await offerlet('exclusions set --clear --yes');
  expect(cleared.stdout).toMatch(/removed +all +Food & Drink \/ Wine/);
  const { brand_name } = world.network.describe().publisher;
  expect(await json(`exclusions show --publisher "${brand_name.toUpperCase()}"`)).toEqual(
    await json(`exclusions show --publisher ${id}`),
  );
  const several = await offerlet('exclusions show --publisher e');
  expect([several.code, several.stderr]).toEqual([
    2,
    expect.stringMatching(
      /^offerlet: --publisher "e" matches \d+ publishers: "[^"]+" \([0-9a-f-]{36}\), .*, …\. Use the id/,
    ),
  ]);
  // An unset variable names nobody, even where the channel has only one publisher.
  expect(await offerlet('exclusions set --clear --publisher " "')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--publisher is empty') as string,
  });
  // One word of a name is not enough where the others do not match.
  expect(await offerlet(`exclusions show --publisher "${brand_name} Qqq"`)).toMatchObject({ code: 4 });
  await offerlet(`exclusions set --publisher ${id} --clear --yes`);
  expect(await json(`exclusions show --publisher ${id}`)).toEqual({ channel: [], publisher: [], external: [] });
});

test('what somebody else excludes meanwhile stays when more is added', async () => {
  const channel = new ChannelClient({ networkUrl: world.url, apiKey: world.key });
  const [category] = await channel.categories();
  const [one = '', other = ''] = category?.subcategories.map(({ remote_id }) => remote_id) ?? [];
  await channel.setChannelExclusions([one]);
  await addExclusions(channel, { publisher: undefined, before: [], after: [other] });
  expect(new Set((await channel.details()).exclusions.subcategories.channel)).toEqual(new Set([one, other]));
});

test('exclusions are added and taken away; what drops others, and a part of a name, has to be confirmed', async () => {
  const { brand_name } = world.network.describe().publisher;
  const part = brand_name.slice(0, -1);
  const answering = (input: string) => ({ columns: 100, env: { TERM: 'xterm', NO_COLOR: '1' }, input });
  const excluded = async (more = ''): Promise<string[]> => {
    const { stdout } = await offerlet(`exclusions show --csv ${more}`);
    return [...stdout.matchAll(/Food & Drink \/ (\w+)/g)].map(([, name]) => name ?? '').toSorted();
  };
  await offerlet('exclusions set --clear --yes');
  await offerlet('exclusions add --file -', { input: 'Wine\nCoffee\n' });
  const again = await offerlet('exclusions add Coffee');
  expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('0 added, 0 removed, 2 excluded')]);
  expect(await offerlet('exclusions set Wine')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('allows again what is excluded now: Food & Drink / Coffee') as string,
  });
  expect(await offerlet('exclusions set Wine', answering('n\n'))).toMatchObject({ code: 1 });
  expect(await excluded()).toEqual(['Coffee', 'Wine']);
  expect(await offerlet('exclusions set Wine', answering('y\n'))).toMatchObject({ code: 0 });
  expect(await excluded()).toEqual(['Wine']);
  await offerlet('exclusions remove "food & drink / *"');
  expect(await excluded()).toEqual([]);
  expect(await offerlet(`exclusions add Wine --publisher "${part}"`)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`only a part of the name "${brand_name}"`) as string,
  });
  expect(await excluded(`--publisher ${world.publisher}`)).toEqual([]);
  expect(await offerlet(`exclusions add Wine --publisher "${part}"`, answering('y\n'))).toMatchObject({ code: 0 });
  expect(await offerlet(`exclusions remove Wine --publisher "${brand_name}"`)).toMatchObject({ code: 0 });
  const { stderr } = await offerlet(
    `report --filter "publisher=${part}" --filter page_type=THANK_YOU --metrics clicks`,
  );
  expect(stderr).toContain(`only ${brand_name}, THANK_YOU`);
});

test('a report has the numbers of the API in every form, and CSV is that of the client', async () => {
  const client = new ReportingClient({ networkUrl: world.url, apiKey: world.key, variant: 'channel' });
  const query = { metrics: ['clicks', 'ctr'], group_by: ['publisher'], time_grain: 'day' } as const;
  const args = 'report --metrics clicks,ctr --by publisher --grain day --period 7d';
  const document = (await json(args)) as unknown as {
    from: string;
    to: string;
    data: object[];
    totals: { clicks: number };
  };
  const { data, totals } = await client.report({ ...query, from: document.from, to: document.to, limit: 250 });
  expect(document.data).toEqual(data);
  expect(document.totals).toEqual(totals);
  const file = join(world.folder, 'report.csv');
  expect(await offerlet(`${args} --output ${file}`)).toMatchObject({ code: 0, stdout: '' });
  expect(readFileSync(file, 'utf8')).toBe(toCsv(data));
  expect((await offerlet(`${args} --csv`)).stdout).toBe(toCsv(data));
  const table = await offerlet(args);
  expect(table.stdout).toContain(totals.clicks.toLocaleString('en'));
});

test('a funnel goes from loads to payout, from one report', async () => {
  const { data } = (await json('report --period 7d --funnel')) as unknown as { data: Record<string, number>[] };
  const today = dateOf(Date.now());
  const [totals] = await world.raw({ from: addDays(today, -6), to: today });
  expect(data.map(({ step, value }) => [step, value])).toEqual(FUNNELS.channel.map((name) => [name, totals?.[name]]));
  const [loads, displays, , , conversions, payout] = data;
  expect(displays?.['of_first_step']).toBeCloseTo(Number(displays?.['value']) / Number(loads?.['value']), 10);
  expect(payout?.['each']).toBeCloseTo(Number(payout?.['value']) / Number(conversions?.['value']), 10);
  const key = world.keys['publisher_reporting'] ?? '';
  const own = await offerlet('report --variant publisher --funnel', { key });
  expect(own.stdout).toMatch(/STEP +VALUE +OF THE STEP BEFORE +OF LOADS\nLoads .*\n(.*\n){4}Payout .* each\n$/);
});

test('a report of more rows than are allowed is the same in parts', async () => {
  const args = 'report --grain day --by publisher --period 14d --metrics clicks,ctr --compare previous --csv';
  const whole = await offerlet(args);
  await world.control('PUT', 'settings', { report_row_limit: 30 });
  const parts = await offerlet(args);
  await world.control('PUT', 'settings', { report_row_limit: null });
  // On a busy machine both may say on stderr that they wait.
  expect({ code: parts.code, stdout: parts.stdout }).toEqual({ code: 0, stdout: whole.stdout });
});

test('a comparison lists the largest loss first, a publisher that is gone included', async () => {
  const hour = new Date(Date.now() - 10 * 86_400_000).toISOString().slice(0, 13);
  const id = world.publisher;
  const row = { publisher_remote_id: id, page_type: 'KIOSK', widget_type: 'INLINE', widget_id: null };
  await world.control('POST', 'activity', { rows: [{ ...row, hour: `${hour}:00:00Z`, clicks: 9_999 }] });
  const ran = await offerlet(
    'report --period 7d --by page_type --metrics clicks --compare previous --sort clicks_change --csv',
  );
  const [header, first] = ran.stdout.split('\r\n');
  expect(header).toContain('clicks,clicks_before,clicks_change_percent');
  expect(first).toMatch(/KIOSK,0,9999,-100$/);
});

test('a report that is too large, a disabled metric and no patience left: what to do, code 1', async () => {
  await world.control('PUT', 'settings', { report_row_limit: 3, enabled_metrics: ['clicks', 'impressions'] });
  try {
    expect(await offerlet('report --grain day --by publisher')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('coarser --grain') as unknown,
    });
    expect(await offerlet('report --metrics rpl')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Not enabled for this key: rpl\. Use --metrics with/) as unknown,
    });
  } finally {
    await world.control('PUT', 'settings', { report_row_limit: null, enabled_metrics: null });
  }
  await world.control('POST', 'faults', {
    route: '/adnet/reporting/v2/report/',
    status: 429,
    headers: { 'retry-after': '1' },
    times: 9,
  });
  expect(await offerlet('report')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Try again in 1 second.') as unknown,
  });
});

test('a publisher reads its own report with its key', async () => {
  const key = world.keys['publisher_reporting'] ?? '';
  const { stdout, code } = await offerlet('report --variant publisher --metrics publisher_payout --csv', { key });
  expect([code, stdout.split('\r\n')[0]]).toEqual([0, 'period_start,period_end,publisher_payout']);
  expect(await offerlet('report', { key })).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('--variant publisher') as unknown,
  });
});

test('--version is that of the package', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(await world.runProcess('--version')).toMatchObject({ code: 0, stdout: `${version}\n` });
});

test('the output can be closed early', async () => {
  const script = `'${process.execPath}' '${await world.file()}' categories list | head -n 1`;
  const { stdout, stderr } = await promisify(exec)(script, {
    env: { PATH: process.env['PATH'] ?? '', OFFERLET_NETWORK: world.url, OFFERLET_API_KEY: world.key },
  });
  // A slow network is waited for, and that is said.
  const complaints = stderr.replace(/^Waiting for .*\n/gm, '');
  expect([stdout, complaints]).toEqual([expect.stringContaining('CATEGORY') as unknown, '']);
});
