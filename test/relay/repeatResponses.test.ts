import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { makeFolder } from '../fixtures/makeFolder.ts';
import { createDedupeMemory, openDedupeFile, type PrefetchRequest } from '../../src/relay.ts';
import { own } from '../../src/wire/json.ts';
import { json, postTo, RESPONSE, setUp, useFakeClock, type Bench } from './scriptedNetwork.ts';

beforeEach(() => useFakeClock());
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const ADA = { email: 'Ada@Example.com ' };
const ADA_HASHED = { email_hash: 'b5fc85e55755f9e0d030a10ab4429b6b2944855f9a0d60077fe832becbc41d72' };
const INLINE = { view: 'THANK_YOU', display_mode: 'INLINE' };
const ORDER = {
  user_details: ADA,
  order_details: { order_id: '1001', cost_details: { amount: 5, currency_code: 'EUR' } },
  placement_details: INLINE,
  nonce: '0e8d1f6a-3c0b-8d21-a7c4-5f1b2a9e7d60',
};

/** A network that opens another session with each response. */
function opening(bench: Bench, status = 200): void {
  let sessions = 0;
  bench.network.respondWith(() => json(status, { ...RESPONSE, session_id: `session ${(sessions += 1)}` }));
}

async function sessionOf(bench: Bench, request: object, ip?: string): Promise<unknown> {
  const response = await postTo(bench.relay, '/recommendations', request, { ip });
  return ((await response.json()) as { session_id?: unknown }).session_id;
}

test('an order gets the same response for ten minutes on the device that asked, and the network is called once', async () => {
  const bench = setUp({ forwardAddress: true });
  opening(bench);
  expect(await sessionOf(bench, ORDER, '192.0.2.1')).toBe('session 1');
  vi.advanceTimersByTime(599_000);
  const again = { ...ORDER, user_details: ADA_HASHED, order_details: { ...ORDER.order_details, order_id: 1001 } };
  expect(await sessionOf(bench, again, '198.51.100.7'), 'phones change addresses').toBe('session 1');
  expect(bench.network.calls).toHaveLength(1);
  expect(bench.network.calls[0]?.text + JSON.stringify(bench.logs)).not.toContain(ORDER.nonce.slice(0, 8));
  vi.advanceTimersByTime(2_000);
  expect(await sessionOf(bench, ORDER)).toBe('session 2');
});

const withoutNonce = { ...ORDER, nonce: undefined };
const forged = { ...ORDER, nonce: '11111111-1111-8111-a111-111111111111' };

test.each<[string, object, string | undefined, string | undefined]>([
  ['without a nonce', withoutNonce, '192.0.2.1', '203.0.113.66'],
  ['with a nonce of its own', forged, '192.0.2.1', '192.0.2.1'],
  ['that cannot be told apart', withoutNonce, undefined, undefined],
])('a client %s that knows email and order gets no session of another device', async (_, guess, ip, theirs) => {
  const bench = setUp();
  opening(bench);
  // Whoever asks first does not decide what she sees, either.
  expect(await sessionOf(bench, guess, theirs)).toBe('session 1');
  expect(await sessionOf(bench, ORDER, ip)).toBe('session 2');
  expect(await sessionOf(bench, guess, theirs)).not.toBe('session 2');
  expect(await sessionOf(bench, ORDER, ip)).toBe('session 2');
});

test('a client without a nonce gets the same response at the same address, and at no other', async () => {
  const bench = setUp();
  opening(bench);
  const order = async (ip: string): Promise<unknown> => sessionOf(bench, withoutNonce, ip);
  expect([await order('2001:db8::1'), await order('2001:db8::2'), await order('2001:db8:0:1::1')]).toEqual([
    'session 1',
    'session 1',
    'session 2',
  ]);
});

test('what the server that renders the page has stated is repeated to that server alone', async () => {
  const bench = setUp();
  opening(bench);
  const { nonce: _, ...given } = ORDER;
  const render = async (): Promise<unknown> => {
    const visit = new Request('https://shop.example/thank-you', { headers: { 'user-agent': 'Mozilla/5.0' } });
    const offers = await bench.relay.prefetch(visit, { ...given, timeout: 60_000, ip: '192.0.2.1' } as PrefetchRequest);
    return own(offers?.json.response, 'session_id');
  };
  expect([await render(), await render()]).toEqual(['session 1', 'session 1']);
  expect(await sessionOf(bench, given, '192.0.2.1')).toBe('session 2');
  expect([await sessionOf(bench, ORDER), await render()]).toEqual(['session 3', 'session 1']);
});

test.each<[string, object]>([
  ['another shopper', { user_details: { email: 'bob@example.com' } }],
  ['another kind of identifier', { user_details: { external_guid: ADA_HASHED.email_hash } }],
  ['another order', { order_details: { order_id: '1002' } }],
  ['another view', { placement_details: { ...INLINE, view: 'ORDER_STATUS' } }],
  ['another display mode', { placement_details: { ...INLINE, display_mode: 'OVERLAY' } }],
  ['another widget id', { placement_details: { ...INLINE, widget_id: 'sidebar' } }],
  ['a test', { custom_metadata: { is_sandbox: true } }],
  ['another amount', { order_details: { order_id: '1001', cost_details: { amount: 500, currency_code: 'EUR' } } }],
  ['another purchase', { purchases: [{ product_id: 'p1' }] }],
  ['another language', { attributes: { language: 'de' } }],
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
  const order = (order_id: string, ip: string): Promise<unknown> =>
    sessionOf(bench, { ...ORDER, order_details: { order_id } }, ip);
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
