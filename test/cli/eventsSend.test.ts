import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { clicks } from '../client/clientWorld.ts';
import { openModelNetwork, type ModelNetwork } from '../client/modelNetwork.ts';
import { runCommand, type Ran } from '../fixtures/runCommand.ts';
import { serve, type Served } from '../fixtures/serve.ts';

const folder = mkdtempSync(join(tmpdir(), 'offerlet-events-'));
const file = join(folder, 'events.jsonl');
const KEY = 'adnet_rk_test_canary0123456789';
let network: ModelNetwork;
let server: Served;
beforeEach(async () => {
  network = openModelNetwork();
  server = await serve((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (text: string) => (body += text));
    request.on('end', () => {
      network
        .fetch(`http://127.0.0.1${request.url ?? ''}`, { body, headers: request.headers as Record<string, string> })
        .then(async (reply) => response.writeHead(reply.status).end(await reply.text()))
        .catch(() => response.destroy());
    });
  });
});
afterEach(() => server.close());
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

test('lines without an event_id have the same ids at every run, equal lines different ones', async () => {
  const [click] = clicks(1).map((event) => ({ ...event, event_id: undefined }));
  write([click, click, { ...click, session_id: 's-2' }]);
  const runs = [await send([file, '--json']), await send([file, '--json'])].map((ran) =>
    resultsOf(ran).map(({ event_id }) => event_id),
  );
  expect(runs[1]).toEqual(runs[0]);
  expect(new Set(runs[0]).size).toBe(3);
  expect(network.stored).toHaveLength(3);
});

test('lines that are refused end with the exit code 5 and are named', async () => {
  write(['{"event_name":', ...clicks(2)]);
  network.fault = () => ({ finally: [0] });
  const { code, stdout, stderr } = await send([file]);
  expect(code).toBe(5);
  expect(stdout).toMatch(/^line 1 {2}refused {2}INVALID_EVENT .*\nline 2 {2}refused {2}NO {2}It is not wanted\.\n$/);
  expect(stderr).toContain('3 lines read: 1 stored, 2 refused.');
});

test('a refused key ends it with 3, a wrong call with 2, and no output has the key', async () => {
  write(clicks(1));
  network.fault = () => ({ status: 401, body: { message: `no such key ${KEY}` } });
  const ran = [
    await send([file]),
    await send([]),
    await send([join(folder, 'none.jsonl')]),
    await send([file, '--network', 'partner.example']),
    await send([file], { env: { OFFERLET_API_KEY: '' } }),
    await send([file, '--frequency', '2']),
  ];
  expect(ran.map(({ code }) => code)).toEqual([3, 2, 2, 2, 2, 2]);
  expect(ran.map(({ stderr }) => stderr.trim().split('\n').at(-1))).toEqual([
    expect.stringContaining('returned 401'),
    expect.stringContaining('FILE is missing'),
    expect.stringContaining('there is no such file'),
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
