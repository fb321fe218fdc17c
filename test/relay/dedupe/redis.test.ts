import type { ChildProcess } from 'node:child_process';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createClient } from 'redis';
import { createDedupeRedis, openDedupeRedis } from '../../../src/relay-redis.ts';
import type { DedupeStore } from '../../../src/relay.ts';
import { ask } from './keys.ts';
import { event, json, RESPONSE, setUp } from '../scriptedNetwork.ts';
import { startRedis } from '../../fixtures/startRedis.ts';
import { freePort } from '../../fixtures/serve.ts';

const ORDER = {
  user_details: { email: 'ada@example.com' },
  order_details: { order_id: '1001' },
  placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' },
  nonce: '0e8d1f6a-3c0b-8d21-a7c4-5f1b2a9e7d60',
};
let server: ChildProcess;
let url: string;
const opened: (DedupeStore & { close(): Promise<void> })[] = [];

async function openStore(options: { claimMs?: number; maxAgeMs?: number; prefix?: string } = {}): Promise<DedupeStore> {
  const store = await openDedupeRedis({ url, ...options });
  opened.push(store);
  return store;
}

describe.skipIf(process.env['OFFERLET_TEST_REDIS'] !== '1')('accepted events in a real Redis', () => {
  beforeAll(async () => {
    ({ url, server } = await startRedis());
  });
  afterEach(async () => {
    vi.useRealTimers();
    for (const store of opened.splice(0)) await store.close();
  });
  afterAll(() => {
    server.kill();
  });

  test('are known to every relay after one of them had them accepted', async () => {
    const [one, two] = [setUp({ dedupe: await openStore() }), setUp({ dedupe: await openStore() })];
    const batch = { events: [event(), event()] };
    expect((await one.post('/events/batch', batch)).status).toBe(202);
    expect((await two.post('/events/batch', batch)).status).toBe(202);
    expect(two.network.calls).toHaveLength(0);
  });

  test('count once for the audit, whichever relay forwarded them and however often a relay says so', async () => {
    vi.useFakeTimers({ now: Date.parse('2026-11-23T10:00:00Z'), toFake: ['Date'] });
    const prefix = 'ledger-test:';
    const [first, second] = [await openStore({ prefix }), await openStore({ prefix })];
    const [one, two] = [setUp({ dedupe: first }), setUp({ dedupe: second })];
    await one.post('/recommendations', {
      user_details: { external_guid: 'a' },
      placement_details: { view: 'THANK_YOU', display_mode: 'INLINE', widget_id: 'a b' },
    });
    const sent = event();
    // The session was opened at the other relay.
    await expect.poll(async () => (await two.post('/events', event())).status).toBe(201);
    await two.post('/events', sent);
    await one.post('/events/batch', { events: [sent, event({ event_name: 'BRAND_CLICK' })] });
    const id = newKey();
    for (let at = 0; at < 3; at++) await first.accept([id], '', ['2026-11-20T23 BRAND_VIEW - - ']);
    const counts = await second.ledger?.read({ from: '2026-11-20', to: '2026-11-23' });
    const place = { view: 'THANK_YOU', display_mode: 'INLINE', widget_id: 'a b' };
    const hour = '2026-11-23T10:00:00Z';
    expect(counts?.rows).toEqual([
      { hour: '2026-11-20T23:00:00Z', name: 'BRAND_VIEW', view: null, display_mode: null, widget_id: null, count: 1 },
      { hour, name: 'BRAND_CLICK', ...place, count: 1 },
      { hour, name: 'BRAND_DISPLAY', ...place, count: 2 },
      { hour, name: 'offers_empty', view: null, display_mode: null, widget_id: null, count: 1 },
      { hour, name: 'offers_requested', view: null, display_mode: null, widget_id: null, count: 1 },
      { hour, name: 'repeated:BRAND_DISPLAY', ...place, count: 1 },
    ]);
  });

  test('share the response to an order for its ten minutes, in whichever relay it was requested', async () => {
    const prefix = 'responses:';
    const [one, two] = [setUp({ dedupe: await openStore({ prefix }) }), setUp({ dedupe: await openStore({ prefix }) })];
    let answer: (response: Response) => void = () => undefined;
    one.network.respondWith(() => new Promise((resolve) => (answer = resolve)));
    const first = one.post('/recommendations', ORDER);
    await expect.poll(() => one.network.calls.length).toBe(1);
    const others = [0, 1, 2, 3].map(() => two.post('/recommendations', ORDER));
    answer(json(200, { ...RESPONSE, session_id: 'theirs' }));
    for (const response of [first, ...others])
      expect(await (await response).json()).toMatchObject({ session_id: 'theirs' });
    expect(two.network.calls).toHaveLength(0);
    const client = await createClient({ url }).connect();
    await expect.poll(() => client.keys(`${prefix}response:*`)).toHaveLength(1); // its claim is released
    const names = await client.keys(`${prefix}response:*`);
    expect(names[0]).not.toMatch(/claim|1001|ada|0e8d/i);
    const left = await client.pTTL(names[0] ?? '');
    expect(left > 500_000 && left <= 600_000).toBe(true);
    await client.close();
  });

  test('share no more responses than 32 MB, and those of a client with many orders leave first', async () => {
    vi.spyOn(crypto, 'getRandomValues').mockImplementationOnce((salt) => salt); // both have numbers of their own
    const { responses } = await openDedupeRedis({ url, prefix: 'full:' }).then((store) => (opened.push(store), store));
    await responses?.settle('theirs', 'x'.repeat(1024), '192.0.2.1');
    for (let at = 0; at < 6; at++) await responses?.settle(String(at), 'x'.repeat(4 * 1024 * 1024), '203.0.113.66');
    const left = await Promise.all(['theirs', '0', '2', '3', '5'].map(async (key) => responses?.get(key)));
    expect(left.map((response) => response?.length)).toEqual([1024, undefined, undefined, 4_194_304, 4_194_304]);
  });

  test('share no failure, and a relay that died while it asked delays the others for seconds only', async () => {
    const prefix = 'failures:';
    const [store, two] = [await openStore({ prefix }), setUp({ dedupe: await openStore({ prefix }) })];
    const one = setUp({ dedupe: store });
    one.network.respondWith(() => new Response('', { status: 503 }));
    expect((await one.post('/recommendations', ORDER)).status).toBe(503);
    expect((await two.post('/recommendations', ORDER)).status).toBe(200);
    expect([one.network.calls.length, two.network.calls.length]).toEqual([1, 1]);
    // The next relay claims an order and is never heard of again.
    const died = setUp({ dedupe: store });
    died.network.respondWith(() => new Promise(() => undefined));
    const other = { ...ORDER, order_details: { order_id: '1002' } };
    const lost = died.post('/recommendations', other);
    await expect.poll(() => died.network.calls.length).toBe(1);
    expect((await two.post('/recommendations', other)).status).toBe(200);
    expect(two.network.calls).toHaveLength(2);
    await lost;
  });

  test('of a relay that died are free when its claim expires, and may be in the network', async () => {
    const [one, two] = [await openStore({ claimMs: 500 }), await openStore()];
    const id = newKey();
    expect(await one.claim([id])).toEqual(['new']);
    await expect.poll(() => two.claim([id])).toEqual(['unconfirmed']);
    await one.release([id]);
    expect(await one.claim([id]), "a late release must not take another relay's claim").toEqual(['busy']);
    await two.release([id], 'unconfirmed');
    expect(await one.claim([id])).toEqual(['unconfirmed']);
    await one.accept([id]);
    expect(await two.claim([id])).toEqual(['known']);
  });

  test('claimed by a relay that got no reply are free for its next attempt', async () => {
    const client = await createClient({ url }).connect();
    let isCut = true;
    const cut = createDedupeRedis({
      async sendCommand(command) {
        const reply = await client.sendCommand(command);
        if (isCut) throw new Error('connection lost');
        return reply;
      },
    });
    const id = newKey();
    await expect(cut.claim([id])).rejects.toThrow('connection lost');
    isCut = false;
    expect(await cut.claim([id])).toEqual(['unconfirmed']);
    expect(await cut.claim([id]), 'as another relay on the same store would').toEqual(['busy']);
    expect(await (await openStore()).claim([id])).toEqual(['busy']);
    await client.close();
  });

  test('stay claimed when this relay releases an older claim too late', async () => {
    const client = await createClient({ url }).connect();
    const replies: (() => void)[] = [];
    const store = createDedupeRedis({
      async sendCommand(command) {
        const reply = await client.sendCommand(command);
        if (command[1]?.startsWith('local claims')) await new Promise<void>((resolve) => replies.push(resolve));
        return reply;
      },
    });
    const [id, other] = [newKey(), await openStore()];
    const claims = [store.claim([id]), store.claim([id])];
    await expect.poll(() => replies.length).toBe(2);
    replies[0]?.();
    expect(await claims[0]).toEqual(['new']);
    await store.release([id]);
    replies[1]?.();
    expect(await claims[1]).toEqual(['unconfirmed']);
    expect(await other.claim([id])).toEqual(['busy']);
    await store.release([id]);
    expect(await other.claim([id])).toEqual(['new']);
    await other.release([id]);
    await client.close();
  });

  test('accepted while Redis was away are written before it is closed', async () => {
    const client = await createClient({ url }).connect();
    let isAway = false;
    const store = createDedupeRedis({
      async sendCommand(command) {
        if (isAway) throw new Error('connection lost');
        return client.sendCommand(command);
      },
    });
    const [bench, sent] = [setUp({ dedupe: store }), event()];
    bench.network.respondWith(() => ((isAway = true), new Response(null, { status: 201 })));
    expect((await bench.post('/events', sent)).status).toBe(201);
    isAway = false;
    await store.settled();
    const other = setUp({ dedupe: await openStore() });
    expect((await other.post('/events', sent)).status).toBe(201);
    expect(other.network.calls).toHaveLength(0);
    await client.close();
  });

  test('claimed too late are released', async () => {
    const client = await createClient({ url }).connect();
    let isSlow = true;
    const slow = createDedupeRedis({
      async sendCommand(command) {
        if (isSlow) await new Promise((resolve) => setTimeout(resolve, 300));
        return client.sendCommand(command);
      },
    });
    const bench = setUp({ dedupe: slow, timeouts: { dedupe: 100 } });
    const sent = event();
    expect((await bench.post('/events', sent)).status).toBe(503);
    isSlow = false;
    await expect.poll(async () => (await bench.post('/events', sent)).status).toBe(201);
    expect(bench.network.calls).toHaveLength(1);
    await client.close();
  });

  test('are forgotten at their age, and prefixes keep merchants apart', async () => {
    const [one, other] = [await openStore(), await openStore({ prefix: 'other:' })];
    const id = newKey();
    await one.accept([id]);
    expect(await ask(other, [id])).toEqual(['new']);
    expect(await one.claim([id])).toEqual(['known']);
    const brief = await openStore({ maxAgeMs: 500 });
    const short = newKey();
    await brief.accept([short]);
    await expect.poll(() => ask(brief, [short])).toEqual(['new']);
  });

  test('are a 503 while Redis hangs, and work again when it continues', async () => {
    const bench = setUp({ dedupe: await openStore(), timeouts: { dedupe: 200 } });
    await expect.poll(async () => (await bench.post('/events', event())).status).toBe(201);
    server.kill('SIGSTOP');
    const sent = event();
    const response = await bench.post('/events', sent);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    expect(bench.network.calls).toHaveLength(1);
    // Long enough for the connection to be dropped as well.
    await new Promise((resolve) => setTimeout(resolve, 6_500));
    expect((await bench.post('/events', sent)).status).toBe(503);
    server.kill('SIGCONT');
    await expect.poll(async () => (await bench.post('/events', sent)).status).toBe(201);
    expect(bench.network.calls).toHaveLength(2);
  });
});

test('a Redis that accepts connections and never replies is a 503 with Retry-After, logged and counted', async () => {
  const mute = createServer(replyToHandshake);
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
  const store = await openDedupeRedis({ url: `redis://127.0.0.1:${(mute.address() as AddressInfo).port}` });
  const { network, post, counted, logs } = setUp({ dedupe: store, timeouts: { dedupe: 100 } });
  const response = await post('/events/batch', { events: [event(), event()] });
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
  expect(network.calls).toHaveLength(0);
  expect(counted('dedupe_failed')).toBe(1);
  expect(logs.map((entry) => entry.error)).toContain('no reply within 100 ms');
  await store.close();
  mute.close();
});

test('a URL that is not valid and a Redis that is not there are one clear line', async () => {
  await expect(openDedupeRedis({ url: 'localhost:6379' })).rejects.toThrow(/not a Redis URL\. Use redis:\/\/host:6379/);
  await expect(openDedupeRedis({ url: `redis://:hidden@127.0.0.1:${await freePort()}` })).rejects.toThrow(
    /^Redis at 127\.0\.0\.1:\d+ does not respond((?!hidden).)*$/,
  );
});

/** Replies to what a client says first, and to nothing after that. */
function replyToHandshake(socket: Socket): void {
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    const commands = chunk.toString().match(/(?<=\r\n)(HELLO|CLIENT)(?=\r\n)/g) ?? [];
    socket.write(commands.map((command) => (command === 'HELLO' ? '%0\r\n' : '+OK\r\n')).join(''));
  });
}

function newKey(): string {
  return crypto.randomUUID().replaceAll('-', '');
}
