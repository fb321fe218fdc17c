// Several shops behind one relay: what belongs to one of them never serves another.
import { request } from 'node:http';
import { expect, test, vi } from 'vitest';
import {
  createDedupeMemory,
  createRelay,
  RelayConfigError,
  RelayError,
  toNode,
  type DedupeStore,
  type LogEntry,
  type PrefetchRequest,
  type Relay,
  type RelayMetric,
  type Shop,
  type ShopsOptions,
} from '../../src/relay.ts';
import { serve } from '../fixtures/serve.ts';
import { accept, createScriptedNetwork, event, json, REQUEST, RESPONSE, type Call } from './scriptedNetwork.ts';
import { posting } from '../fixtures/posting.ts';

const KEYS = { tea: 'adnet_rk_test_tea0123456789', coffee: 'adnet_rk_test_coffee0123456789' };
type Name = keyof typeof KEYS;
const SESSIONS: Record<string, string> = { [KEYS.tea]: 'session-tea', [KEYS.coffee]: 'session-coffee' };
const ORDER: PrefetchRequest = {
  user_details: REQUEST.user_details,
  placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' },
  order_details: { order_id: '1001' },
};

/** A relay for tea.example and coffee.example. `own` is what shop() returns besides name and key. */
function setUp(own: (name: Name, request: Request) => Partial<Shop> = () => ({}), common: Partial<ShopsOptions> = {}) {
  const network = createScriptedNetwork();
  const logs: LogEntry[] = [];
  const metrics: RelayMetric[] = [];
  const relay = createRelay({
    version: '1.0.0',
    networkUrl: 'https://network.example',
    fetch: network.fetch,
    onLog: (entry) => logs.push(entry),
    onMetric: (metric) => metrics.push(metric),
    shop(asked) {
      const name = new URL(asked.url).hostname.replace('.example', '');
      return name === 'tea' || name === 'coffee' ? { name, apiKey: KEYS[name], ...own(name, asked) } : undefined;
    },
    ...common,
  });
  return { network, relay, logs, metrics, keys: () => network.calls.map(keyOf) };
}

function keyOf({ headers }: Call): string | null {
  return headers.get('x-api-key');
}

function post(relay: Relay, host: string, path: string, body: unknown, headers: Record<string, string> = {}) {
  return relay(new Request(`https://${host}${path}`, posting(body, { ...headers })), { ip: '192.0.2.1' });
}

test('the same order, shopper and event at two shops are two, each with the key of its shop', async () => {
  const { relay, network, keys } = setUp();
  network.respondWith((call) =>
    call.path === '/recommendations'
      ? json(200, { ...RESPONSE, session_id: SESSIONS[keyOf(call) ?? ''] })
      : accept(call),
  );
  const seen = await Promise.all(
    ['tea', 'coffee', 'tea', 'coffee'].map(async (name) => {
      const response = await post(relay, `${name}.example`, '/recommendations', ORDER);
      return ((await response.json()) as typeof RESPONSE).session_id;
    }),
  );
  expect(seen).toEqual(['session-tea', 'session-coffee', 'session-tea', 'session-coffee']);
  expect(keys()).toHaveLength(2); // and each is remembered
  const one = event();
  for (const name of ['tea', 'coffee', 'tea', 'coffee'])
    expect((await post(relay, `${name}.example`, '/events', one)).status).toBe(201);
  expect(keys().slice(2)).toEqual([KEYS.tea, KEYS.coffee]);
});

test.each(['evil.example', 'tea.example.evil.example', 'xn--tea.example', '__proto__', 'constructor'])(
  'a request for %s is no shop’s: a 404 that nothing is sent for',
  async (host) => {
    const { relay, network, logs, metrics } = setUp();
    for (const path of ['/recommendations', '/events', '/events/batch']) {
      const response = await post(relay, host, path, ORDER, { 'x-forwarded-host': 'tea.example', 'x-shop': 'tea' });
      expect([response.status, response.headers.get('cache-control')]).toEqual([404, 'no-store']);
    }
    expect(await relay.prefetch(new Request(`https://${host}/thanks`), ORDER)).toBeUndefined();
    expect(network.calls).toEqual([]);
    expect(logs.map(({ code }) => code)).toEqual(Array(4).fill('unknown_shop'));
    expect(metrics.every(({ shop, status }) => shop === undefined && status === 404)).toBe(true);
    expect(await (await relay(new Request(`https://${host}/health`))).json()).toEqual({ status: 'ok' });
  },
);

test('context, authorize, records and origins are those of the request’s shop, even where they arrive together', async () => {
  const recorded: string[] = [];
  const { relay, network } = setUp((name, request) => {
    const asked = request.headers.get('x-order');
    return {
      allowedOrigins: [`https://pages.${name}.example`],
      // Both use the request that they were returned for, and are as slow as a database.
      authorize: async () => (request.headers.get('x-out') === null ? undefined : `Not at ${name}.`),
      onOffers: ({ order_id }) => void recorded.push(`${asked} ${order_id}`),
      context: async () => {
        await new Promise((resolve) => setTimeout(resolve, Number(asked) % 7));
        return { order_details: { order_id: `${name}-${asked}` } };
      },
    };
  });
  const asked = [...Array(40).keys()].map((at) => ({ name: at % 3 ? 'tea' : 'coffee', order: String(at) }) as const);
  await Promise.all(
    asked.map(({ name, order }) => post(relay, `${name}.example`, '/recommendations', REQUEST, { 'x-order': order })),
  );
  const sent = network.calls.map(
    (call) => `${keyOf(call)} ${(call.body['order_details'] as { order_id: string }).order_id}`,
  );
  expect(new Set(sent)).toEqual(new Set(asked.map(({ name, order }) => `${KEYS[name]} ${name}-${order}`)));
  await vi.waitFor(() => expect(recorded).toHaveLength(asked.length));
  expect(new Set(recorded)).toEqual(new Set(asked.map(({ name, order }) => `${order} ${name}-${order}`)));
  const out = await post(relay, 'tea.example', '/recommendations', REQUEST, { 'x-out': '1' });
  expect([out.status, await out.json()]).toEqual([401, { message: 'Not at tea.' }]);
});

test('a page of one shop may not use the relay as another', async () => {
  const { relay, network } = setUp((name) => ({ allowedOrigins: [`https://pages.${name}.example`] }));
  const from = { origin: 'https://pages.tea.example', 'sec-fetch-site': 'cross-site' };
  expect((await post(relay, 'tea.example', '/recommendations', ORDER, from)).status).toBe(200);
  expect((await post(relay, 'coffee.example', '/recommendations', ORDER, from)).status).toBe(403);
  expect(network.calls).toHaveLength(1);
});

test('limits, circuits, logs and metrics of one shop are no other’s', async () => {
  const { relay, network, logs, metrics } = setUp(() => ({
    rateLimit: { perAddress: { burst: 6, perSecond: 0.001 } },
  }));
  network.respondWith((call) => (keyOf(call) === KEYS.tea ? json(500, { message: KEYS.coffee }) : accept(call)));
  const statuses = [];
  for (let at = 0; at < 8; at++) statuses.push((await post(relay, 'tea.example', '/recommendations', ORDER)).status);
  expect(statuses.slice(-2)).toEqual([429, 429]);
  expect((await post(relay, 'coffee.example', '/recommendations', ORDER)).status).toBe(200);
  const coffee = metrics.filter(({ shop, name }) => shop === 'coffee' && name !== 'network_request');
  expect(coffee).toEqual([expect.objectContaining({ name: 'request', status: 200 })]);
  expect(new Set(logs.filter(({ level }) => level !== 'info').map(({ shop }) => shop))).toEqual(new Set(['tea']));
  for (const key of Object.values(KEYS)) expect(JSON.stringify([logs, metrics])).not.toContain(key);
});

test('a limiter of the merchant’s own gets the keys of each shop apart', async () => {
  const taken: string[] = [];
  const limiter = { take: (key: string) => (taken.push(key), 0) };
  const { relay } = setUp(undefined, { rateLimit: limiter });
  for (const name of ['tea', 'coffee']) await post(relay, `${name}.example`, '/recommendations', ORDER);
  expect(taken).toEqual(['tea 192.0.2.1', 'coffee 192.0.2.1']);
});

test('a shop whose options change with each request has no limits, which the log says', async () => {
  let at = 0;
  const { relay, logs } = setUp(() => ({ timeouts: { events: ++at < 3 ? 1_000 : 2_000 } }));
  for (let sent = 0; sent < 4; sent++) await post(relay, 'tea.example', '/events', event());
  expect(logs.filter(({ level }) => level === 'warn')).toEqual([
    expect.objectContaining({ shop: 'tea', message: expect.stringMatching(/limits and remembered offers begin anew/) }),
  ]);
});

test('a shop whose key changes goes on with the new one, and knows what was accepted', async () => {
  let apiKey = KEYS.tea;
  const { relay, keys } = setUp(() => ({ apiKey }));
  const one = event();
  await post(relay, 'tea.example', '/events', one);
  apiKey = 'adnet_rk_test_new0123456789';
  await post(relay, 'tea.example', '/events', one);
  await post(relay, 'tea.example', '/events', event());
  expect(keys()).toEqual([KEYS.tea, apiKey]);
});

test('stores are opened once a shop by its name, and one that two shops share is refused', async () => {
  const opened: string[] = [];
  const stores: Record<string, DedupeStore> = {};
  const { relay } = setUp(undefined, {
    dedupe: async (name) => (opened.push(name), (stores[name] = createDedupeMemory())),
  });
  await Promise.all(['tea', 'coffee', 'tea'].map((name) => post(relay, `${name}.example`, '/events', event())));
  expect(opened.toSorted()).toEqual(['coffee', 'tea']);
  const shared = createDedupeMemory();
  const { relay: mixed, network, logs } = setUp(() => ({ dedupe: shared }));
  expect((await post(mixed, 'tea.example', '/events', event())).status).toBe(201);
  expect((await post(mixed, 'coffee.example', '/events', event())).status).toBe(500);
  expect(network.calls).toHaveLength(1);
  expect(logs.at(-1)?.error).toMatch(/dedupe is the store of another shop\. Use one for each/);
});

test.each<[string, ShopsOptions['shop'], number, RegExp]>([
  ['throws', () => Promise.reject(new Error('database away')), 503, /database away/],
  ['returns no object', () => 'tea' as unknown as Shop, 503, /must return an object/],
  ['hangs', () => new Promise(() => undefined), 503, /in time/],
  ['refuses', () => Promise.reject(new RelayError('Closed.', { status: 403, code: 'closed' })), 403, /Closed/],
  ['returns no key', () => ({ name: 'tea', apiKey: undefined }), 500, /apiKey is missing/],
  ['returns a management key', () => ({ name: 'tea', apiKey: 'adnet_sk_test_canary' }), 500, /is a management key/],
  ['returns a path as a name', () => ({ name: '../tea', apiKey: KEYS.tea }), 500, /name of a shop must be/],
  ['misspells an option', () => ({ apiKey: KEYS.tea, apikey: '' }) as Shop, 500, /no option 'apikey'/],
])('a shop() that %s is an error that the log explains, without any key', async (_, shop, status, message) => {
  const { relay, network, logs } = setUp(undefined, { shop, timeouts: { context: 20 } });
  const response = await post(relay, 'tea.example', '/events', event());
  const text = await response.text();
  expect(response.status).toBe(status);
  // Pages keep their events, and come back.
  expect(response.headers.has('retry-after')).toBe(status === 503);
  expect(logs.at(-1)?.error).toMatch(message);
  expect(network.calls).toEqual([]);
  expect(text + JSON.stringify(logs)).not.toMatch(/adnet_\w+_\w|canary/);
});

test.each<[object, RegExp]>([
  [{ apiKey: KEYS.tea }, /apiKey belongs to one shop\. Return it from shop\(\) instead/],
  [{ dedupe: createDedupeMemory() }, /dedupe must be a function/],
  [{ shop: 'tea' }, /shop must be a function/],
  [{ basePath: 'offers' }, /basePath is not a path/],
])('%o stops the start of a relay for several shops', (bad, message) => {
  expect(() => setUp(undefined, bad)).toThrow(RelayConfigError);
  expect(() => setUp(undefined, bad)).toThrow(message);
});

test('behind node:http and for a page that is rendered, the shop is the one of the Host', async () => {
  const { relay, keys } = setUp();
  const server = await serve(toNode(relay));
  const { prefetch } = toNode(relay);
  const send = (host: string): Promise<number | undefined> =>
    new Promise((resolve) => {
      const body = JSON.stringify(ORDER);
      const headers = { host, 'content-type': 'application/json', 'content-length': body.length };
      const sent = request(`${server.url}/recommendations`, { method: 'POST', headers }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode));
      });
      sent.end(body);
    });
  const hosts = ['tea.example', 'COFFEE.example:443', 'evil.example', 'tea.example:99999', '1.2.3.999', '[::1'];
  const statuses = [];
  for (const host of hosts) statuses.push(await send(host));
  expect(statuses).toEqual([200, 200, 404, 404, 404, 404]);
  const another = { ...ORDER, order_details: { order_id: '1002' }, timeout: 60_000 };
  expect(await prefetch(new Request('https://coffee.example/thanks'), another)).toBeDefined();
  expect(keys()).toEqual([KEYS.tea, KEYS.coffee, KEYS.coffee]);
  await server.close();
});
