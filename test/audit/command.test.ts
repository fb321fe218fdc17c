import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeFolder } from '../fixtures/makeFolder.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { openDedupeRedis } from '../../src/relay-redis.ts';
import { openDedupeFile } from '../../src/relay.ts';
import { serve } from '../fixtures/serve.ts';
import { startRedis } from '../fixtures/startRedis.ts';
import { runCommand, type Ran } from '../fixtures/runCommand.ts';
import { buildCommand } from '../relay/command.ts';
import { ofSuite } from '../fixtures/opened.ts';

const KEY = 'adnet_sk_test_canary0123456789';
const DAY = '2026-11-20';

const command = ofSuite(buildCommand);
let directory: string;
let clicks: number;
let status: number;
/** Paths that reached the network, with the key. */
let reached: string[];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'offerlet-audit-'));
  const store = await openDedupeFile(directory);
  const keys = ['a', 'b', 'c'].map((digit) => digit.repeat(32));
  await store.accept(keys, '', [
    `${DAY}T10 BRAND_CLICK THANK_YOU INLINE =SUM(1)`,
    `${DAY}T10 BRAND_CLICK THANK_YOU INLINE =SUM(1)`,
    `${DAY}T11 BRAND_CLICK ORDER_TRACKING INLINE `,
  ]);
  await store.ledger.add(
    new Map([
      [`2026-11-19T10 offers_requested - - `, 9],
      [`${DAY}T10 refused:UNKNOWN_SESSION - - `, 4],
      [`${DAY}T10 answers_lost - - `, 3],
      [`${DAY}T10 possible_duplicates - - `, 2],
    ]),
  );
  await store.close();
});
const network = ofSuite(() =>
  serve((request, response) => {
    reached.push(`${request.url} ${String(request.headers['x-api-key'])}`);
    const isHourly = request.url?.includes('time_grain=hour') === true;
    const end = isHourly ? `${DAY}T11:00:00Z` : '2026-11-21T00:00:00Z';
    const row = { period_start: `${DAY}T${isHourly ? '10' : '00'}:00:00Z`, period_end: end, clicks, impressions: 0 };
    const body = {
      data: [request.url?.includes('group_by') === true ? { ...row, widget_id: '=SUM(1)' } : row],
      summary: {},
      pagination: { offset: 0, limit: 10_000, total: 1, has_more: false },
      meta: { timezone: 'UTC', data_through: `${DAY}T${isHourly ? '23' : '00'}:00:00Z`, request_id: 'r' },
    };
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(status === 200 ? body : { detail: `no, ${KEY} is wrong.` }));
  }),
);
afterAll(() => rm(directory, { recursive: true, force: true }));

function audit(args: readonly string[], env: Record<string, string> = {}): Promise<Ran> {
  reached = [];
  return runCommand({ name: 'offerlet', commands: COMMANDS }, ['audit', ...args], {
    env: { OFFERLET_DATA: directory, OFFERLET_NETWORK: network.url, OFFERLET_REPORTING_KEY: KEY, ...env },
  });
}

test('ends with 0 and a table when the counts agree; tracking pages are in no report', async () => {
  [clicks, status] = [2, 200];
  const { code, stdout, stderr } = await audit(['--from', DAY]);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^clicks +2 +2 +0 +ok$/m);
  expect(stdout).toContain(`Both counts agree. ${DAY}, UTC, data through ${DAY} 23:00, tolerance 0.5 %.`);
  expect(stdout).toContain('In neither count: events that were refused for good, by code: UNKNOWN_SESSION 4.');
  expect(reached).toHaveLength(2);
  expect(reached[0]).toMatch(/^\/api\/analysis\/publisher-reporting\/v2\/report\/\?from=.* adnet_sk_test_canary/);
});

test('ends with 1, names the hour and the metric, and explains, when they do not', async () => {
  [clicks, status] = [5, 200];
  const { code, stdout, stderr } = await audit(['--from', DAY]);
  expect(code).toBe(1);
  expect(stderr).toBe(`offerlet: The counts differ: clicks +3, for example clicks from ${DAY} 10:00.\n`);
  expect(stdout).toMatch(new RegExp(`^${DAY} 10:00 +clicks +2 +5 +\\+3 +\\+150 +extra$`, 'm'));
  const causes = [...stdout.matchAll(/^\d\. (.*)$/gm)].map(([, text = '']) => text.split(/[,.]/)[0]);
  expect(causes).toEqual([
    'The responses to 3 events were lost or unclear',
    '2 events were sent again without an id that the network could recognize',
    // The loads agree, and another relay would have brought some.
    'The network counts events more than once',
    'Another relay uses the same key',
    'Something else sends events with the same key: a server',
  ]);
});

test('is within a tolerance that allows the difference', async () => {
  [clicks, status] = [5, 200];
  expect((await audit(['--from', DAY, '--tolerance', '60%'])).code).toBe(0);
  expect((await audit(['--from', DAY, '--tolerance', 'some'])).code).toBe(2);
});

test('prints JSON and CSV, and writes them to a file by its name', async () => {
  [clicks, status] = [1, 200];
  const json = await audit(['--from', DAY, '--by', 'widget_id', '--json']);
  expect(JSON.parse(json.stdout)).toMatchObject({
    from: DAY,
    to: DAY,
    within: false,
    by: ['widget_id'],
    rows: [{ group: { widget_id: '=SUM(1)' }, metric: 'clicks', ours: 2, theirs: 1, difference: -1, percent: -50 }],
  });
  const file = join(directory, 'audit.csv');
  const csv = await audit(['--from', DAY, '--by', 'widget_id', '--output', file]);
  expect(csv.code).toBe(1);
  expect(await readFile(file, 'utf8')).toBe(
    `period_start,widget_id,metric,ours,theirs,difference,percent,verdict\r\n${DAY}T00:00:00Z,'=SUM(1),clicks,2,1,-1,-50,missing\r\n`,
  );
});

test('says in one line what is missing, and never the key', async () => {
  status = 401;
  const refused = await audit(['--from', DAY]);
  expect([refused.code, refused.stderr]).toEqual([
    3,
    "offerlet: The network refused the key: no, [key] is wrong. Use the publisher's reporting key.\n",
  ]);
  status = 200;
  const ended = async (args: readonly string[], env: Record<string, string> = {}): Promise<[number | null, string]> => {
    const { code, stderr } = await audit(args, env);
    return [code, stderr.trimEnd().split('\n').length === 1 ? stderr : `several lines: ${stderr}`];
  };
  expect(await ended([], { OFFERLET_DATA: '' })).toEqual([2, expect.stringMatching(/--data or --redis is missing/)]);
  const empty = makeFolder();
  expect(await ended([], { OFFERLET_DATA: empty })).toEqual([4, expect.stringMatching(/The ledger has no counts/)]);
  expect(await ended(['--period', 'soon'])).toEqual([2, expect.stringMatching(/--period is not a known period/)]);
  expect(await ended([], { OFFERLET_REPORTING_KEY: 'adnet_rk_test_canary' })).toEqual([
    2,
    expect.stringMatching(/not a reporting key/),
  ]);
  const keyFile = join(directory, 'key');
  await writeFile(keyFile, `${KEY}\n`);
  clicks = 2;
  expect((await audit(['--from', DAY, '--reporting-key-file', keyFile], { OFFERLET_REPORTING_KEY: '' })).code).toBe(0);
});

test.each([
  [['--from', DAY, '--to', '2026-11-19'], /--from is after --to/],
  [['--from', '2026-02-30'], /--from is not a date/],
  [['--from', '2999-01-01'], /--to is in the future/],
  [['--to', DAY], /--to needs --from/],
  [['--from', DAY, '--period', '7d'], /either --period or --from/],
  [['--to', DAY, '--period', 'yesterday'], /either --period or --from/],
  [['--from', DAY, '--tolerance=0.12345%'], /--tolerance/],
  [['--from', DAY, '--tolerance=-1%'], /--tolerance/],
  [['--from', DAY, '--tolerance=101%'], /--tolerance/],
  [['--from', DAY, '--tolerance=1e3'], /--tolerance/],
  [['--from', DAY, '--tolerance=0,5%'], /--tolerance/],
  [['--from', DAY, '--tolerance=Infinity'], /--tolerance/],
  [['--from', DAY, '--by', 'view,view'], /--by is not valid/],
  [['--from', DAY, '--by', '__proto__'], /--by is not valid/],
  [['--from', DAY, '--json', '--csv'], /either --json or --csv/],
  [['--from', DAY, '--redis', 'redis://127.0.0.1'], /either --data or --redis/],
])('refuses %j before anything is sent', async (args, problem) => {
  const { code, stdout, stderr } = await audit(args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(problem);
  expect(reached).toEqual([]);
});

test('other files change nothing, and after damage nothing is proved; a file of something else is named', async () => {
  [clicks, status] = [0, 200];
  const other = makeFolder();
  const log = join(other, 'accepted-events.1.log');
  const said = async (): Promise<[number | null, string]> => {
    const { code, stdout, stderr } = await audit(['--from', DAY], { OFFERLET_DATA: other });
    return [code, (stdout + stderr).replaceAll(/\s+/g, ' ')];
  };
  const store = await openDedupeFile(other);
  await store.ledger.add(new Map([['2026-11-19T10 offers_requested - - ', 5]]));
  await store.close();
  await mkdir(join(other, 'ledger'));
  await writeFile(join(other, 'ledger', `${DAY}.jsonl`), '{"segment":"x","counts":[{"hour":10,"BRAND_CLICK":50}]}\n');
  expect(await said()).toEqual([0, expect.not.stringContaining('skipped')]);
  const text = await readFile(log, 'latin1');
  await writeFile(
    log,
    `${text}\n00000000 00000000 {"at":1,"counts":{"${DAY}T10 BRAND_CLICK - - ":50}}\r\n00000000 0000`,
  );
  const damaged = `offerlet: Nothing differs, but parts of the ledger are missing, so this proves nothing: ${log}: lines that are damaged and were skipped: 1.`;
  expect(await said()).toEqual([4, expect.stringContaining(damaged)]);
  await rm(join(other, 'accepted-counts.log'));
  await writeFile(log, 'Nov 20 10:00:00 web sshd: hello\n');
  const { code: none, stderr: why } = await audit(['--from', DAY], { OFFERLET_DATA: other });
  expect([none, why]).toEqual([4, expect.stringMatching(/The ledger has no counts/)]);
  await rm(log);
  await mkdir(log);
  const { code, stderr } = await audit(['--from', DAY], { OFFERLET_DATA: other });
  expect([code, stderr]).toEqual([2, `offerlet: --data cannot be read: "${log}" (EISDIR).\n`]);
});

test.runIf(process.platform === 'linux')(
  'an output that cannot be written does not say that the counts differ',
  async () => {
    [clicks, status] = [5, 200];
    const env = { OFFERLET_DATA: directory, OFFERLET_NETWORK: network.url, OFFERLET_REPORTING_KEY: KEY };
    const words = ['-c', '"$@" > /dev/full', 'sh', process.execPath, command.file, 'audit', '--from', DAY];
    const child = spawn('sh', words, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect([code, stderr]).toEqual([2, expect.stringContaining('The output cannot be written (ENOSPC).')]);
  },
);

describe.skipIf(process.env['OFFERLET_TEST_REDIS'] !== '1')('with --redis', () => {
  let url: string;
  let server: ChildProcess;
  beforeAll(async () => {
    ({ url, server } = await startRedis());
    const store = await openDedupeRedis({ url, prefix: 'shop:' });
    const widgets = ['a,b "c"', '@cmd|x', '\\u000a=1+1', '\\u001b[2J\\u202ex'];
    await store.accept(
      widgets.map((_, at) => String(at).repeat(32)),
      '',
      widgets.map((widget) => `${DAY}T10 BRAND_CLICK THANK_YOU INLINE ${widget}`),
    );
    await store.ledger.add(new Map([['2026-11-19T10 offers_requested - - ', 1]]));
    await store.close();
  });
  afterAll(() => void server.kill());

  test('compares what the relays counted, and writes hostile widget ids safely', async () => {
    [clicks, status] = [4, 200];
    const redis = ['--redis', url, '--redis-prefix', 'shop:', '--from', DAY];
    const { code, stdout } = await audit(redis, { OFFERLET_DATA: '' });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^clicks +4 +4 +0 +ok$/m);
    const csv = await audit([...redis, '--by', 'widget_id', '--csv'], { OFFERLET_DATA: '' });
    expect(csv.code).toBe(1);
    expect(csv.stdout).toContain('Z,"a,b ""c""",clicks,1,0,');
    expect(csv.stdout).toContain("Z,'@cmd|x,clicks,1,0,");
    expect(csv.stdout).toContain('Z,\\u000a=1+1,clicks,1,0,');
    expect(csv.stdout).toContain('Z,\\u001b[2J\\u202ex,clicks,1,0,');
  });

  test('another prefix has no ledger, and a Redis that is away is named without its password', async () => {
    const other = await audit(['--redis', url, '--from', DAY], { OFFERLET_DATA: '' });
    expect([other.code, other.stderr]).toEqual([4, expect.stringMatching(/The ledger has no counts/)]);
    const away = await audit(['--redis', 'redis://me:hunter2@127.0.0.1:1', '--from', DAY], { OFFERLET_DATA: '' });
    expect(away.code).toBeGreaterThan(1);
    expect(away.stderr).toMatch(/^offerlet: .*127\.0\.0\.1:1.*\n$/);
    expect(away.stderr).not.toContain('hunter2');
  });
});
