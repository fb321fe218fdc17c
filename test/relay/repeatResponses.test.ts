import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { makeFolder } from '../fixtures/makeFolder.ts';
import { createDedupeMemory, openDedupeFile } from '../../src/relay.ts';
import { json, postTo, RESPONSE, setUp, useFakeClock, type Bench } from './scriptedNetwork.ts';

beforeEach(() => useFakeClock());
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const ADA = { email: 'Ada@Example.com ' };
const ADA_HASHED = { email_hash: 'b5fc85e55755f9e0d030a10ab4429b6b2944855f9a0d60077fe832becbc41d72' };
const INLINE = { view: 'THANK_YOU', display_mode: 'INLINE' };
const ORDER = { user_details: ADA, order_details: { order_id: '1001' }, placement_details: INLINE };

/** A network that opens another session with each response. */
function opening(bench: Bench, status = 200): void {
  let sessions = 0;
  bench.network.respondWith(() => json(status, { ...RESPONSE, session_id: `session ${(sessions += 1)}` }));
}

async function sessionOf(bench: Bench, request: object): Promise<unknown> {
  const response = await bench.post('/recommendations', request);
  return ((await response.json()) as { session_id?: unknown }).session_id;
}

test('an order of a shopper gets the same response for ten minutes, and the network is called once', async () => {
  const bench = setUp();
  opening(bench);
  expect(await sessionOf(bench, ORDER)).toBe('session 1');
  vi.advanceTimersByTime(599_000);
  const again = { ...ORDER, user_details: ADA_HASHED, order_details: { order_id: 1001, cost_details: { amount: 5 } } };
  expect(await sessionOf(bench, again)).toBe('session 1');
  const page = new Request('https://shop.example/thank-you', { headers: { 'user-agent': 'Mozilla/5.0' } });
  const prefetched = await bench.relay.prefetch(page, {
    user_details: ADA,
    order_details: { order_id: '1001' },
    placement_details: { display_mode: 'INLINE', view: 'THANK_YOU' },
    timeout: 60_000,
  });
  expect(prefetched?.json.response).toMatchObject({ session_id: 'session 1' });
  expect(bench.network.calls).toHaveLength(1);
  vi.advanceTimersByTime(2_000);
  expect(await sessionOf(bench, ORDER)).toBe('session 2');
});

test.each<[string, object]>([
  ['another shopper', { user_details: { email: 'bob@example.com' } }],
  ['another kind of identifier', { user_details: { external_guid: ADA_HASHED.email_hash } }],
  ['another order', { order_details: { order_id: '1002' } }],
  ['another view', { placement_details: { ...INLINE, view: 'ORDER_STATUS' } }],
  ['another display mode', { placement_details: { ...INLINE, display_mode: 'OVERLAY' } }],
  ['another widget id', { placement_details: { ...INLINE, widget_id: 'sidebar' } }],
  ['a test', { custom_metadata: { is_sandbox: true } }],
])('%s gets a separate response', async (_, other) => {
  const bench = setUp();
  opening(bench);
  await sessionOf(bench, ORDER);
  expect(await sessionOf(bench, { ...ORDER, ...other })).toBe('session 2');
  expect(await sessionOf(bench, ORDER)).toBe('session 1');
});

test.each<[string, object]>([
  ['an order', { order_details: undefined }],
  ['an order with a number', { order_details: { order_id: '' } }],
])('a request without %s is never repeated', async (_, missing) => {
  const bench = setUp();
  opening(bench);
  for (const session of ['session 1', 'session 2'])
    expect(await sessionOf(bench, { ...ORDER, ...missing })).toBe(session);
});

test('a request without a shopper gets an error each time, and a failure is not repeated', async () => {
  const bench = setUp();
  opening(bench, 500);
  for (let at = 0; at < 2; at++) expect((await bench.post('/recommendations', ORDER)).status).toBe(500);
  bench.network.respondWith(() => Promise.reject(new TypeError('fetch failed')));
  expect((await bench.post('/recommendations', ORDER)).status).toBe(502);
  expect(bench.network.calls).toHaveLength(3);
  opening(bench);
  expect(await sessionOf(bench, ORDER)).toBe('session 1');
  for (let at = 0; at < 2; at++)
    expect((await bench.post('/recommendations', { ...ORDER, user_details: {} })).status).toBe(400);
});

test('one client fills its own part of the memory of responses', async () => {
  // With a random salt, one in 4,096 runs has two clients that share a part.
  vi.spyOn(crypto, 'getRandomValues').mockImplementation((array) => array);
  const bench = setUp({ rateLimit: false });
  const padding = 'x'.repeat(1_000_000);
  let sessions = 0;
  bench.network.respondWith(() => json(200, { ...RESPONSE, session_id: `session ${(sessions += 1)}`, padding }));
  const order = async (order_id: string, ip: string): Promise<unknown> => {
    const response = await postTo(bench.relay, '/recommendations', { ...ORDER, order_details: { order_id } }, { ip });
    return ((await response.json()) as { session_id?: unknown }).session_id;
  };
  expect(await order('1001', '192.0.2.1')).toBe('session 1');
  for (let at = 0; at < 20; at++) await order(`flood ${at}`, '203.0.113.66');
  expect([await order('1001', '192.0.2.1'), await order('flood 0', '203.0.113.66')]).toEqual([
    'session 1',
    'session 22',
  ]);
});

test('equal requests at the same moment are one call', async () => {
  const bench = setUp();
  let answer: (response: Response) => void = () => undefined;
  bench.network.respondWith(() => new Promise((resolve) => (answer = resolve)));
  const all = Promise.all(Array.from({ length: 5 }, () => bench.post('/recommendations', ORDER)));
  await expect.poll(() => bench.network.calls.length).toBe(1);
  answer(json(200, RESPONSE));
  expect((await all).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(bench.network.calls).toHaveLength(1);
});

test('a repeated response is no request and no session more in the ledger', async () => {
  const store = await openDedupeFile(makeFolder());
  const bench = setUp({ dedupe: store });
  opening(bench);
  for (let at = 0; at < 3; at++) await sessionOf(bench, ORDER);
  const { rows } = await store.ledger.read({ from: '2000-01-01', to: '2099-12-31' });
  expect(rows.map(({ name, count }) => [name, count])).toEqual([
    ['offers_empty', 1],
    ['offers_requested', 1],
  ]);
  await store.close();
});

test('a store of responses that fails costs a call, not the offers', async () => {
  const fail = (): Promise<never> => Promise.reject(new Error('down'));
  const hang = (): Promise<never> => new Promise(() => undefined); // nobody waits until it has stored a response
  const dedupe = { ...createDedupeMemory(), responses: { get: fail, claim: fail, settle: hang } };
  const bench = setUp({ dedupe });
  opening(bench);
  expect([await sessionOf(bench, ORDER), await sessionOf(bench, ORDER)]).toEqual(['session 1', 'session 2']);
  expect(bench.logs[0]?.message).toBe('The store of responses failed.');
});
