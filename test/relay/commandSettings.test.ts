import { get, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { runCommand, type Ran } from '../fixtures/runCommand.ts';
import { serve, type Served } from '../fixtures/serve.ts';
import { buildCommand, type Command, type Running } from './command.ts';
import { event, KEY, REQUEST, RESPONSE } from './scriptedNetwork.ts';

const SECRET = 'context-secret-0123456789';
const BASE = { OFFERLET_API_KEY: KEY };

let command: Command;
let network: Served;
let shop: Served;
/** What reached the network. */
let bodies: { user_details?: unknown; order_details?: unknown; attributes?: { ip_address?: string } }[];
/** What reached the shop's backend, and what it responds. */
let asked: { headers: IncomingMessage['headers']; method: string | undefined; body: unknown }[];
let answer: (response: ServerResponse) => void;
const started: Running[] = [];

beforeAll(async () => {
  command = await buildCommand();
});
afterAll(() => command.remove());

/** Serves and collects the JSON of each request. */
function collect(into: (request: IncomingMessage, body: unknown) => void, respond: (response: ServerResponse) => void) {
  return serve((request, response) => {
    if (request.url === '/health') return void response.end(JSON.stringify({ status: 'ok', environment: 'staging' }));
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      into(request, JSON.parse(text));
      respond(response);
    });
  });
}

beforeEach(async () => {
  [bodies, asked] = [[], []];
  answer = (response) => response.end(JSON.stringify({ order_details: { order_id: '7' } }));
  network = await collect(
    (_, body) => bodies.push(body as object),
    (response) => {
      if (response.req.url === '/events') response.writeHead(201).end();
      else response.end(JSON.stringify(RESPONSE));
    },
  );
  shop = await collect(
    ({ headers, method }, body) => asked.push({ headers, method, body }),
    (response) => answer(response),
  );
});
afterEach(async () => {
  for (const each of started.splice(0)) {
    each.kill('SIGKILL');
    await each.ended;
  }
  await network.close();
  await shop.close();
});

const wordsOf = (args: string[]): string[] => ['relay', '--network', network.url, '--port', '0', '--json', ...args];

function start(args: string[], env: Record<string, string> = {}): Running {
  const running = command.start(wordsOf(args), { env: { ...BASE, ...env } });
  started.push(running);
  return running;
}

/** Runs the command in this process: one that refuses to start ends. */
function refuse(args: string[], env: Record<string, string> = {}): Promise<Ran> {
  return runCommand({ name: 'offerlet', commands: COMMANDS }, wordsOf(args), { env: { ...BASE, ...env } });
}

function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

describe('--context', () => {
  /** With time enough for a busy machine. */
  const env = (): Record<string, string> => ({
    OFFERLET_CONTEXT: shop.url,
    OFFERLET_CONTEXT_SECRET: SECRET,
    OFFERLET_TIMEOUT: 'context=10000',
  });
  /** What the page gets while the shop's backend responds like this. */
  async function statusWith(responds: (response: ServerResponse) => void): Promise<number> {
    answer = responds;
    const running = start([], env());
    const { status } = await post(`${await running.url}/recommendations`, REQUEST);
    return status;
  }

  test('the shop gets the secret, the cookies and the page’s request, and its response takes precedence', async () => {
    const running = start([], env());
    const guess = { ...REQUEST, order_details: { order_id: 'guessed' } };
    const response = await post(`${await running.url}/recommendations`, guess, {
      cookie: 'session=abc',
      authorization: 'Bearer of-the-page',
    });
    expect(await response.json()).toEqual(RESPONSE);
    expect(asked).toEqual([
      {
        method: 'POST',
        body: guess,
        headers: expect.objectContaining({
          authorization: `Bearer ${SECRET}`,
          cookie: 'session=abc',
          'content-type': 'application/json',
        }) as object,
      },
    ]);
    expect(bodies[0]?.order_details).toEqual({ order_id: '7' });
    // Events need no context.
    expect((await post(`${await running.url}/events`, event())).status).not.toBe(500);
    expect(asked).toHaveLength(1);
    expect(running.output()).not.toContain(SECRET);
    expect(running.output()).not.toContain('session=abc');
  });

  test('204 means that the shop knows nothing', async () => {
    expect(await statusWith((response) => response.writeHead(204).end())).toBe(200);
    expect(bodies[0]).toMatchObject(REQUEST);
  });

  test('a shop that is slower than 300 ms is a 504, unless another timeout is set', async () => {
    const waiting: ServerResponse[] = [];
    answer = (response) => void waiting.push(response);
    const running = start([], { ...env(), OFFERLET_TIMEOUT: '' });
    const url = `${await running.url}/recommendations`;
    const began = performance.now();
    expect((await post(url, REQUEST)).status).toBe(504);
    expect(performance.now() - began).toBeGreaterThan(290);
    expect(await statusWith((response) => void setTimeout(() => response.end('{}'), 500))).toBe(200);
    expect(bodies).toHaveLength(1);
  });

  test('a shop that fails, redirects or says something else is a 500, and nothing reaches the network', async () => {
    const responses: ((response: ServerResponse) => void)[] = [
      (response) => response.writeHead(500).end('{}'),
      (response) => response.writeHead(302, { location: shop.url }).end(),
      (response) => response.end('<html>'),
      (response) => response.end('[]'),
      (response) => response.end(JSON.stringify({ pad: 'x'.repeat(70_000) })),
      (response) => response.destroy(),
    ];
    const url = `${await start([], env()).url}/recommendations`;
    for (const respond of responses) {
      answer = respond;
      expect((await post(url, REQUEST)).status).toBe(500);
    }
    expect(bodies).toEqual([]);
    // The redirect was not followed.
    expect(asked).toHaveLength(responses.length);
  });

  test('with 403 the shop refuses the request', async () => {
    expect(await statusWith((response) => response.writeHead(403).end())).toBe(403);
    expect(bodies).toEqual([]);
  });

  test('a backend that prefetches is not called: it has already passed what it knows', async () => {
    const running = start(['--prefetch-port', '0'], env());
    await running.url;
    const { prefetchUrl } = JSON.parse(running.output().split('\n')[0] ?? '') as { prefetchUrl: string };
    expect((await post(prefetchUrl, { ...REQUEST, order_details: { order_id: '1' } })).status).toBe(200);
    expect(asked).toEqual([]);
  });
});

test('timeouts, limits and rate limits are those of createRelay, and one of each may be set', async () => {
  const running = start(['--limit', 'recommendationsBytes=400', '--rate-limit', 'perAddress=2/0.01'], {
    OFFERLET_TIMEOUT: 'recommendations=1000,events=5000',
  });
  const url = `${await running.url}/recommendations`;
  expect((await post(url, { ...REQUEST, pad: 'x'.repeat(500) })).status).toBe(413);
  expect((await post(url, REQUEST)).status).toBe(200);
  expect((await post(url, REQUEST)).status).toBe(429);
});

test('rate limits can be switched off', async () => {
  const { port } = new URL(await start([], { OFFERLET_RATE_LIMIT: 'off' }).url);
  // All at once, so that even a slow machine is faster than a bucket would fill.
  const one = 'POST /events HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 0\r\n\r\n';
  const statuses = await new Promise<string[]>((resolve, reject) => {
    let got = '';
    const socket = connect(Number(port), '127.0.0.1', () => socket.end(one.repeat(2_000)));
    socket.on('data', (chunk) => (got += chunk.toString('latin1')));
    socket.on('error', reject);
    socket.on('close', () => resolve(got.match(/(?<=HTTP\/1\.1 )\d+/g) ?? []));
  });
  expect(statuses).toHaveLength(2_000);
  expect(new Set(statuses)).toEqual(new Set(['400']));
});

test('the address of the shopper is sent on request', async () => {
  for (const args of [[], ['--forward-address']]) await post(`${await start(args).url}/recommendations`, REQUEST);
  expect(bodies.map(({ attributes }) => attributes?.ip_address)).toEqual([undefined, '127.0.0.1']);
});

test('metrics on this machine are read at its own names only: by rebinding, a page would have another', async () => {
  const running = start(['--metrics-port', '0']);
  await running.url;
  const { metricsUrl } = JSON.parse(running.output().split('\n')[0] ?? '') as { metricsUrl: string };
  const statusAt = (host: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      get(metricsUrl, { headers: { host } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).on('error', reject);
    });
  expect(await statusAt('localhost:9')).toBe(200);
  for (const host of ['evil.example', '127.0.0.1.evil.example', '192.168.0.1']) expect(await statusAt(host)).toBe(403);
});

test('metrics have a separate port, and every counter begins with 0', async () => {
  const running = start(['--metrics-port', '0']);
  const url = await running.url;
  const { metricsUrl } = JSON.parse(running.output().split('\n')[0] ?? '') as { metricsUrl: string };
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
  // Each line is one that Prometheus reads.
  for (const line of text.trimEnd().split('\n'))
    expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{(\w+="[\w.+/-]*",?)+\})? [\d.e+-]+)$/);
  const counts = [...text.matchAll(/_bucket\{route="recommendations",status="200",le="[^"]*"\} (\d+)/g)].map(Number);
  expect(counts).toEqual(counts.toSorted((a, b) => a - b));
  expect((await fetch(metricsUrl)).headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect((await fetch(metricsUrl, { method: 'POST' })).status).toBe(405);
  expect((await fetch(metricsUrl.replace('/metrics', '/health'))).status).toBe(404);
  expect((await fetch(`${url}/metrics`)).status).toBe(404);
});

test.each<[string[], Record<string, string>, RegExp]>([
  [['--context', 'shop.example/context'], { OFFERLET_CONTEXT_SECRET: SECRET }, /--context is not a URL/],
  [['--context', 'http://user:password@a.example'], { OFFERLET_CONTEXT_SECRET: SECRET }, /--context is not a URL/],
  [['--context', 'http://a.example'], { OFFERLET_CONTEXT_SECRET: SECRET }, /--context is not https, so the secret/],
  [['--context', 'https://a.example'], {}, /OFFERLET_CONTEXT_SECRET is missing. Use 24 random characters or more/],
  [['--context', 'http://shop:3000'], { OFFERLET_CONTEXT_SECRET: 'short' }, /OFFERLET_CONTEXT_SECRET is too short/],
  [['--timeout', 'recommendations'], {}, /--timeout is not a name and a whole number: "recommendations"/],
  [['--timeout', 'offers=5'], {}, /--timeout has no 'offers'. It takes recommendations, events/],
  [['--timeout', 'events=0'], {}, /--timeout events must be a number of milliseconds between 1 and/],
  [['--limit', 'answerBytes=1e9'], {}, /--limit is not a name and a whole number/],
  [['--rate-limit', 'perAddress=5'], {}, /--rate-limit is not a name, a burst and a rate: "perAddress=5"/],
  [['--rate-limit', 'perSession=5/1'], {}, /--rate-limit perSession burst is 5, so a batch of 20 events/],
  [['--redis', 'http://127.0.0.1'], {}, /--redis is not a Redis URL/],
  [['--data', 'unused', '--redis', 'redis://127.0.0.1'], {}, /--data and --redis are two places for the same events/],
  [['--redis', 'redis://:hidden@127.0.0.1:1'], {}, /Redis at 127\.0\.0\.1:1 does not respond/],
])('%j stops the start with one line that says what to write', async (args, env, message) => {
  const { code, stdout, stderr } = await refuse(args, env);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(message);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect(stderr).not.toContain('hidden');
});
