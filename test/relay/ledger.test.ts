import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { hashText } from '../../src/wire/hash.ts';
import { makeFolder } from '../fixtures/makeFolder.ts';
import {
  createDedupeMemory,
  openDedupeFile,
  readLedger,
  type DedupeFile,
  type Ledger,
  type LedgerRow,
} from '../../src/relay.ts';
import { createCounting } from '../../src/relay/createCounting.ts';
import { accept, event, json, KEY, postTo, setUp, SESSION, type Bench } from './scriptedNetwork.ts';

let directory: string;
const opened: DedupeFile[] = [];
beforeEach(() => void (directory = makeFolder()));
afterEach(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  for (const store of opened.splice(0)) await store.close();
});

const ALL = { from: '2000-01-01', to: '2099-12-31' };

async function open(): Promise<DedupeFile> {
  const store = await openDedupeFile(directory, { onLog: () => undefined });
  opened.push(store);
  return store;
}

const logFile = (): string => join(directory, 'accepted-events.1.log');

async function countsOf(name: string, from: { ledger: Pick<Ledger, 'read'> } | string = directory): Promise<number> {
  const { rows } = typeof from === 'string' ? await readLedger(from, ALL) : await from.ledger.read(ALL);
  return rows.filter((row) => row.name === name).reduce((sum, { count }) => sum + count, 0);
}

async function askFor(bench: Bench, placement: Record<string, unknown>): Promise<void> {
  await bench.post('/recommendations', {
    user_details: { external_guid: 'a' },
    placement_details: placement,
  });
}

function send(bench: Bench, path: string, { body, ip }: { body: unknown; ip: string }): Promise<Response> {
  return postTo(bench.relay, path, body, { ip });
}

describe('the ledger in files', () => {
  test('counts accepted events by hour, name and the placement of their session', async () => {
    vi.useFakeTimers({ toFake: ['Date'] }); // the hour stays
    const store = await open();
    const bench = setUp({ dedupe: store });
    await askFor(bench, { view: 'THANK_YOU', display_mode: 'INLINE', widget_id: 'under the fold, größer \\ 1' });
    const at = new Date(Date.now() - 2 * 3_600_000).toISOString();
    await bench.post('/events/batch', {
      events: [
        event(),
        event({ event_name: 'BRAND_CLICK', event_datetime: at }),
        event({ session_id: 'b2d9a7a2-2f49-4b7c-8a9d-9f5df0b1c001' }),
      ],
    });
    const { rows } = await store.ledger.read(ALL);
    const place = { view: 'THANK_YOU', display_mode: 'INLINE', widget_id: 'under the fold, größer \\ 1' };
    const none = { view: null, display_mode: null, widget_id: null };
    const hour = (time: string): string => `${time.slice(0, 13)}:00:00Z`;
    const now = hour(new Date().toISOString());
    expect(rows).toEqual([
      { hour: hour(at), name: 'BRAND_CLICK', ...place, count: 1 },
      { hour: now, name: 'BRAND_DISPLAY', ...none, count: 1 },
      { hour: now, name: 'BRAND_DISPLAY', ...place, count: 1 },
      { hour: now, name: 'offers_empty', ...none, count: 1 },
      { hour: now, name: 'offers_requested', ...none, count: 1 },
    ] satisfies LedgerRow[]);
  });

  test('counts a widget id of 200 characters by its whole name', async () => {
    const store = await open();
    const bench = setUp({ dedupe: store });
    const widget_id = 'w'.repeat(199) + 'ö';
    await askFor(bench, { view: 'THANK_YOU', display_mode: 'INLINE', widget_id });
    await bench.post('/events', event());
    const { rows } = await store.ledger.read(ALL);
    expect(rows.map((row) => row.widget_id).filter((name) => name !== null)).toEqual([widget_id]);
  });

  test('contains no ids of sessions or events', async () => {
    const store = await open();
    const bench = setUp({ dedupe: store });
    await askFor(bench, { view: 'THANK_YOU', display_mode: 'INLINE' });
    const sent = event();
    await bench.post('/events/batch', { events: [sent, event({ event_name: 'BRAND_CLICK' })] });
    await store.ledger.read(ALL);
    const text = await readFile(logFile(), 'latin1');
    for (const id of [SESSION, String(sent['event_id']), 'external_guid']) expect(text).not.toContain(id);
  });
});

describe('the ledger', () => {
  test('counts requests for offers by what became of them', async () => {
    const store = await open();
    const bench = setUp({ dedupe: store });
    const place = { view: 'THANK_YOU', display_mode: 'INLINE' };
    await askFor(bench, place);
    bench.network.respondWith(() => json(200, { session_id: 's', recommendations: { a: {} } }));
    await askFor(bench, place);
    bench.network.respondWith(() => json(500, {}));
    await askFor(bench, place);
    bench.network.respondWith(() => json(200, { session_id: 's', recommendations: { a: {} }, key: KEY }));
    await askFor(bench, place);
    const names = ['requested', 'answered', 'empty', 'failed'];
    expect(await Promise.all(names.map((name) => countsOf(`offers_${name}`, store)))).toEqual([4, 1, 1, 2]);
  });

  test('counts refusals by code, apart from those after which pages try again', async () => {
    const store = await open();
    const bench = setUp({ dedupe: store });
    const [one, two] = [event(), event()];
    const error = { code: 'UNKNOWN_SESSION', message: 'no', retryable: false };
    bench.network.respondWith(() =>
      json(207, {
        results: [
          { index: 0, success: false, error },
          { index: 1, success: false },
        ],
      }),
    );
    await bench.post('/events/batch', { events: [one, two] });
    await bench.post('/events/batch', { events: [two, event({ event_name: 'CONVERSION' }), two] });
    expect(await countsOf('refused:UNKNOWN_SESSION', store)).toBe(2);
    expect(await countsOf('refused:conversion_from_page', store)).toBe(1);
    const { rows } = await store.ledger.read(ALL);
    expect(rows.map(({ name, count }) => `${name} ${count}`)).toEqual([
      'deferred:other 1',
      'refused:UNKNOWN_SESSION 2',
      'refused:conversion_from_page 1',
    ]);
  });

  test('counts an event without an id each time the network accepts it or its response is lost', async () => {
    const store = await open();
    const bench = setUp({ dedupe: store });
    const sent = event({ event_id: undefined });
    for (let at = 0; at < 2; at++) await bench.post('/events', sent);
    bench.network.respondWith(() => json(503, { message: 'Later' }));
    await bench.post('/events', sent);
    expect([await countsOf('BRAND_DISPLAY', store), await countsOf('answers_lost', store)]).toEqual([2, 1]);
  });

  test.each([
    [false, 2],
    [true, 0],
  ])('counts what is sent again after a lost response; with event ids sent on: %s', async (forwardEventIds, again) => {
    const store = await open();
    const bench = setUp({ dedupe: store, forwardEventIds });
    const sent = { events: [event(), event()] };
    bench.network.respondWith(() => json(503, { message: 'Later' }));
    await bench.post('/events/batch', sent);
    expect(await countsOf('possible_duplicates', store)).toBe(0);
    bench.network.respondWith(accept);
    await bench.post('/events/batch', sent);
    expect(await countsOf('possible_duplicates', store)).toBe(again);
    // Not what a paused network is spared.
    const later = event();
    bench.network.respondWith(() => json(503, { message: 'Later' }));
    for (let tries = 0; tries < 8; tries++) await bench.post('/events', later);
    expect(await countsOf('possible_duplicates', store)).toBe(bench.counted('possible_duplicates'));
  });

  test('counts what the store failed to write as soon as it works again', async () => {
    const store = await open();
    let isFull = true;
    const bench = setUp({
      dedupe: {
        ...store,
        async accept(...given) {
          if (isFull) throw new Error('disk full');
          return store.accept(...given);
        },
      },
    });
    await bench.post('/events', event());
    isFull = false;
    await bench.post('/events', event());
    await expect.poll(() => countsOf('BRAND_DISPLAY', store)).toBe(2);
  });

  test.each(['2098-01-01T00:00:00Z', '9999-12-31T23:59:59-23:59'])(
    'counts an event of %s in the hour in which it arrived',
    async (at) => {
      const store = await open();
      await setUp({ dedupe: store }).post('/events', event({ event_datetime: at }));
      const { rows } = await store.ledger.read(ALL);
      expect(rows.map(({ hour }) => hour.slice(0, 4))).toEqual([new Date().toISOString().slice(0, 4)]);
    },
  );

  test('may be a custom one, and its failure fails no request', async () => {
    const counts: string[] = [];
    const fail = (): never => {
      throw new Error('ledger failed');
    };
    const memory = createDedupeMemory();
    const bench = setUp({
      dedupe: {
        ...memory,
        accept(keys, sender, cells = []) {
          counts.push(...cells);
          memory.accept(keys, sender);
        },
        ledger: { add: fail, openSession: fail, placementsOf: fail, read: fail },
      },
    });
    await askFor(bench, { view: 'THANK_YOU', display_mode: 'INLINE' });
    const at = '2026-11-21T09:59:59.999+01:00';
    vi.useFakeTimers({ now: Date.parse('2026-11-21T12:00:00Z'), toFake: ['Date'] });
    expect((await bench.post('/events', event({ event_datetime: at }))).status).toBe(201);
    expect(counts).toEqual(['2026-11-21T08 BRAND_DISPLAY - - ']);
  });

  test('keeps view and display mode of every placement, and of one client no more than 20 widget ids', async () => {
    const store = await open();
    const bench = setUp({ dedupe: store, rateLimit: false });
    let session = '';
    bench.network.respondWith((call) =>
      call.path === '/recommendations' ? json(200, { session_id: session, recommendations: { a: {} } }) : accept(call),
    );
    const shop = async (widget_id: string, ip: string, isSeen = true): Promise<void> => {
      session = crypto.randomUUID();
      const placement_details = { view: 'ORDER_STATUS', display_mode: 'OVERLAY', widget_id };
      await send(bench, '/recommendations', { body: { user_details: { external_guid: ip }, placement_details }, ip });
      if (isSeen) await send(bench, '/events', { body: event({ session_id: session }), ip });
    };
    // Names that no event of theirs was accepted for take nothing away.
    for (let at = 0; at < 520; at++) await shop(`unseen ${at}`, '203.0.113.66', false);
    for (let at = 0; at < 25; at++) await shop(`invented ${at}`, '203.0.113.66');
    await shop('below the fold', '192.0.2.1');
    const { rows } = await store.ledger.read(ALL);
    const counted = rows.filter(({ name }) => name === 'BRAND_DISPLAY');
    expect(counted.every(({ view, display_mode }) => view === 'ORDER_STATUS' && display_mode === 'OVERLAY')).toBe(true);
    expect(counted.map(({ widget_id, count }) => `${widget_id} ${count}`).toSorted()).toEqual(
      [...Array.from({ length: 20 }, (_, at) => `invented ${at} 1`), '(other) 5', 'below the fold 1'].toSorted(),
    );
  });

  test('forgets the names that one client alone used at the end of the day, and keeps those of several', () => {
    let time = Date.parse('2026-11-23T10:00:00Z');
    const telemetry = { isVerbose: false, log: () => undefined, measure: () => undefined };
    const ledger = { add: () => undefined } as unknown as Ledger;
    const counting = createCounting({ ledger, telemetry, timeoutMs: 1, now: () => time });
    const isNamed = (name: string, sender: string): boolean => {
      const cell = `2026-11-23T10 BRAND_DISPLAY THANK_YOU INLINE ${name}`;
      return counting.admit({ text: cell, once: undefined }, sender) === cell;
    };
    expect([isNamed('footer', 'a'), isNamed('footer', 'b')]).toEqual([true, true]);
    for (let client = 0; client < 99; client++)
      for (let at = 0; at < 20; at++) expect(isNamed(`${client} ${at}`, `client ${client}`)).toBe(true);
    const more = Array.from({ length: 20 }, (_, at) => isNamed(`more ${at}`, 'another'));
    expect([more.filter(Boolean).length, isNamed('new', 'c'), isNamed('footer', 'c')]).toEqual([19, false, true]);
    for (const [day, isKept] of [
      [1, true],
      // On the day before, nobody but one client used it.
      [2, false],
    ] as const) {
      time = Date.parse('2026-11-23T10:00:00Z') + day * 86_400_000;
      for (let at = 0; at < 20; at++) isNamed(`${day} ${at}`, 'c');
      expect([isNamed('footer', 'c'), isNamed('2 21', 'c')]).toEqual([isKept, false]);
    }
  });

  test('remembers sessions by client, so that one with many loses its own', async () => {
    // With a random salt, one in 4,096 runs has two clients with the same number.
    vi.spyOn(crypto, 'getRandomValues').mockImplementation((array) => array);
    const store = await open();
    for (const [at, client] of ['192.0.2.1', '192.0.2.2', '192.0.2.1'].entries())
      await store.ledger.openSession(String(at).repeat(32), 'o THANK_YOU INLINE ', client);
    const clients = [...(await readFile(logFile(), 'latin1')).matchAll(/"from":(\d+),"sessions"/g)].map(
      ([, from]) => from,
    );
    expect([clients.length, new Set(clients).size, clients[0] === clients[2]]).toEqual([3, 2, true]);
  });

  test('counts a session that is given to another shopper, order or place again, and not one given to the same', async () => {
    const store = await open();
    const bench = setUp({ dedupe: store });
    const from = (external_guid: string, order_id: string, view = 'THANK_YOU'): Promise<Response> =>
      bench.post('/recommendations', {
        user_details: { external_guid },
        order_details: { order_id },
        placement_details: { view, display_mode: order_id.length > 4 ? 'OVERLAY' : 'INLINE' },
      });
    await from('a', '1001');
    await from('a', '1001');
    await from('a', '1001 ');
    await expect.poll(() => countsOf('sessions_shared', store)).toBe(1);
    await from('b', '1001');
    await expect.poll(() => countsOf('sessions_shared', store)).toBe(2);
    await from('b', '1001', 'ORDER_STATUS');
    await expect.poll(() => countsOf('sessions_shared', store)).toBe(3);
    // Its events count where it was opened first.
    await bench.post('/events', event());
    const { rows } = await store.ledger.read(ALL);
    expect(rows.find(({ name }) => name === 'BRAND_DISPLAY')).toMatchObject({ view: 'THANK_YOU' });
    expect(bench.logs.map(({ message }) => message)).toContain(
      'The network gave a session to another shopper, order or place again.',
    );
    // Whoever guesses a shopper and an order cannot look them up in the files without the key.
    const guess = await hashText(JSON.stringify([[null, null, null, 'a'], '1001']));
    expect(await readFile(logFile(), 'latin1')).not.toContain(guess.slice(0, 8));
  });

  test('that lacks a method stops the start', () => {
    const ledger = { add: () => undefined } as unknown as Ledger;
    expect(() => setUp({ dedupe: { ...createDedupeMemory(), ledger } })).toThrow(/has a ledger without/);
  });
});
