import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { toNode, type LogEntry } from '../../src/relay.ts';
import { event, json, KEY, REQUEST, setUp, type ScriptedNetwork } from './scriptedNetwork.ts';
import { ofTest } from '../fixtures/opened.ts';
import { serve } from '../fixtures/serve.ts';

let network: ScriptedNetwork;
let logs: LogEntry[];
const served = ofTest(() => {
  const bench = setUp({ basePath: '/offers' });
  ({ network, logs } = bench);
  return serve(toNode(bench.relay));
});

/** What comes back for bytes written to the socket, until the server closes it. */
function raw(text: string): Promise<string> {
  return new Promise((resolve) => {
    let got = '';
    const socket = connect(served.port, '127.0.0.1', () => socket.write(text));
    socket.on('data', (chunk) => {
      got += chunk.toString();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(got));
  });
}

const BODY = JSON.stringify(REQUEST);
const post = (target: string, headers = '', body = BODY): string =>
  `POST ${target} HTTP/1.1\r\nHost: shop.example\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n${headers}\r\n${body}`;

test('the valid request that the ones below vary passes', async () => {
  expect(await raw(post('/offers/recommendations'))).toMatch(/^HTTP\/1\.1 200 /);
  expect(network.calls).toHaveLength(1);
});

test.each([
  '/recommendations',
  '/offers/..%2frecommendations',
  '/offers/%2e%2e/offers/recommendationsx',
  '/offers//recommendations',
  '//offers/recommendations',
  '/offers/recommendations/',
  '/offers/recommendations%00',
  '/offers/recommendations;x=1',
  '/offers/Recommendations',
  '/offers/%72ecommendations',
  '/offers/events/batch/../../adnet/publishers/add/',
  '/offers/events/../../../etc/passwd',
  '/offers/sandbox/clock',
  '/offers/http://evil.example/recommendations',
  '/offers\\recommendations',
  'http://evil.example/recommendations',
  'http://evil.example/offers/../recommendations',
])('the path %s is not forwarded', async (target) => {
  expect(await raw(post(target))).toMatch(/^HTTP\/1\.1 4\d\d /);
  expect(network.calls).toHaveLength(0);
});

test('of an absolute-form target only the path is used', async () => {
  expect(await raw(post('http://evil.example/offers/recommendations'))).toMatch(/^HTTP\/1\.1 200 /);
  expect(network.calls.map((call) => call.path)).toEqual(['/recommendations']);
});

test.each([
  'X-Forwarded-Host: evil.example',
  'X-Original-URL: /adnet/publishers/add/',
  'X-HTTP-Method-Override: DELETE',
  'x-api-key: adnet_rk_test_theirs',
  'version: 9.9.9',
  'Authorization: Bearer x',
  'Cookie: session=secret',
  'Forwarded: host=evil.example',
])('the header %s changes nothing upstream', async (header) => {
  expect(await raw(post('/offers/recommendations', `${header}\r\n`))).toMatch(/^HTTP\/1\.1 200 /);
  const sent = Object.fromEntries(network.calls[0]?.headers ?? []);
  expect(sent).toEqual({
    accept: 'application/json',
    'content-type': 'application/json',
    'x-api-key': KEY,
    version: '1.0.0',
    'x-request-id': expect.any(String),
  });
});

test.each([
  ['two lengths', 'Content-Length: 5\r\n'],
  ['a length and chunks', 'Transfer-Encoding: chunked\r\n'],
])('a smuggled request with %s is refused', async (_, header) => {
  expect(await raw(post('/offers/recommendations', header))).toMatch(/^(HTTP\/1\.1 400 |$)/);
  expect(network.calls).toHaveLength(0);
});

test.each([
  ['text/plain', 'Content-Type: text/plain'],
  ['a form', 'Content-Type: application/x-www-form-urlencoded'],
  ['no type', 'X-No: type'],
])('a body as %s is a 415, because forms of other sites can send it', async (_, header) => {
  const answer = await raw(
    `POST /offers/recommendations HTTP/1.1\r\nHost: shop.example\r\n${header}\r\nContent-Length: ${BODY.length}\r\nConnection: close\r\n\r\n${BODY}`,
  );
  expect(answer).toMatch(/^HTTP\/1\.1 415 /);
  expect(network.calls).toHaveLength(0);
});

test('a compressed body is a 415', async () => {
  expect(await raw(post('/offers/recommendations', 'Content-Encoding: gzip\r\n'))).toMatch(/^HTTP\/1\.1 415 /);
});

test.each([['{'], ['null'], ['"x"'], ['[]'], ['{"user_details":'], [`\uFEFF${BODY} x`]])(
  'a body that is not a JSON object is a 400: %s',
  async (body) => {
    expect(await raw(post('/offers/recommendations', '', body))).toMatch(/^HTTP\/1\.1 400 /);
    expect(network.calls).toHaveLength(0);
  },
);

test.each(['__proto__', 'constructor', 'toString'])('a field called %s pollutes nothing', async (name) => {
  const body = `{"user_details":{"email_hash":"x","${name}":{"polluted":true}},"placement_details":{"view":"THANK_YOU","display_mode":"INLINE"},"${name}":{"polluted":true},"attributes":{"${name}":{"polluted":true}}}`;
  expect(await raw(post('/offers/recommendations', '', body))).toMatch(/^HTTP\/1\.1 200 /);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  expect(Object.keys(network.calls[0]?.body ?? {})).not.toContain(name);
  expect(Object.keys(network.calls[0]?.body['user_details'] ?? {})).not.toContain('__proto__');
});

test('a request does not wait for 1,000 connections that send no end', async () => {
  const sockets = Array.from({ length: 1_000 }, () => connect(served.port, '127.0.0.1').on('error', () => undefined));
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
  for (const socket of sockets) socket.write('POST /offers/recommendations HTTP/1.1\r\nHost: a\r\n');
  expect(await raw(post('/offers/recommendations'))).toMatch(/^HTTP\/1\.1 200 /);
  expect(sockets.filter(({ destroyed, bytesRead }) => destroyed || bytesRead > 0)).toEqual([]);
  for (const socket of sockets) socket.destroy();
});

describe('the key', () => {
  test('occurs in no response and no line of log, whatever the network returns', async () => {
    const leaks: ((call: { headers: Headers }) => Promise<Response>)[] = [
      async () => json(200, { debug: KEY }),
      async () =>
        new Response(`<b>${KEY}</b>`, { status: 500, statusText: 'x', headers: { 'x-echo': KEY, 'retry-after': KEY } }),
      async () =>
        json(207, { results: [{ index: 0, success: false, error: { code: KEY, message: KEY, retryable: true } }] }),
      async () => json(201, { key: KEY }),
      async () => json(401, { detail: `Key ${KEY} is not valid` }),
      async () => Promise.reject(new Error(`connect failed for ${KEY} and jane@example.com`)),
    ];
    let out = '';
    for (const leak of leaks) {
      const bench = setUp();
      bench.network.respondWith(leak);
      for (const [path, body] of [
        ['/recommendations', REQUEST],
        ['/events', event()],
        ['/events/batch', { events: [event()] }],
        ['/nowhere', {}],
      ] as const) {
        const response = await bench.post(path, body);
        out += `${JSON.stringify(Object.fromEntries(response.headers))}${response.statusText}${await response.text()}`;
      }
      out += JSON.stringify([bench.logs, bench.metrics]);
    }
    expect(out).not.toContain(KEY);
    expect(out).not.toContain('jane@example.com');
  });

  test('in a response that accepts events is a 502, and their duplicates are recognized', async () => {
    const bench = setUp();
    bench.network.respondWith(() => json(202, { results: [{ index: 0, success: true }], debug: KEY }));
    const batch = { events: [event()] };
    expect((await bench.post('/events/batch', batch)).status).toBe(502);
    expect((await bench.post('/events/batch', batch)).status).toBe(202);
    expect(bench.network.calls).toHaveLength(1);
  });
});

test('logs contain ids, routes and times, and nothing personal', async () => {
  await raw(
    post(
      '/offers/recommendations',
      'Cookie: session=secret\r\n',
      JSON.stringify({ ...REQUEST, user_details: { email: 'jane@example.com', first_name: 'Jane' } }),
    ),
  );
  expect(logs).toEqual([
    {
      level: 'info',
      message: 'POST /recommendations',
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      route: '/recommendations',
      status: 200,
      ms: expect.any(Number),
    },
  ]);
});
