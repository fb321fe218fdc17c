import { afterEach, expect, test, vi } from 'vitest';
import type { RelayOptions } from '../../../src/relay.ts';
import { readClient } from '../../../src/relay/readClient.ts';
import {
  accept,
  event,
  json,
  postTo,
  REQUEST,
  SESSION,
  setUp,
  useFakeClock,
  type Bench,
  RESPONSE,
} from '../scriptedNetwork.ts';

afterEach(() => void vi.useRealTimers());

function from(
  bench: Bench,
  ip: string,
  { path = '/recommendations', body = REQUEST as object } = {},
): Promise<Response> {
  return postTo(bench.relay, path, body, { ip });
}

const ONE_EACH: Partial<RelayOptions> = { rateLimit: { perAddress: { burst: 1, perSecond: 0.001 } } };

test.each([
  ['192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.1'],
  ['192.0.2.1:4711', '192.0.2.1', '192.0.2.1', '192.0.2.1'],
  ['192.000.002.001', '192.0.2.1', '192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.1'],
  ['::FFFF:c000:201', '192.0.2.1', '192.0.2.1', '192.0.2.1'],
  ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.1'],
  ['2001:DB8:0:1:a:b:c:d', '2001:db8:0:1:a:b:c:d', '2001:db8:0:1::/64', '2001:db8:0::/48'],
  ['2001:db8:0000:0001::1', '2001:db8:0000:0001::1', '2001:db8:0:1::/64', '2001:db8:0::/48'],
  ['[2001:db8::1]:443', '2001:db8::1', '2001:db8:0:0::/64', '2001:db8:0::/48'],
  ['2001:0DB8::0.0.0.1', '2001:0db8::0.0.0.1', '2001:db8:0:0::/64', '2001:db8:0::/48'],
  ['fe80::1%eth0', 'fe80::1', 'fe80:0:0:0::/64', 'fe80:0:0::/48'],
  ['::1', '::1', '0:0:0:0::/64', '0:0:0::/48'],
  ['64:ff9b::192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.1'],
  ['64:ff9b::c000:201', '192.0.2.1', '192.0.2.1', '192.0.2.1'],
  ['64:ff9b:1::c000:201', '192.0.2.1', '192.0.2.1', '192.0.2.1'],
  ['::ffff:0:192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.1'],
  ['2002:c000:0201:1::5', '192.0.2.1', '192.0.2.1', '192.0.2.1'],
])('the address %s is read as %s and counted as %s of %s', (text, address, host, network) => {
  expect(readClient(text)).toEqual({ address, host, network });
});

test.each(['unknown', '1::2::3', '_hidden', 'for=192.0.2.1', '192.0.2.256', '1.2.3', '::1.300.1.1', 'a=b; c=d'])(
  'this is not an IP address: %s',
  (text) => {
    expect(readClient(text)).toBeUndefined();
  },
);

test('a header without an address leaves the address of the socket', async () => {
  const bench = setUp({ ...ONE_EACH, addressHeader: 'x-real-ip' });
  const ask = (ip: string, header: string): Promise<Response> =>
    postTo(bench.relay, '/recommendations', REQUEST, { headers: { 'x-real-ip': header }, ip });
  expect((await ask('192.0.2.1', 'unknown 1')).status).toBe(200);
  expect((await ask('192.0.2.1', 'unknown 2')).status).toBe(429);
});

test.each([
  [1, '198.51.100.1, 192.0.2.1, 203.0.113.9', '203.0.113.9'],
  [2, '198.51.100.1, 192.0.2.1, 203.0.113.9', '192.0.2.1'],
  [2, '203.0.113.9', '203.0.113.9'],
])('behind %i proxies that append, the address of "%s" is %s', async (trustedHops, header, address) => {
  const bench = setUp({ addressHeader: 'x-forwarded-for', trustedHops, forwardAddress: true });
  const headers = { 'x-forwarded-for': header };
  await postTo(bench.relay, '/recommendations', REQUEST, { headers, ip: '192.0.2.99' });
  expect(bench.network.calls[0]?.body['attributes']).toMatchObject({ ip_address: address });
});

test.each<[string, () => unknown, number, RegExp]>([
  ['hangs', () => new Promise(() => undefined), 503, /no reply within 50 ms/],
  ['throws', () => Promise.reject(new Error('no connection')), 503, /no connection/],
  ['returns NaN', () => Number.NaN, 503, /returned NaN instead of a number/],
  ['returns nothing', () => undefined, 503, /returned undefined instead of a number/],
])('a limiter that %s is a 503 that the page may repeat, logged and counted', async (_, take, status, reason) => {
  const bench = setUp({ rateLimit: { take: take as () => number }, timeouts: { dedupe: 50 } });
  const response = await from(bench, '192.0.2.1');
  expect([response.status, response.headers.get('retry-after')]).toEqual([status, '5']);
  expect(bench.counted('limiter_failed')).toBe(1);
  expect(bench.logs.at(-1)?.error).toMatch(reason);
  expect(bench.network.calls).toHaveLength(0);
});

test('a session whose id is a UUID is the same in any letter case', async () => {
  const bench = setUp({ rateLimit: { perSession: { burst: 20, perSecond: 0.001 } } });
  const id = 'abcdefab-cdef-4abc-8def-abcdefabcdef';
  const batch = (session: string): object => ({
    events: Array.from({ length: 11 }, () => event({ session_id: session })),
  });
  expect((await bench.post('/events/batch', batch(id))).status).toBe(202);
  expect((await bench.post('/events/batch', batch(id.toUpperCase()))).status).toBe(429);
  const once = event({ session_id: SESSION });
  await bench.post('/events', once);
  await bench.post('/events', { ...once, session_id: SESSION.toUpperCase() });
  expect(bench.network.calls).toHaveLength(2);
});

test('the addresses of one IPv6 /64 share a limit, those of another do not', async () => {
  const bench = setUp(ONE_EACH);
  const statuses = [];
  for (const ip of ['2001:db8:0:1::1', '2001:db8:0:1:ffff::2', '2001:db8:0:2::1', '::ffff:192.0.2.1', '192.0.2.1'])
    statuses.push((await from(bench, ip)).status);
  expect(statuses).toEqual([200, 429, 200, 200, 429]);
});

/** A network that fails for a sender who is up to no good, and for nobody else unless it is down. */
function setUpFailing(): { bench: Bench; bringDown(): void } {
  let isDown = false;
  const bench = setUp({ rateLimit: false });
  bench.network.respondWith((call) =>
    isDown || call.text.includes('poison') ? json(500, { message: 'Oops' }) : accept(call),
  );
  return {
    bench,
    bringDown: () => {
      isDown = true;
    },
  };
}
const POISON = { ...REQUEST, custom_metadata: { campaign: 'poison' } };

test('bad requests from one address pause that address, not the others', async () => {
  useFakeClock();
  const { bench } = setUpFailing();
  const statuses = [];
  for (let attempt = 0; attempt < 7; attempt++)
    statuses.push((await from(bench, '203.0.113.66', { body: POISON })).status);
  expect(statuses).toEqual([500, 500, 500, 500, 500, 503, 503]);
  expect((await from(bench, '198.51.100.1')).status).toBe(200);
  expect(bench.counted('breaker_opened')).toBe(0);
  vi.advanceTimersByTime(10_001);
  expect((await from(bench, '203.0.113.66')).status).toBe(200);
});

test('bad batches of one session, where no address is known, pause that session alone', async () => {
  const { bench } = setUpFailing();
  const poison = (): object => ({ events: [event({ asset_id: 'poison', session_id: 'bad' })] });
  for (let attempt = 0; attempt < 6; attempt++) await bench.post('/events/batch', poison());
  expect((await bench.post('/events/batch', poison())).status).toBe(503);
  expect((await bench.post('/events/batch', { events: [event()] })).status).toBe(202);
});

test('failures of three addresses open the breaker for everybody, and no single one can keep it open', async () => {
  useFakeClock();
  const { bench, bringDown } = setUpFailing();
  bringDown();
  for (const ip of ['192.0.2.1', '192.0.2.1', '192.0.2.2', '192.0.2.2', '192.0.2.3']) await from(bench, ip);
  expect(bench.counted('breaker_opened')).toBe(1);
  expect((await from(bench, '198.51.100.1')).status).toBe(503);
  expect(bench.network.calls).toHaveLength(5);

  const again = setUpFailing();
  for (const ip of ['192.0.2.1', '192.0.2.1', '192.0.2.2', '192.0.2.2', '192.0.2.3'])
    await from(again.bench, ip, { body: POISON });
  vi.advanceTimersByTime(10_001);
  // The one request that may find out whether the network is back is a bad one, time and again.
  for (let attempt = 0; attempt < 3; attempt++) await from(again.bench, '192.0.2.1', { body: POISON });
  expect((await from(again.bench, '198.51.100.1')).status).toBe(200);
});

test('64 slow calls behind a proxy that nobody has named hold up nobody else', async () => {
  const bench = setUp();
  const answers: ((response: Response) => void)[] = [];
  bench.network.respondWith(() => new Promise((resolve) => void answers.push(resolve)));
  const all = Array.from({ length: 65 }, () =>
    postTo(bench.relay, '/recommendations', REQUEST, { headers: { 'x-forwarded-for': '192.0.2.1' }, ip: '127.0.0.1' }),
  );
  await expect.poll(() => answers.length).toBe(65);
  for (const answer of answers) answer(json(200, RESPONSE));
  expect(new Set((await Promise.all(all)).map(({ status }) => status))).toEqual(new Set([200]));
});
