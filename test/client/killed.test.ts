// Processes of `offerlet events send` that are ended: the next one sends the same file, and each event is stored once.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, test } from 'vitest';
import { ofTest } from '../fixtures/opened.ts';
import { makeFolder } from '../fixtures/makeFolder.ts';
import { clicks } from './clientWorld.ts';
import { openModelNetwork, serveNetwork, type ModelNetwork } from './modelNetwork.ts';

const SCRIPT = fileURLToPath(new URL('killedSend.mjs', import.meta.url));
let network: ModelNetwork;
let file: string;
/** Called before the response of a request is sent. */
let beforeResponse: (call: number) => unknown;
beforeEach(() => {
  network = openModelNetwork();
  beforeResponse = () => undefined;
  file = join(makeFolder(), 'events.jsonl');
});
const server = ofTest(() => serveNetwork(network, () => beforeResponse(network.calls.length)));

const linesOf = (count: number): string =>
  clicks(count)
    .map((event, at) => `${JSON.stringify({ ...event, event_id: undefined, asset_id: `asset-${at}` })}\n`)
    .join('');

function start(...args: string[]): {
  child: ChildProcess;
  ended: Promise<{ code: unknown; stdout: string; stderr: string }>;
} {
  const env = { PATH: process.env['PATH'], OFFERLET_NETWORK: server.url, OFFERLET_API_KEY: 'adnet_rk_test_example' };
  const child = spawn(process.execPath, [SCRIPT, 'events', 'send', ...args], { env });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (bytes: Buffer) => (stdout += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (stderr += bytes.toString()));
  const ended = once(child, 'close').then(([code, signal]) => ({ code: (code ?? signal) as unknown, stdout, stderr }));
  return { child, ended };
}

test('after kill -9 in the middle of a file, the next run stores each event once', async () => {
  writeFileSync(file, linesOf(90));
  const { child, ended } = start(file);
  // The third group is stored, and its sender dies before it hears of it.
  beforeResponse = (call) => call === 3 && child.kill('SIGKILL');
  expect((await ended).code).toBe('SIGKILL');
  expect(network.stored).toHaveLength(60);
  beforeResponse = () => undefined;
  expect((await start(file).ended).code).toBe(0);
  expect(network.stored).toHaveLength(90);
  expect(network.sizes()).toEqual([20, 20, 20, 20, 20, 20, 20, 10]);
});

test('Ctrl-C calls no event unknown that was read and not sent', async () => {
  const { child, ended } = start('-', '--json');
  child.stdin?.write(linesOf(27));
  let results = 0;
  child.stdout?.on('data', (bytes: Buffer) => {
    results += bytes.toString().split('\n').length - 1;
    if (results === 20) child.kill('SIGINT');
  });
  const { code, stdout, stderr } = await ended;
  expect(code).toBe(130);
  expect(stdout.match(/"status":"stored"/g)).toHaveLength(20);
  expect(stdout).not.toContain('unknown');
  expect(stderr).toContain('20 lines read: 20 stored.');
});

test.runIf(process.platform !== 'win32')('a reader of the results that leaves interrupts it', async () => {
  writeFileSync(file, linesOf(90));
  const { child, ended } = start(file, '--json');
  const hasLeft = once(child.stdout as NodeJS.ReadableStream, 'close');
  child.stdout?.once('data', () => child.stdout?.destroy());
  beforeResponse = (call) => (call === 2 ? hasLeft : undefined);
  const { code, stderr } = await ended;
  expect(code).toBe(130);
  expect(stderr).toContain('Interrupted. ');
  expect(stderr).toMatch(/Nothing after line (40|60) was sent\./);
});
