import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { clicks } from '../client/clientWorld.ts';
import { openModelNetwork, serveNetwork, type ModelNetwork } from '../client/modelNetwork.ts';
import { ofTest } from '../fixtures/opened.ts';
import { runCommand, type Ran } from '../fixtures/runCommand.ts';

const folder = mkdtempSync(join(tmpdir(), 'offerlet-events-'));
const file = join(folder, 'events.jsonl');
const KEY = 'adnet_rk_test_canary0123456789';
let network: ModelNetwork;
const server = ofTest(() => serveNetwork((network = openModelNetwork())));
afterAll(() => rmSync(folder, { recursive: true }));

function send(args: readonly string[], options: { input?: string; env?: Record<string, string> } = {}): Promise<Ran> {
  const env = { OFFERLET_NETWORK: server.url, OFFERLET_API_KEY: KEY, ...options.env };
  return runCommand({ name: 'offerlet', commands: COMMANDS }, ['events', 'send', ...args], { ...options, env });
}

function write(lines: readonly unknown[]): void {
  writeFileSync(file, lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''));
}

const resultsOf = ({ stdout }: Ran): Record<string, unknown>[] =>
  stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test('reports every line of a file, or of stdin', async () => {
  write(clicks(45));
  expect(await send([file])).toEqual({ code: 0, stdout: '', stderr: '45 lines read: 45 stored.\n' });
  expect(network.sizes()).toEqual([20, 20, 5]);
  const ran = await send(['-', '--json'], { input: `${JSON.stringify(clicks(1)[0])}\n\n` });
  expect(resultsOf(ran)).toEqual([{ line: 1, event_id: 'event-0', status: 'stored' }]);
});

test('lines without an event_id have the same ids at every run, and equal lines are one event', async () => {
  const [click] = clicks(1).map((event) => ({ ...event, event_id: undefined }));
  write([click, click, { ...click, session_id: 's-2' }]);
  const runs = [await send([file, '--json']), await send([file, '--json'])].map((ran) =>
    resultsOf(ran).map(({ event_id }) => event_id),
  );
  expect(runs[1]).toEqual(runs[0]);
  expect(new Set(runs[0]).size).toBe(2);
  expect(network.stored).toHaveLength(2);
});

test('lines that are refused end with the exit code 5 and are named', async () => {
  const nested = `{"event_name":"BRAND_CLICK","x":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
  const long = JSON.stringify({ ...clicks(1)[0], x: 'x'.repeat(200_000) });
  write([...clicks(2), '', '{"event_name":', nested, long]);
  network.fault = () => ({ finally: [0] });
  const { code, stdout, stderr } = await send([file]);
  expect(code).toBe(5);
  expect(stdout.replaceAll(/(INVALID_EVENT) .*/g, '$1').split('\n')).toEqual([
    'line 1  refused  NO  It is not wanted.',
    'line 4  refused  INVALID_EVENT',
    'line 5  refused  INVALID_EVENT',
    'line 6  refused  INVALID_EVENT',
    '',
  ]);
  expect(stderr).toContain('6 lines read: 1 stored, 4 refused.');
  expect(stderr).toContain('4 of 5 events failed. Correct the refused ones. Run the command again');
});

test.each([
  [
    'a page of a captive portal',
    { status: 200, body: '<html>' },
    'not the results of a batch',
    'Nothing after line 20',
  ],
  ['a wrong URL', { status: 404 }, 'returned 404', 'Nothing after line 20 was sent'],
  ['an outage', { status: 503, headers: { 'retry-after': '61' } }, 'returned 503', 'Unknown events may be stored'],
])('after %s each line that was sent has a result, in order', async (_, fault, why, rest) => {
  write(clicks(fault.status === 503 ? 20 : 50));
  network.fault = () => fault;
  const ran = await send([file, '--json']);
  expect(resultsOf(ran).map(({ line, status }) => [line, status])).toEqual(
    Array.from({ length: 20 }, (_each, at) => [at + 1, 'unknown']),
  );
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain(why);
  expect(ran.stderr).toContain(rest);
  expect(ran.stderr).not.toMatch(/correct/i);
});

test('a refused key ends it with 3, a wrong call with 2, and no output has the key', async () => {
  write(clicks(1));
  network.fault = () => ({ status: 401, body: { message: `no such key ${KEY}` } });
  const ran = [
    await send([file]),
    await send([]),
    await send([join(folder, 'none.jsonl')]),
    await send([folder]),
    await send([file, '--network', 'partner.example']),
    await send([file], { env: { OFFERLET_API_KEY: '' } }),
    await send([file, '--frequency', '2']),
  ];
  expect(ran.map(({ code }) => code)).toEqual([3, 2, 2, 2, 2, 2, 2]);
  expect(ran.map(({ stderr }) => stderr.trim().split('\n').at(-1))).toEqual([
    expect.stringContaining('returned 401'),
    expect.stringContaining('FILE is missing'),
    expect.stringContaining('there is no such file'),
    expect.stringContaining('it is a directory'),
    expect.stringContaining('--network is not a valid URL'),
    expect.stringContaining('The key is missing. Set OFFERLET_API_KEY'),
    expect.stringContaining('Unknown option --frequency'),
  ]);
  expect(JSON.stringify(ran)).not.toContain('canary');
});

test('Ctrl-C says which events are unknown, and the next run stores each once', async () => {
  write(clicks(60));
  network.fault = (call) => {
    if (call !== 2) return {};
    setImmediate(() => process.emit('SIGINT'));
    return { hangs: true };
  };
  const { code, stdout, stderr } = await send([file, '--json']);
  expect(code).toBe(130);
  const statuses = resultsOf({ code, stdout, stderr }).map(({ status }) => status);
  expect(statuses).toEqual([...Array<string>(20).fill('stored'), ...Array<string>(20).fill('unknown')]);
  expect(stderr).toMatch(/Interrupted\. Unknown events may be stored or not\. Nothing after line 40 was sent\./);
  network.fault = () => ({});
  expect((await send([file])).code).toBe(0);
  expect(network.stored).toHaveLength(60);
});
