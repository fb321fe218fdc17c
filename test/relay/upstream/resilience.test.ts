import type { ServerResponse } from 'node:http';
import { afterEach, expect, test, vi } from 'vitest';
import { createRelay, type LogEntry, type Relay, type RelayOptions } from '../../../src/relay.ts';
import { accept, ask, RESPONSE, event, json, KEY, postTo, REQUEST, setUp, useFakeClock } from '../scriptedNetwork.ts';
import { freePort, serve, type Served } from '../../fixtures/serve.ts';

const open: Served[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const each of open.splice(0)) await each.close();
});

test('five failures in a row pause calls for ten seconds, then one request probes the network', async () => {
  useFakeClock();
  const { network, post, counted, relay } = setUp();
  network.respondWith(() => json(500, { message: 'Oops' }));
  for (let i = 0; i < 5; i++) expect((await ask(relay, { ip: `192.0.2.${i}` })).status).toBe(500);
  const paused = await post('/recommendations', REQUEST);
  expect([paused.status, paused.headers.get('retry-after')]).toEqual([503, '10']);
  expect(network.calls).toHaveLength(5);
  expect(counted('breaker_opened')).toBe(1);
  expect(await (await relay(new Request('https://shop.example/health'))).json()).toMatchObject({ network: 'failing' });

  vi.advanceTimersByTime(10_001);
  let answer: (response: Response) => void = () => undefined;
  network.respondWith(() => new Promise((resolve) => (answer = resolve)));
  const probe = post('/recommendations', REQUEST);
  await expect.poll(() => network.calls.length).toBe(6);
  expect((await post('/recommendations', REQUEST)).status).toBe(503);
  answer(json(200, RESPONSE));
  expect((await probe).status).toBe(200);
  network.respondWith(accept);
  expect((await post('/recommendations', REQUEST)).status).toBe(200);
});

test('the circuit of events leaves requests for offers alone, and /health names it', async () => {
  const { network, relay, post, counted } = setUp();
  const health = async (): Promise<unknown> => (await relay(new Request('https://shop.example/health'))).json();
  expect(await health()).toMatchObject({ status: 'ok', network: 'unknown' });
  network.respondWith((call) => (call.path === '/recommendations' ? accept(call) : json(500, { message: 'Oops' })));
  for (let i = 0; i < 20; i++) {
    const session_id = crypto.randomUUID();
    await post('/events/batch', { events: [event({ session_id })] });
  }
  expect((await post('/events/batch', { events: [event()] })).status).toBe(503);
  // What a paused network was not sent is not counted as sent.
  expect(counted('events_forwarded')).toBe(network.events().length);
  expect((await post('/recommendations', REQUEST)).status).toBe(200);
  expect(await health()).toMatchObject({ status: 'ok', network: 'failing' });
});

test('a probe that fails pauses calls again', async () => {
  useFakeClock();
  const { network, relay } = setUp();
  network.respondWith(() => json(503, { message: 'Later' }));
  for (let i = 0; i < 5; i++) await ask(relay, { ip: `192.0.2.${i}` });
  vi.advanceTimersByTime(10_001);
  expect((await ask(relay, { ip: '192.0.2.7' })).status).toBe(503);
  expect((await ask(relay, { ip: '192.0.2.8' })).headers.get('retry-after')).toBe('10');
  expect(network.calls).toHaveLength(6);
});

test.each([400, 401, 404, 422, 429])('a %i is a response and does not open the breaker', async (status) => {
  const { network, post } = setUp();
  network.respondWith(() => json(status, { message: 'No' }));
  for (let i = 0; i < 8; i++) await post('/recommendations', REQUEST);
  expect(network.calls.filter(({ path }) => path === '/recommendations')).toHaveLength(8);
});

test('with the first 401 the log says that key and network do not match', async () => {
  const { network, post, logs } = setUp();
  network.respondWith(({ path }) =>
    path === '/health' ? json(200, { environment: 'production' }) : json(401, { message: 'No' }),
  );
  for (let i = 0; i < 3; i++) await post('/recommendations', REQUEST);
  await vi.waitFor(() => expect(logs.map(({ error }) => error)).toContainEqual(expect.stringContaining('a live key')));
  expect(logs.filter(({ message }) => message === 'Key and network do not match.')).toHaveLength(1);
  const [health] = network.calls.filter(({ path }) => path === '/health');
  expect(health?.headers.get('x-api-key')).toBeNull();
});

test('a 502 with results is about events and does not open the breaker', async () => {
  const { network, post } = setUp();
  network.respondWith(() => json(502, { results: [{ index: 0, success: false }] }));
  for (let i = 0; i < 8; i++) await post('/events/batch', { events: [event()] });
  expect(network.calls).toHaveLength(8);
});

test('a session that reports more events than a shopper can cause is slowed down', async () => {
  const { post } = setUp({ rateLimit: { perSession: { burst: 30, perSecond: 1 } } });
  const batch = (session_id: string): object => ({ events: Array.from({ length: 20 }, () => event({ session_id })) });
  const [one, two] = [crypto.randomUUID(), crypto.randomUUID()];
  expect((await post('/events/batch', batch(one))).status).toBe(202);
  const refused = await post('/events/batch', batch(one));
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10']);
  expect((await post('/events/batch', batch(two))).status).toBe(202);
});

test("the merchant's own limiter is used, and false turns limits off", async () => {
  const asked: string[] = [];
  const own = setUp({
    rateLimit: { take: (_, kind, cost) => (asked.push(`${kind} ${cost}`), kind === 'session' ? 5_000 : 0) },
  });
  const refused = await own.post('/events', event());
  expect([refused.status, refused.headers.get('retry-after'), asked]).toEqual([429, '5', ['network 1', 'session 1']]);
  const free = setUp({ rateLimit: false });
  for (let i = 0; i < 20; i++) expect((await free.post('/events', event())).status).toBe(201);
});

test('a log or metric callback that throws does not fail a request', async () => {
  const fail = (): never => {
    throw new Error('no disk');
  };
  const { post } = setUp({ onLog: fail, onMetric: fail });
  expect((await post('/recommendations', REQUEST)).status).toBe(200);
});

// On Node the relay speaks node:http to the network, so these run on real sockets.
const relayTo = (url: string, timeouts = {}, onLog?: RelayOptions['onLog']): Relay =>
  createRelay({ apiKey: KEY, version: '1.0.0', networkUrl: url, timeouts, onLog });

test('over real sockets, the network gets the request and its response comes back', async () => {
  const requests: string[] = [];
  const network = await serve((request, response) => {
    requests.push(
      [
        request.method,
        request.url,
        request.headers['x-api-key'],
        request.headers['version'],
        request.headers['content-type'],
        request.headers['traceparent'],
      ].join(' '),
    );
    request
      .resume()
      .on('end', () =>
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ ...RESPONSE, text: 'Grüße' })),
      );
  });
  open.push(network);
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  const answer = await postTo(relayTo(`${network.url}/partner/v1/`), '/recommendations', REQUEST, {
    headers: { traceparent },
  });
  expect(await answer.json()).toEqual({ ...RESPONSE, text: 'Grüße' });
  expect(requests).toEqual([`POST /partner/v1/recommendations ${KEY} 1.0.0 application/json ${traceparent}`]);
});

test('a redirect carries nothing to another host', async () => {
  let strays = 0;
  const other = await serve((_, response) => {
    strays += 1;
    response.end('{}');
  });
  const network = await serve((_, response) => response.writeHead(307, { location: other.url }).end());
  open.push(other, network);
  const byFetch = createRelay({ apiKey: KEY, version: '1.0.0', networkUrl: network.url, fetch });
  for (const relay of [relayTo(network.url), byFetch]) expect((await ask(relay)).status).toBe(502);
  expect(strays).toBe(0);
});

test.each<[string, string, (response: ServerResponse) => void]>([
  ['is silent', '504 network_timeout', () => undefined],
  ['drips', '504 network_timeout', (response) => void response.writeHead(200).write('{')],
  ['hangs up', '502 network_unreachable', (response) => void response.destroy()],
  [
    'breaks off',
    '502 network_unreachable',
    (response) => void response.writeHead(200, { 'content-length': 100 }).write('{', () => response.destroy()),
  ],
  [
    'sends 2 MiB',
    '502 network_answer_unreadable',
    (response) => void response.writeHead(200).end(`{"pad":"${'x'.repeat(2 * 1024 * 1024)}"}`),
  ],
  [
    'compresses',
    '502 network_answer_unreadable',
    (response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'),
  ],
  [
    'switches protocols',
    '502 network_unreachable',
    (response) =>
      void response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
  ],
])('a network that %s is a %s after a single call', async (_, failure, behave) => {
  let asked = 0;
  const network = await serve((request, response) => {
    asked += 1;
    request.resume().on('end', () => behave(response));
  });
  open.push(network);
  // Long enough that a busy machine does not make a connection, or those that fail by themselves, late.
  const recommendations = failure.startsWith('504') ? 1_000 : 10_000;
  const logs: LogEntry[] = [];
  const { status } = await ask(relayTo(network.url, { recommendations }, (entry) => logs.push(entry)));
  expect([status, logs.at(-1)?.code].join(' ')).toBe(failure);
  expect(asked).toBe(1);
});

test.each(['identity', 'Identity', ''])(
  'a network that names the encoding "%s" compresses nothing',
  async (encoding) => {
    const network = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': encoding, 'content-type': 'application/json' });
      response.end(JSON.stringify(RESPONSE));
    });
    open.push(network);
    expect((await ask(relayTo(network.url))).status).toBe(200);
  },
);

test('a refused connection is a 502 after one retry, and no event counts as lost', async () => {
  const names: string[] = [];
  const relay = createRelay({
    apiKey: KEY,
    version: '1.0.0',
    networkUrl: `http://127.0.0.1:${await freePort()}`,
    onMetric: ({ name }) => names.push(name),
  });
  const answer = await postTo(relay, '/events', event());
  expect(answer.status).toBe(502);
  expect(names).toEqual(['events_forwarded', 'connection_retries', 'network_request', 'request']);
});
