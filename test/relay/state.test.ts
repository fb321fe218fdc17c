// What a relay says of itself and of the network, as real calls found it.
import { expect, test, vi } from 'vitest';
import { createDedupeMemory } from '../../src/relay.ts';
import { accept, event, json, KEY, REQUEST, setUp, useFakeClock, type Bench } from './scriptedNetwork.ts';

async function stateOf({ relay }: Bench): Promise<unknown[]> {
  const ask = (path: string): Promise<Response> => relay(new Request(`https://shop.example${path}`));
  const [health, ready] = [await ask('/health'), await ask('/ready')];
  const { status, network } = (await ready.json()) as { status: string; network: string };
  return [health.status, ready.status, status, network];
}

test('the network is unknown before any call, and then what the calls found', async () => {
  const bench = setUp();
  const { network, post } = bench;
  expect(await stateOf(bench)).toEqual([200, 200, 'ok', 'unknown']);
  for (const status of [401, 403]) {
    network.respondWith(() => json(status, { message: 'Invalid key' }));
    expect((await post('/recommendations', REQUEST)).status).toBe(status);
    expect(await stateOf(bench)).toEqual([200, 503, 'not_ready', 'key_refused']);
  }
  network.respondWith(accept);
  await post('/recommendations', REQUEST);
  expect(await stateOf(bench)).toEqual([200, 200, 'ok', 'ok']);
  // One failure of many calls is none of the network.
  network.respondWith(() => json(500, { message: 'Oops' }));
  await post('/recommendations', REQUEST);
  expect(await stateOf(bench)).toEqual([200, 200, 'ok', 'ok']);
});

test('a network that never worked is failing, and a path that is refused is not hidden by one that works', async () => {
  const bench = setUp();
  const { network, post } = bench;
  network.respondWith(() => Promise.reject(new Error('no route')));
  await post('/events', event());
  expect(await stateOf(bench)).toEqual([200, 503, 'not_ready', 'failing']);
  network.respondWith((call) => (call.path === '/events' ? json(401, { message: 'Invalid key' }) : accept(call)));
  await post('/events', event());
  await post('/recommendations', REQUEST);
  expect(await stateOf(bench)).toEqual([200, 503, 'not_ready', 'key_refused']);
});

test('a failure is not the last word where nobody calls any more because of it', async () => {
  useFakeClock();
  const bench = setUp();
  const { network, post } = bench;
  const statuses = [401, 500] as const;
  for (const status of statuses) {
    network.respondWith(() => json(status, { message: 'No' }));
    await post('/recommendations', REQUEST);
    vi.advanceTimersByTime(59_000);
    expect(await stateOf(bench)).toEqual([200, 503, 'not_ready', status === 401 ? 'key_refused' : 'failing']);
    vi.advanceTimersByTime(1_001);
    expect(await stateOf(bench)).toEqual([200, 200, 'ok', 'unknown']);
  }
  network.respondWith(accept);
  await post('/recommendations', REQUEST);
  vi.advanceTimersByTime(3_600_000);
  expect(await stateOf(bench)).toEqual([200, 200, 'ok', 'ok']);
  vi.useRealTimers();
});

test('a refused key neither opens the circuit nor closes it', async () => {
  useFakeClock();
  const bench = setUp();
  const { network, post, counted } = bench;
  network.respondWith(() => json(401, { message: 'Invalid key' }));
  for (let at = 0; at < 30; at++) expect((await post('/recommendations', REQUEST)).status).toBe(401);
  network.respondWith(() => json(500, { message: 'Oops' }));
  while (counted('breaker_opened') === 0) await post('/recommendations', REQUEST);
  vi.advanceTimersByTime(10_001);
  network.respondWith(() => json(401, { message: 'Invalid key' }));
  expect((await post('/recommendations', REQUEST)).status).toBe(401);
  network.respondWith(() => json(500, { message: 'Oops' }));
  await post('/recommendations', REQUEST);
  // As after a probe that failed: a success would have closed it.
  while (counted('breaker_opened') === 1 && network.calls.length < 60) await post('/recommendations', REQUEST);
  expect(counted('breaker_opened')).toBe(2);
  expect(await stateOf(bench)).toEqual([200, 503, 'not_ready', 'failing']);
  vi.useRealTimers();
});

test('gauges say what is open, remembered and owed', async () => {
  const memory = createDedupeMemory();
  let isFull = false;
  const accepting = (...given: Parameters<typeof memory.accept>): void => {
    if (isFull) throw new Error('disk full');
    memory.accept(...given);
  };
  const { relay, network, post } = setUp({ dedupe: { ...memory, accept: accepting } });
  const gauge = (name: string, route?: string): number | undefined =>
    relay.gauges().find((each) => each.name === name && each.route === route)?.value;
  await post('/events', event());
  isFull = true;
  await post('/events', event());
  expect(['remembered_events', 'owed_events', 'network_down'].map((name) => gauge(name))).toEqual([1, 1, 0]);
  expect(gauge('circuit_open', '/events')).toBe(0);
  network.respondWith(() => json(500, {}));
  for (let at = 0; at < 25; at++) await post('/recommendations', REQUEST);
  expect(gauge('circuit_open', '/recommendations')).toBe(1);
  expect(gauge('network_down')).toBe(1);
});

test('each call of the network is measured, and one without a response has the status 0', async () => {
  const { network, post, metrics } = setUp();
  await post('/recommendations', REQUEST);
  network.respondWith(() => Promise.reject(new Error('no route')));
  await post('/events/batch', { events: [event()] });
  expect(metrics.filter(({ name }) => name === 'network_request')).toEqual([
    { name: 'network_request', value: expect.any(Number), route: '/recommendations', status: 200 },
    { name: 'network_request', value: expect.any(Number), route: '/events/batch', status: 0 },
  ]);
});

test('a traceparent is passed on, and nothing else in its place', async () => {
  const { network, post } = setUp();
  const good = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const bad = [
    '',
    KEY,
    `${good}-x`,
    good.toUpperCase(),
    `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
    'ada@shop.example',
    good.replace('00-', 'ff-'),
  ];
  for (const traceparent of [good, ...bad]) await post('/recommendations', REQUEST, { traceparent });
  expect(network.calls.map(({ headers }) => headers.get('traceparent'))).toEqual([good, ...bad.map(() => null)]);
});
