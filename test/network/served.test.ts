import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { SERVER_OPTIONS, type Listening } from '../../src/program/listen.ts';
import { serve } from '../../src/sandbox/startNetwork.ts';
import { createNetwork, type Network } from '../../src/network.ts';
import type { NetworkLogEntry } from '../../src/network/createFetch.ts';
import { pageAt } from '../docs/pages.ts';
import { ask, testNetworkOf } from './testNetwork.ts';

let network: Network;
let server: Listening;
const lines: NetworkLogEntry[] = [];
beforeAll(async () => {
  network = await createNetwork({
    memory: true,
    seed: 'empty',
    controlHosts: ['CI.example:80'],
    log: (entry) => lines.push(entry),
  });
  server = await serve((request, from) => network.fetch(request, from), { port: 0 });
});
afterAll(() => network.close());

const fault = (fields: Record<string, unknown>): Promise<unknown> =>
  testNetworkOf(network).control('POST', '/sandbox/faults', { route: '/recommendations', ...fields });
const post = (path: string, body: BodyInit, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(server.url + path, {
    method: 'POST',
    body,
    headers: {
      'x-api-key': network.describe().keys.integration ?? '',
      version: '1.0.0',
      'content-type': 'application/json',
      ...headers,
    },
  });

test('the keys of --json are those on its page', () => {
  const [, keys = ''] = /With `--json`, [^{]*`(\{.*?\})`/.exec(pageAt('docs/operators/network.md').text) ?? [];
  const documented = [...keys.matchAll(/"(\w+)"/g)].map(([, key = '']) => key);
  expect(documented.toSorted()).toEqual(['url', ...Object.keys(network.describe())].toSorted());
});

test('a dropped connection has no response, and the next request has one', async () => {
  await fault({ drop_connection: true });
  await expect(post('/recommendations', JSON.stringify(ask()))).rejects.toThrow('fetch failed');
  expect((await post('/recommendations', JSON.stringify(ask()))).status).toBe(200);
});

test('a body over the limit is a 413 before all of it has arrived', async () => {
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(16_384).fill(32)),
  });
  const request = { method: 'POST', body: endless, duplex: 'half' } as RequestInit;
  const { keys } = network.describe();
  const headers = { 'x-api-key': keys.integration ?? '', version: '1.0.0', 'content-type': 'application/json' };
  // The server responds and closes the connection while the client still sends; the client may see either first.
  const status = await fetch(`${server.url}/events/batch`, { ...request, headers }).then(
    (answer) => answer.status,
    () => 413,
  );
  expect(status).toBe(413);
  await vi.waitFor(() => expect(lines.at(-1)).toMatchObject({ route: '/events/batch', status: 413 }));
});

test('R25 three filters of 250 long values each fit into one URL', async () => {
  const values = (width: number): string =>
    Array.from({ length: 250 }, (_, at) => String(at).padEnd(width, 'x')).join();
  const ids = Array.from({ length: 250 }, () => randomUUID()).join();
  const query = `page_types=${values(64)}&widget_types=${values(64)}&publisher_ids=${ids}`;
  const headers = { 'x-api-key': network.describe().keys.management ?? '' };
  const answer = await fetch(`${server.url}/adnet/reporting/v2/report/?${query}`, { headers });
  expect(await answer.json()).toMatchObject({ code: 'REPORTING_DATA_UNAVAILABLE' });
});

/** Sends exactly these headers: `fetch` sets Host itself. */
async function get(path: string, headers: Record<string, string>): Promise<{ status: number; text: string }> {
  const [response] = (await once(request(server.url + path, { headers }).end(), 'response')) as [IncomingMessage];
  let text = '';
  for await (const part of response.setEncoding('utf8')) text += part;
  return { status: response.statusCode ?? 0, text };
}

test('a Host header that makes no URL is a 400', async () => {
  expect((await get('/health', { host: '127.999.1.1' })).status).toBe(400);
});

test('tools of this machine and a host name of controlHosts use the controls, a page under DNS rebinding does not', async () => {
  const control = '/sandbox/health';
  for (const host of [new URL(server.url).host, 'ci.example:4600'])
    expect((await get(control, { host })).status, host).toBe(200);
  const host = 'rebound.example:4600';
  const refused = await get(control, { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' });
  expect(refused).toEqual({ status: 403, text: expect.stringContaining('--control-host rebound.example') });
});

test('the public interfaces respond under any host name, through any proxy', async () => {
  const headers = { host: 'network.example', 'x-forwarded-for': '203.0.113.7', origin: 'https://shop.example' };
  expect((await get('/health', headers)).status).toBe(200);
  const key = network.describe().keys.management ?? '';
  expect((await get('/adnet/channel/details/', { ...headers, 'x-api-key': key })).status).toBe(200);
});

test('a control host that is not a host name is refused at the start', async () => {
  await expect(createNetwork({ memory: true, controlHosts: ['https://ci.example/'] })).rejects.toThrow(
    'controlHosts is not a host name: "https://ci.example/"',
  );
});

test('a server on every address prints a URL at which the controls may be called', async () => {
  const everywhere = await serve((request, from) => network.fetch(request, from), { port: 0, host: '0.0.0.0' });
  expect(everywhere.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect((await fetch(`${everywhere.url}/sandbox/health`)).status).toBe(200);
  await everywhere.close();
});

test('a client that never finishes its request is cut off', async () => {
  const usual = { ...SERVER_OPTIONS };
  Object.assign(SERVER_OPTIONS, { requestTimeout: 200, headersTimeout: 200, connectionsCheckingInterval: 50 });
  const hasty = await serve((request, from) => network.fetch(request, from), { port: 0 });
  Object.assign(SERVER_OPTIONS, usual);
  const socket = connect(Number(new URL(hasty.url).port), '127.0.0.1');
  const key = network.describe().keys.integration ?? '';
  const head = [
    'POST /events HTTP/1.1',
    'host: x',
    `x-api-key: ${key}`,
    'version: 1.0.0',
    'content-type: application/json',
  ];
  socket.write(`${head.join('\r\n')}\r\ncontent-length: 100\r\n\r\n{"`);
  let said = '';
  socket.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await once(socket, 'close');
  expect(said.split('\r\n', 1)[0]).toMatch(/ 408 |^$/);
  await hasty.close();
});

test('the log has route and status, but no key, URL, address or anything about the shopper', async () => {
  lines.length = 0;
  const answer = await post('/recommendations?secret=in-the-query', JSON.stringify(ask()));
  const text = JSON.stringify(lines);
  // What an earlier test sent may be logged meanwhile.
  const id = answer.headers.get('x-request-id');
  expect(lines.filter(({ request_id }) => request_id === id)).toEqual([
    {
      at: expect.stringMatching(/Z$/),
      level: 'info',
      message: 'responded',
      request_id: id,
      route: '/recommendations',
      method: 'POST',
      status: 200,
      ms: expect.any(Number),
    },
  ]);
  expect(text).not.toMatch(/jane|adnet_|in-the-query|127\.0/);
});
