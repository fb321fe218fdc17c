import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { ChannelClient, ReportingClient } from '../../../src/operator.ts';
import { evaluate } from '../../../src/operator/watch/evaluate.ts';
import { EXAMPLE_RULES, loadRules } from '../../../src/operator/watch/rules.ts';
import { openStateFile } from '../../../src/operator/watch/stateFile.ts';
import { blocksIn } from '../../docs/pages.ts';
import { useOperatorWorld } from '../operatorWorld.ts';

// `offerlet-operator watch`, against the whole sandbox network.

const world = useOperatorWorld();
const DAY = 86_400_000;
const dayBefore = (days: number): string => new Date(Date.now() - days * DAY).toISOString().slice(0, 10);
let rules = '';
let state = '';

beforeAll(async () => {
  rules = join(world.folder, 'watch.yaml');
  state = join(world.folder, 'watch.state.json');
  // Two page types with 1,000 clicks on each of the last 35 days, but for yesterday.
  const row = { clicks: 1_000, impressions: 20_000 };
  for (const page_type of ['KIOSK', 'STAND'])
    await world.activity([
      ...Array.from({ length: 34 }, (_, index) => ({ ...row, day: dayBefore(index + 2), page_type })),
      { ...row, day: dayBefore(1), page_type, clicks: 100 },
    ]);
});
beforeEach(() => {
  rmSync(state, { force: true });
  writeFileSync(rules, rulesWith('STAND'));
});

function rulesWith(except: string): string {
  return `rules:\n  kiosks:\n    kind: change\n    by: page_type\n    metric: clicks\n    below: -30%\n    minimum: 500\n    except: [${except}]\n`;
}

const watch = (words = '') => world.run(`watch --rules ${rules} ${words}`);

test('a cause is said once, stays in the exit code, and its end is said once', async () => {
  writeFileSync(rules, rulesWith('KIOSK'));
  const first = await watch();
  expect([first.code, first.stderr]).toEqual([6, '']);
  expect(first.stdout).toContain(`began ${dayBefore(1)} kiosks\n  STAND: Clicks on`);
  expect(first.stdout).toContain('100 against 1,000 usual (median of 1,000, 1,000, 1,000, 1,000');
  expect([statSync(state).mode & 0o777, readFileSync(state, 'utf8').includes(world.key)]).toEqual([0o600, false]);
  const second = await watch();
  expect([second.code, second.stdout, second.stderr]).toEqual([6, '', '']);
  expect((await watch('--all')).stdout).toContain(`open since ${dayBefore(1)} kiosks`);
  // The rest of yesterday's clicks arrives late.
  await world.activity([{ day: dayBefore(1), page_type: 'STAND', clicks: 900 }]);
  const third = await watch();
  expect([third.code, third.stdout]).toEqual([0, expect.stringContaining('recovered')]);
  expect(await watch()).toMatchObject({ code: 0, stdout: '', stderr: '' });
});

test('a second process that uses the same state ends at once', async () => {
  const owner = { network: world.url, channel: 'Demo Channel' };
  const first = await openStateFile(state, owner);
  expect(await watch()).toMatchObject({ code: 1, stderr: expect.stringContaining('Another "watch" uses') as string });
  await first.release();
  expect((await watch()).code).toBe(6);
});

test('a day that is not over, and data that ends before it, never raise an alarm', async () => {
  // Data of the day before yesterday only: yesterday's loss cannot be known.
  await world.control('PUT', 'settings', { data_through: `${dayBefore(1)}T09:00:00Z` });
  try {
    const { code, stdout } = await watch('--json');
    const { judged, events } = JSON.parse(stdout) as { judged: object; events: object[] };
    expect([code, judged, events]).toEqual([0, { from: dayBefore(2), to: dayBefore(2) }, []]);
    writeFileSync(rules, 'rules:\n  late:\n    kind: late\n    hours: 12\n');
    expect((await watch()).stdout).toMatch(/Data: The data ends on .*, \d+ hours ago; the limit is 12 hours\./);
  } finally {
    await world.control('PUT', 'settings', { data_through: null });
  }
});

test('a state file of another channel, or one that is damaged, is refused', async () => {
  writeFileSync(state, '{"version": 1, "causes": [');
  expect(await watch()).toMatchObject({ code: 2, stderr: expect.stringContaining('not a state file') as string });
  writeFileSync(state, JSON.stringify({ version: 1, network: 'https://other.example', channel: 'X', causes: [] }));
  expect(await watch()).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('belongs to the channel "X"') as string,
  });
});

test('CSV, JSON, a file, and a rule whose metric is not enabled', async () => {
  const csv = await watch('--csv');
  expect(csv.stdout.split('\r\n')[0]).toBe('event,day,rule,id,name,since,text');
  const file = join(world.folder, 'watch.json');
  rmSync(state);
  await watch(`--output ${file}`);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ channel: 'Demo Channel', open: [{ rule: 'kiosks' }] });
  rmSync(state);
  await world.control('PUT', 'settings', { enabled_metrics: ['impressions'] });
  const { code, stderr } = await watch();
  await world.control('PUT', 'settings', { enabled_metrics: null });
  expect([code, stderr]).toEqual([0, 'The rule kiosks is not judged: clicks is not enabled for the key.\n']);
});

test('a rule that can judge nobody says so: its silence is no all-clear', async () => {
  writeFileSync(rules, 'rules:\n  drops:\n    kind: change\n    below: -30%\n    minimum: 1000000000\n');
  const { publishers } = await new ChannelClient({ networkUrl: world.url, apiKey: world.key }).publishers();
  const approved = publishers.filter(({ status }) => status === 'APPROVED').length;
  const { code, stdout, stderr } = await watch();
  expect([code, stdout, stderr]).toEqual([0, '', `The rule drops judged 0 of ${approved}: too few clicks.\n`]);
  const on = '    by: widget_type\n    except: [INLINE, OVERLAY, PULLUP, FULLSCREEN]\n';
  writeFileSync(
    rules,
    `rules:\n  rates:\n    kind: range\n    from: 1%\n    days: 28\n  quiet:\n    kind: silent\n${on}`,
  );
  await world.control('PUT', 'settings', { history_from: dayBefore(9) });
  const short = await watch();
  await world.control('PUT', 'settings', { history_from: null });
  expect(short.stderr.split('\n')).toEqual([
    `The rule rates judged 0 of ${approved}: the history is too short.`,
    'The rule quiet judged 0 of 0: there is no widget type to judge.',
    '',
  ]);
});

test('a later look reads of publishers only the days that changed, and says what a first one says', async () => {
  const read: string[] = [];
  const options = {
    networkUrl: world.url,
    apiKey: world.key,
    onRequest: ({ url }: { url: string }) => void (url.includes('publisher_ids=') && read.push(url)),
  };
  const channel = new ChannelClient(options);
  const reports = new ReportingClient({ ...options, variant: 'channel' });
  writeFileSync(rules, 'rules:\n  peaks:\n    kind: change\n    above: +300%\n    minimum: 1\n');
  const look = async (memory: object) => {
    const { turns, causes, unjudged } = await evaluate({
      source: { channel, reports, memory },
      rules: loadRules(rules),
      before: new Map(),
      days: 20,
    });
    return { turns, causes, unjudged, requests: read.splice(0) };
  };
  const memory = {};
  const first = await look(memory);
  expect(first.requests.length).toBeGreaterThan(1);
  expect(await look(memory)).toEqual({ ...first, requests: [] });
  // Clicks of last week arrive late.
  await world.activity([{ day: dayBefore(7), page_type: 'LATE', clicks: 50_000 }]);
  const later = await look(memory);
  expect(later).toEqual({ ...(await look({})), requests: later.requests });
  expect(later.turns.length).toBeGreaterThan(first.turns.length);
  const days = later.requests.filter((url) => url.includes('time_grain=day'));
  expect(days.map((url) => url.includes(`from=${dayBefore(7)}&to=${dayBefore(7)}&`))).toEqual([true]);
});

test('one day is judged by a few sums, which say what all of its days do', async () => {
  let calls = 0;
  const options = { networkUrl: world.url, apiKey: world.key, onRequest: () => void calls++ };
  const channel = new ChannelClient(options);
  const reports = new ReportingClient({ ...options, variant: 'channel' });
  const by = '    by: publisher\n    minimum: 1\n';
  writeFileSync(
    rules,
    `holidays: [${dayBefore(9)}]\nrules:\n  peaks:\n    kind: change\n    above: +5%\n    below: -5%\n${by}  rates:\n    kind: range\n    from: 2%\n${by}  quiet:\n    kind: silent\n    metric: conversions\n    days: 1\n${by}`,
  );
  const look = async (memory?: object) => {
    calls = 0;
    const source = { channel, reports, memory };
    const { turns, unjudged } = await evaluate({ source, rules: loadRules(rules), before: new Map(), days: 1 });
    return { turns, unjudged };
  };
  const byDays = await look({});
  expect(await look()).toEqual(byDays);
  expect(byDays.turns.length).toBeGreaterThan(3);
  // The end of the data, the list, the channel; one day and four before it, seven days, and 28 in two parts, one is shared.
  expect(calls).toBeLessThanOrEqual(12);
});

test('without a rules file, what was said is remembered as well', async () => {
  const env = { XDG_STATE_HOME: join(world.folder, 'state') };
  const first = await world.run('watch', { env });
  const second = await world.run('watch', { env });
  expect([first.code, second.code, second.stdout, second.stderr]).toEqual([6, 6, '', '']);
  expect(first.stdout).toContain('waiting-requests');
  const nowhere = await world.run('watch', { env: { XDG_STATE_HOME: join(rules, 'x') } });
  expect([nowhere.stdout, nowhere.stderr]).toEqual([
    first.stdout,
    expect.stringContaining('Use --state FILE') as string,
  ]);
});

test('a publisher that was removed keeps its name, and a request says since when it is there', async () => {
  const owner = { network: world.url, channel: 'Demo Channel' };
  const file = await openStateFile(state, owner);
  const gone = '6f1c7b7e-58c5-4b53-9d0c-2c9f1d0b7a11';
  const day = dayBefore(2);
  const cause = { rule: 'quiet', id: gone, name: 'Gone Shop', since: day, judged: day, text: 'No clicks.' };
  file.save(new Map([[`quiet/${gone}`, cause]]));
  await file.release();
  writeFileSync(rules, 'rules:\n  quiet:\n    kind: silent\n  requests:\n    kind: pending\n    days: 1\n');
  const { stdout } = await watch();
  expect(stdout).toContain('Gone Shop: It is no longer a publisher of the channel.');
  expect(stdout).toMatch(/Pending; requested \d+ days? ago, on/);
});

test.each([
  ['--rules missing.yaml', 'there is no such file'],
  ['--backtest month', 'Use something like 90d'],
])('watch %s is refused with one line', async (words, line) => {
  const { code, stderr } = await world.run(`watch ${words}`);
  expect([code, stderr.trimEnd().split('\n')]).toEqual([2, [expect.stringContaining(line)]]);
});

test('--init needs neither a network nor a key, and its rules are those without a file', async () => {
  const init = await world.run('watch --init', { env: { OFFERLET_NETWORK: '', OFFERLET_API_KEY: '' } });
  expect(init.code).toBe(0);
  writeFileSync(rules, init.stdout);
  const [own, usual] = [await watch('--json'), await world.run('watch --json')];
  expect(JSON.parse(own.stdout)).toEqual(JSON.parse(usual.stdout));
  expect([usual.stdout.includes('waiting-requests'), existsSync(state)]).toEqual([true, true]);
});

test('the rule in the documentation is one of --init', () => {
  const [block] = blocksIn('yaml').filter(({ page }) => page === 'docs/operators/watch.md');
  const [, ...lines] = block?.code.trim().split('\n') ?? [];
  expect(EXAMPLE_RULES).toContain(lines.join('\n'));
});
