import { rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeFolder } from '../fixtures/makeFolder.ts';
import { buildCommand, hasNamespaces, type Command, type Running } from './command.ts';
import { RESPONSE, event, KEY, REQUEST } from './scriptedNetwork.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { runCommand, type Ran } from '../fixtures/runCommand.ts';
import { serve, type Served } from '../fixtures/serve.ts';

const LIVE = 'adnet_rk_live_canary0123456789';

let command: Command;
let network: Served;
let directory: string;
/** What the network's `/health` says. */
let environment: string;
/** Paths that reached the network, and the key that came with each. */
let reached: string[];
const started: Running[] = [];

beforeAll(async () => {
  command = await buildCommand();
});
afterAll(() => command.remove());
beforeEach(async () => {
  environment = 'staging';
  reached = [];
  directory = makeFolder();
  network = await serve((request, response) => {
    if (request.url === '/health') return void response.end(JSON.stringify({ status: 'ok', environment }));
    reached.push(`${request.url} ${String(request.headers['x-api-key'])}`);
    const status = request.url === '/events' ? 201 : 200;
    request.resume().on('end', () => response.writeHead(status).end(status === 201 ? '' : JSON.stringify(RESPONSE)));
  });
});
afterEach(async () => {
  for (const each of started.splice(0)) {
    each.kill('SIGKILL');
    await each.ended;
  }
  await network.close();
});

const wordsOf = (args: string[]): string[] => ['relay', '--network', network.url, '--port', '0', '--json', ...args];

function start(args: string[], how: { env?: Record<string, string>; isContained?: boolean } = {}): Running {
  const env = how.env ?? { OFFERLET_API_KEY: KEY };
  const running = command.start(wordsOf(args), { ...how, env });
  started.push(running);
  return running;
}

/** Runs the command in this process: one that refuses to start ends. */
function refuse(args: string[], env: Record<string, string>): Promise<Ran> {
  return runCommand({ name: 'offerlet', commands: COMMANDS }, wordsOf(args), { env });
}

function post(address: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return fetch(address, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: text });
}

test('the command serves pages at its base path, and ends on SIGTERM', async () => {
  const running = start(['--base-path', '/offers']);
  const url = await running.url;
  const served = await post(`${url}/offers/recommendations`, REQUEST);
  expect(await served.json()).toEqual(RESPONSE);
  expect(served.headers.get('keep-alive')).toBe('timeout=75'); // longer than a proxy waits
  expect((await post(`${url}/recommendations`, REQUEST)).status).toBe(404);
  expect(reached).toEqual([`/recommendations ${KEY}`]);
  running.kill('SIGTERM');
  expect(await running.ended).toBe(0);
  expect(running.output()).not.toContain(KEY);
});

test('the first line that people read is the URL of the relay, base path included', async () => {
  const args = ['relay', '--network', network.url, '--port', '0', '--base-path', '/offers/'];
  const running = command.start(args, { env: { OFFERLET_API_KEY: KEY } });
  started.push(running);
  const url = await running.url;
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/offers$/);
  expect(await (await post(`${url}/recommendations`, REQUEST)).json()).toEqual(RESPONSE);
});

test('killed with -9 and started again, it still knows what was accepted', async () => {
  const sent = event();
  const first = start(['--data', directory]);
  expect((await post(`${await first.url}/events`, sent)).status).toBe(201);
  first.kill('SIGKILL');
  await first.ended;
  const second = start(['--data', directory]);
  expect((await post(`${await second.url}/events`, sent)).status).toBe(201);
  expect(reached).toHaveLength(1);
});

test.skipIf(!hasNamespaces)('killed in a container, it starts again on its volume', async () => {
  const sent = event();
  const first = start(['--data', directory], { isContained: true });
  expect((await post(`${await first.url}/events`, sent)).status).toBe(201);
  first.kill('SIGKILL');
  await first.ended;
  const second = start(['--data', directory], { isContained: true });
  expect((await post(`${await second.url}/events`, sent)).status).toBe(201);
  expect(reached).toHaveLength(1);
});

test('a second relay on its directory is one clear line and exit code 2, and SIGTERM gives the directory back', async () => {
  const first = start(['--data', directory]);
  await first.url;
  const second = start(['--data', directory]);
  expect(await second.ended).toBe(2);
  expect(second.output().trim()).toMatch(
    /^offerlet: \S+ is in use by process \d+\. Stop it, or give this relay another directory\.$/,
  );
  first.kill('SIGTERM');
  expect(await first.ended).toBe(0);
  const third = start(['--data', directory]);
  await third.url;
  expect(third.output()).not.toContain('Waiting');
});

test('a relay whose directory was removed ends with one line', async () => {
  const running = start(['--data', directory]);
  await running.url;
  await rm(directory, { recursive: true });
  expect(await running.ended).toBe(2);
  expect(running.output()).toMatch(/^offerlet: \S+ was removed, or its files were, while this process used it\./m);
});

test.each([
  ['staging', KEY, undefined],
  ['production', LIVE, undefined],
  ['production', KEY, /OFFERLET_API_KEY is a test key .* is a production network\. Use a live key/],
  ['staging', LIVE, /OFFERLET_API_KEY is a live key .* is a staging network\. Use a test key/],
])('before a %s network, the key %s is checked at the start', async (says, key, refusal) => {
  environment = says;
  const env = { OFFERLET_API_KEY: key };
  if (refusal) {
    const { code, stdout, stderr } = await refuse([], env);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(refusal)]);
    expect(stderr).not.toContain(key);
  } else {
    const running = start([], { env });
    expect((await fetch(`${await running.url}/health`)).status).toBe(200);
    expect(running.output()).not.toContain(key);
  }
});

test.each<[string, string[], Record<string, string>, RegExp]>([
  ['without a key', [], {}, /integration key is missing: set OFFERLET_API_KEY/],
  [
    'with the key of another environment',
    ['--environment', 'production'],
    { OFFERLET_API_KEY: KEY },
    /OFFERLET_API_KEY is a staging \(…_test_…\) key, but the environment is production/,
  ],
  [
    'with every origin allowed',
    ['--allow-origin', '*'],
    { OFFERLET_API_KEY: KEY },
    /--allow-origin contains "\*"\. Use exact origins/,
  ],
  [
    'with a URL that is not valid',
    ['--network', 'partner'],
    { OFFERLET_API_KEY: KEY },
    /--network is not a valid URL: "partner"\. Use something like "https:/,
  ],
])('%s it says what to use in one line and does not start', async (_, args, env, message) => {
  const { code, stdout, stderr } = await refuse(args, env);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(message);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

test('behind a web server, limits count by the address in its header', async () => {
  const { port } = new URL(await start(['--address-header', 'x-forwarded-for']).url);
  const requestFrom = (address: string): string =>
    `POST /events HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nX-Forwarded-For: 10.0.0.1, ${address}\r\nContent-Length: 0\r\n\r\n`;
  const flood = requestFrom('203.0.113.7').repeat(2_000) + requestFrom('203.0.113.8');
  const statuses = await new Promise<string[]>((resolve, reject) => {
    let got = '';
    const socket = connect(Number(port), '127.0.0.1', () => socket.end(flood));
    socket.on('data', (chunk) => (got += chunk.toString('latin1')));
    socket.on('error', reject);
    socket.on('close', () => resolve(got.match(/(?<=HTTP\/1\.1 )\d+/g) ?? []));
  });
  expect(statuses).toHaveLength(2_001);
  expect(statuses.slice(0, -1)).toContain('429');
  expect(statuses.at(-1)).toBe('400');
});

const PREFETCH = { ...REQUEST, order_details: { order_id: '1001' } };
const TOKEN = 'token-of-0123456789-abcdef';

test('backends of this machine prefetch on a separate port, which serves nothing else', async () => {
  const running = start(['--base-path', '/offers', '--prefetch-port', '0']);
  const url = await running.url;
  const { prefetchUrl } = JSON.parse(running.line()) as { prefetchUrl: string };
  expect(prefetchUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/prefetch$/);
  const response = await post(prefetchUrl, PREFETCH, { 'user-agent': 'Mozilla/5.0 (iPhone) Mobile' });
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect(await response.json()).toEqual({
    script: expect.stringMatching(/^<script type="application\/json" data-offerlet-offers>\{.*\}<\/script>$/),
    json: expect.objectContaining({ view: 'THANK_YOU', display_mode: 'INLINE', order_id: '1001', response: RESPONSE }),
    html: '', // the network has no offers
    style_hash: expect.stringMatching(/^sha256-/),
  });
  expect(reached).toEqual([`/recommendations ${KEY}`]);
  for (const headers of [{ 'sec-gpc': '1' }, { 'user-agent': 'Googlebot/2.1' }] as Record<string, string>[])
    expect((await post(prefetchUrl, PREFETCH, headers)).status).toBe(204);
  expect((await post(prefetchUrl, { ...PREFETCH, consent: false })).status).toBe(204);
  expect((await post(prefetchUrl, REQUEST)).status).toBe(204);
  expect(reached).toHaveLength(1);
  for (const path of ['/offers/recommendations', '/recommendations', '/health', '/prefetch/', '/prefetch?x=1'])
    expect((await post(prefetchUrl.replace('/prefetch', path), PREFETCH)).status).toBe(404);
  // The port that proxies forward to has no such path.
  for (const path of ['/prefetch', '/offers/prefetch'])
    expect((await post(url + path, PREFETCH, { authorization: 'Bearer ' })).status).toBe(404);
  running.kill('SIGTERM');
  expect(await running.ended).toBe(0);
});

test('with a token, backends of other machines prefetch below the base path', async () => {
  const env = { OFFERLET_API_KEY: KEY, OFFERLET_PREFETCH_TOKEN: TOKEN };
  const running = start(['--base-path', '/offers', '--allow-origin', 'https://shop.example'], { env });
  const path = `${await running.url}/offers/prefetch`;
  expect((await post(path, PREFETCH, { authorization: `Bearer ${TOKEN}` })).status).toBe(200);
  for (const authorization of ['', 'Bearer', `Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(1)}`, `bearer ${TOKEN}`, TOKEN])
    expect((await post(path, PREFETCH, { authorization })).status).toBe(401);
  expect(reached).toHaveLength(1);
  expect(running.output()).not.toContain(TOKEN);
  const { code, stderr } = await refuse([], { ...env, OFFERLET_PREFETCH_TOKEN: 'short' });
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('OFFERLET_PREFETCH_TOKEN is too short. Use 24 random characters or more.'),
  ]);
});

test('no browser can prefetch, whatever it sends', async () => {
  const env = { OFFERLET_API_KEY: KEY, OFFERLET_PREFETCH_TOKEN: TOKEN };
  const running = start(['--prefetch-port', '0', '--allow-origin', 'https://shop.example'], { env });
  const url = await running.url;
  const { prefetchUrl } = JSON.parse(running.line()) as { prefetchUrl: string };
  const authorization = `Bearer ${TOKEN}`;
  for (const target of [prefetchUrl, `${url}/prefetch`]) {
    for (const headers of [
      { origin: 'https://shop.example' },
      { origin: new URL(target).origin },
      { origin: 'null' },
      { 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-dest': 'document' },
    ] as Record<string, string>[])
      expect((await post(target, PREFETCH, { authorization, ...headers })).status).toBe(403);
    // A form, and an image.
    expect((await post(target, PREFETCH, { authorization, 'content-type': 'text/plain' })).status).toBe(415);
    expect((await fetch(target, { headers: { authorization } })).status).toBeGreaterThanOrEqual(400);
    const preflight = await fetch(target, { method: 'OPTIONS', headers: { origin: 'https://shop.example' } });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([403, null]);
  }
  // A name that its owner lets point to this machine.
  expect(await statusFor(prefetchUrl, 'rebound.example')).toBe(403);
  const forwarded = { 'x-forwarded-host': 'localhost', 'x-forwarded-for': '127.0.0.1', forwarded: 'host=localhost' };
  expect(await statusFor(prefetchUrl, 'rebound.example', forwarded)).toBe(403);
  expect(await statusFor(prefetchUrl, 'localhost')).toBe(200);
  expect(reached).toHaveLength(1);
});

/** The status of a prefetch that was sent to a host of this name. */
function statusFor(url: string, host: string, more: Record<string, string> = {}): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { ...more, host, 'content-type': 'application/json' };
    const call = httpRequest(url, { method: 'POST', headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    call.on('error', reject).end(JSON.stringify(PREFETCH));
  });
}
