import { createServer } from 'node:http';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createNetwork, type Network } from '../../src/network.ts';
import { commands } from '../../src/sandbox/commands.ts';
import { serve } from '../../src/sandbox/startNetwork.ts';
import { verify } from '../../src/verify/verify.ts';
import { type Ran, runCommand } from '../fixtures/runCommand.ts';
import { testNetworkOf } from '../network/testNetwork.ts';

const folder = mkdtempSync(join(tmpdir(), 'offerlet-verify-'));
let network: Network;
let server: Awaited<ReturnType<typeof serve>>;
/** What the network responds with instead. */
let instead: ((request: Request) => Response | undefined) | undefined;
let calls: { readonly at: number; readonly key: string | null; readonly status: number }[] = [];
beforeAll(async () => {
  network = await createNetwork({ memory: true, seed: 'empty', log: () => undefined });
  server = await serve(
    async (request, from) => {
      const response = instead?.(request) ?? (await network.fetch(request, from));
      calls.push({ at: performance.now(), key: request.headers.get('x-api-key'), status: response.status });
      return response;
    },
    { port: 0 },
  );
  await testNetworkOf(network).offer();
});
afterEach(() => {
  instead = undefined;
  calls = [];
});
afterAll(async () => {
  await server.close();
  await network.close();
  rmSync(folder, { recursive: true });
});

function run(words: readonly string[], env: Record<string, string> = {}): Promise<Ran> {
  return runCommand({ name: 'offerlet', commands }, ['verify', server.url, ...words], { env });
}
const keyOf = (name: 'integration' | 'management' | 'publisher_reporting'): string =>
  network.describe().keys[name] ?? '';
const integration = (): Record<string, string> => ({ OFFERLET_INTEGRATION_KEY: keyOf('integration') });

test('a key comes from a file or a variable, and what there is none for is not tried', async () => {
  const file = join(folder, 'key');
  writeFileSync(file, `${keyOf('management')}\n`, { mode: 0o600 });
  const { code, stdout } = await run([
    '--management-key-file',
    file,
    '--only',
    'C9',
    '--only',
    'R58.slash',
    '--only',
    'A8.type',
  ]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Channel +1 of 1 hold$/m);
  expect(stdout).toMatch(/^Publisher report +0 of 1 hold +1 not tried$/m);
  expect(stdout).toContain('There is no integration key.');
  expect(new Set(calls.map(({ key }) => key))).toEqual(new Set([keyOf('management')]));
  expect((await run(['--only', 'C9'], integration())).code).toBe(5);
});

test('what it cannot use is refused before a call', async () => {
  const live = { OFFERLET_INTEGRATION_KEY: 'adnet_rk_live_x' };
  for (const [words, env, said] of [
    [[], {}, 'There is no key. Use --integration-key-file'],
    [[], live, 'The integration key is not of staging: its beginning has no _test_.'],
    [[], { OFFERLET_MANAGEMENT_KEY: 'secret' }, 'The management key is not of staging'],
    [['--only', 'Z1'], integration(), '--only names no rule: "Z1". Use one such as E4, E4.no-id or events.'],
  ] as const) {
    const { code, stderr } = await run(words, env);
    expect(code).toBe(2);
    expect(stderr).toContain(said);
  }
  expect(calls).toEqual([]);
});

test('--read-only sends what changes nothing, with a key of production as well', async () => {
  const { code, stdout } = await run(['--read-only', '--only', 'A1'], { OFFERLET_INTEGRATION_KEY: 'adnet_rk_live_x' });
  expect(code).toBe(5);
  expect(stdout).toContain('It changes something, and --read-only forbids that.');
  expect(calls.filter(({ status }) => status < 400)).toEqual([]);
});

test('--only shows what was sent and what came, without the key, wherever it is', async () => {
  const key = keyOf('integration');
  instead = () => Response.json({ key, note: `no \u001B[31m${key}` }, { status: 418 });
  const { code, stdout } = await run(['--only', 'A1.key-in-query'], integration());
  expect(code).toBe(5);
  expect(stdout).toMatch(/> POST .*\/recommendations\?x-api-key=/);
  expect(stdout).toContain('< 418');
  expect(stdout).toMatch(/expected +401/);
  expect(stdout).not.toContain(key);
  expect(stdout).not.toContain('\u001B');
});

test('--json and JUnit have each rule with its result', async () => {
  instead = ({ url }) => (url.endsWith('/events') ? new Response('<no>', { status: 200 }) : undefined);
  const junit = join(folder, 'junit.xml');
  const words = ['E1.one', 'R58.slash'].flatMap((rule) => ['--only', rule]);
  const { stdout } = await run(['--json', '--junit', junit, ...words], integration());
  const { verified, rules, interfaces, left_behind } = JSON.parse(stdout);
  expect(verified).toBe(false);
  expect(interfaces[0]).toEqual({ name: 'events', holds: 0, fails: 1, untold: 0, all: 1, not_tried: 0 });
  expect(rules.map(({ id, result }: Record<string, unknown>) => [id, result])).toEqual([
    ['E1.one', 'fails'],
    ['R58.slash', 'not tried'],
    ['R58.slash', 'not tried'],
  ]);
  expect(left_behind).toEqual(['1 sessions, whose events the reports count']);
  const xml = readFileSync(junit, 'utf8');
  expect(xml).toContain('tests="3" failures="1" skipped="2"');
  expect(xml).toContain('<failure message="expected 201 with an empty body">');
  expect(xml).toContain('returned 200 &#60;no&#62;');
});

test('a report that cannot be written is said in one line, after what was found', async () => {
  const { code, stdout, stderr } = await run(
    ['--only', 'A1.get', '--junit', join(folder, 'no', 'x.xml')],
    integration(),
  );
  expect(code).toBe(2);
  expect(stdout).toContain('1 of 1 hold');
  expect(stderr).toMatch(/^offerlet: --junit cannot be written: ".*x\.xml" \(ENOENT\)\.$/m);
});

test('it waits as long as Retry-After says, and leaves alone what does not respond', async () => {
  let left = 2;
  instead = () =>
    left-- > 0 ? new Response('{"message":"Later"}', { status: 429, headers: { 'retry-after': '1' } }) : undefined;
  expect((await run(['--only', 'A1.get'], integration())).code).toBe(0);
  expect(calls.map(({ status }) => status)).toEqual([429, 429, 405]);
  const [first, second, third] = calls.map(({ at }) => at);
  expect((second ?? 0) - (first ?? 0)).toBeGreaterThan(950);
  expect((third ?? 0) - (second ?? 0)).toBeGreaterThan(950);

  const silent = createServer((request) => request.socket.destroy());
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const address = silent.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const found = await verify({
    url,
    version: '1.0.0',
    keys: { integration: 'adnet_rk_test_x' },
    fetch,
    paceMs: 0,
    only: ['A1'],
  });
  expect(found.verdicts.map(({ state }) => state)).toEqual([...Array(3).fill('fails'), ...Array(11).fill('not-tried')]);
  silent.close();
});

test('calls are paced, and end at the limit', async () => {
  const keys = { integration: keyOf('integration') };
  const found = await verify({
    url: server.url,
    version: '1.0.0',
    keys,
    fetch,
    paceMs: 30,
    maxCalls: 8,
    only: ['A1', 'A2'],
  });
  expect(found.calls).toBe(8);
  expect((calls.at(-1)?.at ?? 0) - (calls[0]?.at ?? 0)).toBeGreaterThan(7 * 30 - 25);
  expect(found.verdicts.map(({ because }) => because)).toContain('The run has made 8 calls.');
});

test.each(['is stopped', 'has no calls left'])('a run that %s puts the exclusions of the channel back', async (how) => {
  const details = async (): Promise<unknown> => {
    const headers = { 'x-api-key': keyOf('management') };
    return (await network.fetch(new Request(`${server.url}/adnet/channel/details/`, { headers }))).json();
  };
  const before = await details();
  const stop = new AbortController();
  let isChanged = false;
  const found = await verify({
    url: server.url,
    version: '1.0.0',
    keys: { management: keyOf('management'), integration: keyOf('integration') },
    only: ['C8'],
    paceMs: 0,
    signal: stop.signal,
    // Offers, categories, exclusions before, and the PUT.
    maxCalls: how === 'is stopped' ? 600 : 4,
    async fetch(input, init) {
      const response = await fetch(input, init);
      if (init?.method === 'PUT' && !isChanged) {
        isChanged = JSON.stringify(await details()) !== JSON.stringify(before);
        if (how === 'is stopped') stop.abort();
      }
      return response;
    },
  });
  expect(isChanged).toBe(true);
  expect(await details()).toEqual(before);
  expect(found.verdicts).toMatchObject([{ state: 'not-tried' }]);
  expect(found.isInterrupted).toBe(how === 'is stopped');
  expect(found.left.filter((what) => /exclusions/.test(what))).toEqual([]);
});
