import { afterEach, describe, expect, test, vi } from 'vitest';
import type { DedupeStore } from '../../../src/relay.ts';
import { KeyTable, senderNumber } from '../../../src/relay/dedupe/keyTable.ts';
import { accept, ask, event, json, postTo, REQUEST, setUp, useFakeClock, type Bench } from '../scriptedNetwork.ts';

afterEach(() => void vi.useRealTimers());

/** The addresses of one customer of a provider: each in another /64 of one /48 network. */
const addressOf = (index: number): string => `2001:db8:7:${index.toString(16)}::1`;
const SHOPPER = '2001:db8:8:1::1';

/** A memory with a known salt: with a random one, one in 4,096 runs has two clients that share a number. */
function memoryOf(max: number): DedupeStore {
  const table = new KeyTable({ max, maxAgeMs: 86_400_000 });
  return {
    claim: (keys) => keys.map((key) => (table.has(key) ? 'known' : 'new')),
    accept(keys, sender = '') {
      for (const key of keys) table.add(key, { at: 0, sender: senderNumber(sender, 1) });
    },
    release: () => undefined,
  };
}

function report(bench: Bench, events: unknown[], ip?: string): Promise<Response> {
  return postTo(bench.relay, '/events/batch', { events }, { ip });
}

describe('one client with a /48 network', () => {
  test('gets ten times the requests of an address, not 65,536 times', async () => {
    useFakeClock();
    const bench = setUp({ rateLimit: { perAddress: { burst: 2, perSecond: 1 } } });
    const statuses: number[] = [];
    for (let index = 0; index < 60; index++) statuses.push((await ask(bench.relay, { ip: addressOf(index) })).status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    expect(statuses.slice(20)).toEqual(Array.from({ length: 40 }, () => 429));
    expect((await ask(bench.relay, { ip: SHOPPER })).status).toBe(200);
  });

  test('does not push out the events of others', async () => {
    const bench = setUp({ dedupe: memoryOf(400), rateLimit: false });
    const sent = Array.from({ length: 20 }, () => event());
    await report(bench, sent, SHOPPER);
    // Few from each address, so that each by itself has less than the shopper.
    for (let batch = 0; batch < 500; batch++)
      await report(
        bench,
        Array.from({ length: 4 }, () => event({ session_id: crypto.randomUUID() })),
        addressOf(batch),
      );
    const calls = bench.network.calls.length;
    expect((await report(bench, sent, SHOPPER)).status).toBe(202);
    expect(bench.network.calls).toHaveLength(calls);
  });

  test('does not open the circuit for others', async () => {
    const bench = setUp();
    bench.network.respondWith((call) => (call.text.includes('poison') ? json(500, { message: 'Oops' }) : accept(call)));
    for (let index = 0; index < 30; index++) await report(bench, [event({ asset_id: 'poison' })], addressOf(index));
    expect(bench.counted('breaker_opened')).toBe(0);
    expect((await report(bench, [event()], SHOPPER)).status).toBe(202);
  });
});

test('a client whose requests hang does not take the connections of others, nor open the circuit', async () => {
  const bench = setUp({ timeouts: { recommendations: 300 } });
  bench.network.respondWith((call) => (call.text.includes('slow') ? new Promise(() => undefined) : accept(call)));
  const slow = { ...REQUEST, custom_metadata: { campaign: 'slow' } };
  const flood = Array.from({ length: 300 }, () =>
    postTo(bench.relay, '/recommendations', slow, { ip: '203.0.113.66' }),
  );
  await expect.poll(() => bench.network.calls.length).toBe(64);
  expect((await ask(bench.relay, { ip: '198.51.100.1' })).status).toBe(200);
  const responses = await Promise.all(flood);
  expect(responses.filter(({ status }) => status === 504)).toHaveLength(64);
  const refused = responses.find(({ status }) => status === 503);
  expect([refused?.headers.get('retry-after'), await refused?.json()]).toEqual([
    '1',
    { message: 'Too many requests at the same time.' },
  ]);
  expect(bench.counted('breaker_opened')).toBe(0);
  expect((await ask(bench.relay, { ip: '198.51.100.1' })).status).toBe(200);
});

describe('where no address is known', () => {
  test('all requests share one limit, ten times that of an address', async () => {
    useFakeClock();
    const bench = setUp({ rateLimit: { perAddress: { burst: 2, perSecond: 1 } } });
    const statuses: number[] = [];
    for (let index = 0; index < 25; index++) statuses.push((await ask(bench.relay)).status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    expect((await ask(bench.relay, { ip: '192.0.2.1' })).status).toBe(200);
  });

  test('six failures stop nobody, twenty in a row open the circuit', async () => {
    useFakeClock();
    const bench = setUp();
    bench.network.respondWith(() => json(500, { message: 'Oops' }));
    for (let failure = 0; failure < 19; failure++) expect((await ask(bench.relay)).status).toBe(500);
    expect(bench.counted('breaker_opened')).toBe(0);
    expect((await ask(bench.relay)).status).toBe(500);
    expect(bench.counted('breaker_opened')).toBe(1);
    expect((await ask(bench.relay)).status).toBe(503);

    // Afterwards, one at a time may find out; four in a row have to fail before it opens again.
    vi.advanceTimersByTime(10_001);
    for (let probe = 0; probe < 4; probe++) expect((await ask(bench.relay)).status).toBe(500);
    expect((await ask(bench.relay)).status).toBe(503);
    vi.advanceTimersByTime(10_001);
    bench.network.respondWith(accept);
    expect((await ask(bench.relay)).status).toBe(200);
    expect((await ask(bench.relay)).status).toBe(200);
  });

  test('made-up sessions do not open the circuit sooner', async () => {
    const bench = setUp();
    bench.network.respondWith(() => json(500, { message: 'Oops' }));
    for (let failure = 0; failure < 19; failure++) await report(bench, [event({ session_id: crypto.randomUUID() })]);
    expect(bench.counted('breaker_opened')).toBe(0);
  });

  test.each<[string, object, RequestInit['headers'], string | undefined, RegExp | undefined]>([
    ['the runtime passes none', {}, {}, undefined, /passes no IP address.*Pass \{ ip \}.*or set addressHeader/],
    ['the header holds none', { addressHeader: 'x-real-ip' }, { 'x-real-ip': 'unknown' }, undefined, /no IP address/],
    [
      'a proxy on this machine hides it',
      {},
      { 'x-forwarded-for': '192.0.2.1' },
      '127.0.0.1',
      /proxy.*Set addressHeader/,
    ],
    [
      'a proxy of a private network hides it',
      {},
      { 'x-forwarded-for': '192.0.2.1' },
      '172.17.0.2',
      /Set addressHeader/,
    ],
    ['nothing is limited', { rateLimit: false }, {}, undefined, undefined],
    ['it is known', {}, {}, '192.0.2.1', undefined],
    ['the proxy passes it', { addressHeader: 'x-forwarded-for' }, { 'x-forwarded-for': '192.0.2.1' }, '::1', undefined],
  ])('the log says so once: %s', async (_, options, headers, ip, message) => {
    const logs: string[] = [];
    const bench = setUp({ ...options, onLog: (entry) => logs.push(entry.message) });
    for (let request = 0; request < 3; request++)
      await postTo(bench.relay, '/recommendations', REQUEST, { headers: headers as Record<string, string>, ip });
    const said = logs.filter((text) => text !== 'POST /recommendations');
    expect(said).toEqual(message ? [expect.stringMatching(message)] : []);
  });
});
