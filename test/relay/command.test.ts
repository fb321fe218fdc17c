import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { get, request } from 'node:http';
import { once } from 'node:events';
import { connect } from 'node:net';
import { json } from 'node:stream/consumers';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ofSuite } from '../fixtures/opened.ts';
import { makeFolder } from '../fixtures/makeFolder.ts';
import { hasNamespaces } from '../lock/contenders.ts';
import { buildCommand, type Running } from './command.ts';
import { posting } from '../fixtures/posting.ts';
import { allAccepted } from '../wire/offers/wholeResponse.ts';
import { RESPONSE, event, KEY, REQUEST } from './scriptedNetwork.ts';
import { serve, type Served } from '../fixtures/serve.ts';
import { readLedger } from '../../src/relay.ts';

const command = ofSuite(buildCommand);
let network: Served;
let directory: string;
/** What the network's `/health` says. */
let environment: string;
/** Paths that reached the network, and the key that came with each. */
let reached: string[];
/** The shopper's address in each request for offers. */
let addresses: (string | undefined)[];
const started: Running[] = [];

beforeEach(async () => {
  environment = 'staging';
  [reached, addresses] = [[], []];
  directory = makeFolder();
  network = await serve((request, response) => {
    if (request.url === '/health') return void response.end(JSON.stringify({ status: 'ok', environment }));
    reached.push(`${request.url} ${String(request.headers['x-api-key'])}`);
    const status = request.url === '/events' ? 201 : 200;
    void json(request).then((body) => {
      const { attributes } = body as { attributes?: { ip_address?: string } };
      if (status === 200) addresses.push(attributes?.ip_address);
      response.writeHead(status).end(status === 201 ? '' : JSON.stringify(RESPONSE));
    });
  });
});
afterEach(async () => {
  for (const each of started.splice(0)) {
    each.kill('SIGKILL');
    await each.ended;
  }
  await network.close();
});

function start(args: string[], how: { env?: Record<string, string>; isContained?: boolean } = {}): Running {
  const env = how.env ?? { OFFERLET_API_KEY: KEY };
  const words = ['relay', '--network', network.url, '--port', '0', '--json', ...args];
  const running = command.start(words, { ...how, env });
  started.push(running);
  return running;
}

const post = (address: string, body: unknown, headers?: Record<string, string>): Promise<Response> =>
  fetch(address, posting(body, headers));

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

test('on SIGTERM it does not wait for a network that never responds', async () => {
  await network.close();
  let waiting = 0;
  network = await serve(({ url }, response) => {
    if (url === '/health') response.end(JSON.stringify({ status: 'ok', environment }));
    else waiting += 1;
  });
  const running = start(['--timeout', 'recommendations=120000']);
  const asked = post(`${await running.url}/recommendations`, REQUEST).catch(() => 'cut');
  await expect.poll(() => waiting).toBe(1);
  running.kill('SIGTERM');
  expect([await running.ended, await asked]).toEqual([0, 'cut']);
});

test('the first line that people read is the URL of the relay, base path included', async () => {
  const args = ['relay', '--network', network.url, '--port', '0', '--base-path', '/offers/'];
  const running = command.start(args, { env: { OFFERLET_API_KEY: KEY } });
  started.push(running);
  const url = await running.url;
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/offers$/);
  expect(await (await post(`${url}/recommendations`, REQUEST)).json()).toEqual(RESPONSE);
});

test('a second relay on its directory is one clear line and exit code 2, and SIGTERM gives the directory back', async () => {
  const first = start(['--data', directory]);
  await first.url;
  const second = start(['--data', directory]);
  expect(await second.ended).toBe(2);
  expect(second.output().trim()).toMatch(
    /^\{"error":\{"code":"usage","message":"\S+ is in use by process \d+\. Stop it, or give this relay another directory\."/,
  );
  first.kill('SIGTERM');
  expect(await first.ended).toBe(0);
  const third = start(['--data', directory]);
  await third.url;
  expect(third.output()).not.toContain('Waiting');
});

test('killed with -9, it knows what was accepted, and counts what was on its way when it is sent again', async () => {
  await network.close();
  let [stored, hangs] = [0, false];
  network = await serve((request, response) => {
    if (request.url === '/health') return void response.end(JSON.stringify({ status: 'ok', environment }));
    void json(request).then((body) => {
      const { events } = body as { events: unknown[] };
      stored += events.length;
      if (!hangs) response.writeHead(202).end(JSON.stringify(allAccepted(events)));
    });
  });
  const args = ['--data', directory, '--metrics-port', '0'];
  const [known, ...lost] = Array.from({ length: 6 }, () => ({ events: [event(), event(), event()] }));
  const first = start(args, { isContained: hasNamespaces });
  const batches = `${await first.url}/events/batch`;
  expect((await post(batches, known)).status).toBe(202);
  hangs = true;
  const waiting = lost.map((batch) => post(batches, batch).catch(() => undefined));
  await expect.poll(() => stored).toBe(18);
  first.kill('SIGKILL');
  await Promise.all([first.ended, ...waiting]);

  hangs = false;
  const second = start(args, { isContained: hasNamespaces });
  for (const batch of [known, ...lost, ...lost, { events: [event()] }])
    expect((await post(`${await second.url}/events/batch`, batch)).status).toBe(202);
  expect(stored).toBe(18 + 15 + 1);
  const { metricsUrl } = JSON.parse(second.line()) as { metricsUrl: string };
  expect(await (await fetch(metricsUrl)).text()).toMatch(/^offerlet_relay_possible_duplicates_total 15$/m);
});

test('a relay whose directory was removed ends with one line', async () => {
  const running = start(['--data', directory]);
  await running.url;
  await rm(directory, { recursive: true });
  expect(await running.ended).toBe(2);
  expect(running.output()).toMatch(/"message":"\S+ was removed, or its files were, while this process used it\./);
});

test('behind a web server, limits count by the address in its header, and can be switched off', async () => {
  const requestFrom = (address: string): string =>
    `POST /events HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nX-Forwarded-For: 10.0.0.1, ${address}\r\nContent-Length: 0\r\n\r\n`;
  const portions = [...Array<string>(40).fill(requestFrom('203.0.113.7').repeat(50)), requestFrom('203.0.113.8')];
  for (const limit of ['perAddress=600/100', 'off']) {
    const { port } = new URL(await start(['--address-header', 'X-Forwarded-For', '--rate-limit', limit]).url);
    const socket = connect(Number(port), '127.0.0.1');
    const statuses: string[] = [];
    for (const portion of portions) {
      const expected = statuses.length + (portion.match(/POST/g) ?? []).length;
      let got = '';
      socket.write(portion);
      while (statuses.length < expected) {
        const [chunk] = (await once(socket, 'data')) as [Buffer];
        got += chunk.toString('latin1');
        const whole = got.match(/(?<=HTTP\/1\.1 )\d+/g) ?? [];
        if (whole.length === expected - statuses.length) statuses.push(...whole);
      }
    }
    socket.destroy();
    expect(statuses).toHaveLength(2_001);
    expect(statuses.slice(0, -1).includes('429')).toBe(limit !== 'off');
    expect(statuses.at(-1)).toBe('400');
  }
});

test('timeouts, limits and addresses are those of createRelay, and a shop has 300 ms to say what it knows', async () => {
  const env = { OFFERLET_API_KEY: KEY, OFFERLET_CONTEXT_SECRET: 'context-secret-0123456789' };
  const limited = await start(['--limit', 'recommendationsBytes=400', '--timeout', 'recommendations=1000'], { env })
    .url;
  expect((await post(`${limited}/recommendations`, { ...REQUEST, pad: 'x'.repeat(500) })).status).toBe(413);
  await post(`${limited}/recommendations`, REQUEST);
  await post(`${await start(['--forward-address'], { env }).url}/recommendations`, REQUEST);
  expect(addresses).toEqual([undefined, '127.0.0.1']);
  const shop = await serve(() => undefined);
  const asking = await start(['--context', shop.url], { env }).url;
  const began = performance.now();
  expect((await post(`${asking}/recommendations`, REQUEST)).status).toBe(504);
  expect(performance.now() - began).toBeGreaterThan(290);
  await shop.close();
});

test('metrics have a separate port, read at names of this machine, and every counter begins with 0', async () => {
  const running = start(['--metrics-port', '0']);
  const url = await running.url;
  const { metricsUrl } = JSON.parse(running.line()) as { metricsUrl: string };
  const read = async (): Promise<string> => (await fetch(metricsUrl)).text();
  expect(await read()).toContain('offerlet_relay_events_forwarded_total 0\n');
  await post(`${url}/recommendations`, REQUEST);
  await post(`${url}/recommendations`, {});
  await post(`${url}/unknown`, {});
  const text = await read();
  const request = 'offerlet_relay_request_duration_seconds';
  expect(text).toContain(`${request}_count{route="recommendations",status="200"} 1\n`);
  expect(text).toContain(`${request}_bucket{route="recommendations",status="400",le="+Inf"} 1\n`);
  expect(text).toContain(`${request}_count{route="none",status="404"} 1\n`);
  expect(text).toContain('offerlet_relay_network_duration_seconds_count{route="recommendations",status="200"} 1\n');
  expect(text).toMatch(/^offerlet_relay_circuit_open\{route="events"\} 0$/m);
  expect(text).toMatch(/^offerlet_build_info\{version="[^"]+",node="v[\d.]+"\} 1$/m);
  expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
  // Each line is one that Prometheus reads.
  for (const line of text.trimEnd().split('\n'))
    expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{(\w+="[\w.+/-]*",?)+\})? [\d.e+-]+)$/);
  const counts = [...text.matchAll(/_bucket\{route="recommendations",status="200",le="[^"]*"\} (\d+)/g)].map(Number);
  expect(counts).toEqual(counts.toSorted((a, b) => a - b));
  expect((await fetch(metricsUrl)).headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect((await fetch(metricsUrl, { method: 'POST' })).status).toBe(405);
  expect((await fetch(metricsUrl.replace('/metrics', '/health'))).status).toBe(404);
  expect((await fetch(`${url}/metrics`)).status).toBe(404);
  expect(await statusAt(metricsUrl, 'localhost:9')).toBe(200);
  // By DNS rebinding, a page would have another name.
  for (const host of ['evil.example', '127.0.0.1.evil.example', '192.168.0.1'])
    expect(await statusAt(metricsUrl, host)).toBe(403);
});

/** The status of a GET that was sent to a host of this name. */
function statusAt(url: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on('error', reject);
  });
}

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
    style_hash: expect.stringMatching(/^'sha256-/),
  });
  expect(reached).toEqual([`/recommendations ${KEY}`]);
  for (const headers of [{ 'sec-gpc': '1' }, { 'user-agent': 'Googlebot/2.1' }] as Record<string, string>[])
    expect((await post(prefetchUrl, PREFETCH, headers)).status).toBe(204);
  expect((await post(prefetchUrl, { ...PREFETCH, consent: false })).status).toBe(204);
  expect((await post(prefetchUrl, REQUEST)).status).toBe(204);
  expect(reached).toHaveLength(1);
  for (const path of ['/offers/recommendations', '/recommendations', '/health', '/prefetch/', '/prefetch?x=1'])
    expect((await post(prefetchUrl.replace('/prefetch', path), PREFETCH)).status).toBe(404);
  const browser = { origin: new URL(prefetchUrl).origin };
  expect((await post(prefetchUrl, PREFETCH, browser)).status).toBe(403);
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
  const browser = { authorization: `Bearer ${TOKEN}`, origin: 'https://shop.example' };
  expect((await post(path, PREFETCH, browser)).status).toBe(403);
  for (const authorization of ['', 'Bearer', `Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(1)}`, `bearer ${TOKEN}`, TOKEN])
    expect((await post(path, PREFETCH, { authorization })).status).toBe(401);
  expect(reached).toHaveLength(1);
  expect(running.output()).not.toContain(TOKEN);
});

const DATES = { from: '2026-01-01', to: '2099-01-01' };
const SHOP_KEYS = { tea: 'adnet_rk_test_tea0123456789', coffee: 'adnet_rk_test_coffee0123456789' };

/** Posts to the relay as the web server of a host does. */
function postFrom(host: string, url: string, body: unknown, headers: Record<string, string> = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const text = JSON.stringify(body);
    const all = { host, 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...headers };
    const sent = request(url, { method: 'POST', headers: all }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', reject).end(text);
  });
}

test('several shops are served from a file, each with its own key, store, records and metrics', async () => {
  const [file, keyFile, records] = ['shops.json', 'coffee.key', 'records.jsonl'].map((name) => join(directory, name));
  await writeFile(`${keyFile}`, `${SHOP_KEYS.coffee}\n`, { mode: 0o600 });
  const shops = {
    tea: { hosts: ['tea.example'], apiKey: SHOP_KEYS.tea, prefetchToken: TOKEN },
    coffee: { hosts: ['coffee.example'], apiKeyFile: 'coffee.key', basePath: '/kaffee' },
  };
  await writeFile(`${file}`, JSON.stringify(shops), { mode: 0o600 });
  const args = [
    '--shops',
    `${file}`,
    '--base-path',
    '/offers',
    '--data',
    join(directory, 'data'),
    '--metrics-port',
    '0',
  ];
  const running = start([...args, '--events-to', `${records}`, '--prefetch-port', '0'], { env: {} });
  const url = await running.url;
  const { metricsUrl, prefetchUrl } = JSON.parse(running.line()) as { metricsUrl: string; prefetchUrl: string };
  const sent = event();
  for (const [host, path] of [
    ['tea.example', '/offers'],
    ['coffee.example:443', '/kaffee'],
    ['tea.example', '/offers'],
  ] as const)
    expect(await postFrom(host, `${url}${path}/events`, sent)).toBe(201);
  expect(reached).toEqual([`/events ${SHOP_KEYS.tea}`, `/events ${SHOP_KEYS.coffee}`]);
  for (const [host, path] of [
    ['evil.example', '/offers'],
    ['coffee.example', '/offers'],
    ['tea.example', '/kaffee'],
  ] as const)
    expect(await postFrom(host, `${url}${path}/events`, event())).toBe(404);
  // A token and a path of one shop are no other's.
  const token = { authorization: `Bearer ${TOKEN}` };
  expect(await postFrom('tea.example', `${url}/offers/prefetch`, PREFETCH, token)).toBe(200);
  expect(await postFrom('coffee.example', `${url}/kaffee/prefetch`, PREFETCH, token)).toBe(404);
  expect((await post(`${prefetchUrl}/coffee`, PREFETCH)).status).toBe(200);
  expect((await post(prefetchUrl, PREFETCH)).status).toBe(404);
  expect(reached.slice(2)).toEqual([`/recommendations ${SHOP_KEYS.tea}`, `/recommendations ${SHOP_KEYS.coffee}`]);
  expect((await fetch(`${url}/offers/health`)).status).toBe(200);
  const text = await (await fetch(metricsUrl)).text();
  for (const shop of ['tea', 'coffee']) expect(text).toContain(`events_forwarded_total{shop="${shop}"} 1\n`);
  running.kill('SIGTERM');
  expect(await running.ended).toBe(0);
  const lines = (await readFile(`${records}`, 'utf8')).trimEnd().split('\n');
  const told = lines.map((line) => JSON.parse(line) as { shop: string; events?: unknown[]; offers?: unknown[] });
  expect(told.map(({ shop, events }) => [shop, events?.length])).toEqual([
    ['tea', 1],
    ['coffee', 1],
    ['tea', undefined],
    ['coffee', undefined],
  ]);
  expect((await stat(`${records}`)).mode & 0o777).toBe(0o600);
  for (const shop of ['tea', 'coffee'])
    expect((await readLedger(join(directory, 'data', shop), DATES)).rows).toContainEqual(
      expect.objectContaining({ name: 'BRAND_DISPLAY', count: 1 }),
    );
  expect(running.output() + text + lines.join('')).not.toMatch(/adnet_rk/);
});

test('a key file is used, and one that everybody can read is named', async () => {
  const file = join(directory, 'key');
  await writeFile(file, `${KEY}\n`);
  const running = start(['--api-key-file', file], { env: {} });
  expect((await post(`${await running.url}/recommendations`, REQUEST)).status).toBe(200);
  expect(reached).toEqual([`/recommendations ${KEY}`]);
  expect(running.output()).toMatch(/Every account of this machine can read the key in/);
  expect(running.output()).not.toContain(KEY);
});
