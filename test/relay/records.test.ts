// onOffers and onEvents: what the merchant records of what the network has accepted.
import { expect, test, vi } from 'vitest';
import { toNode, type EventsRecord, type OffersRecord, type RelayMetric, type RelayOptions } from '../../src/relay.ts';
import { createRecords } from '../../src/relay/createRecords.ts';
import type { Caller } from '../../src/relay/readCaller.ts';
import { EXAMPLE_OFFERS } from '../../src/testing/exampleOffers.ts';
import type { WireEvent } from '../../src/wire/events.ts';
import type { Recommendation } from '../../src/wire/offers/response.ts';
import { serve } from '../fixtures/serve.ts';
import { accept, event, HASH, json, postTo, REQUEST, SESSION, setUp, type Bench } from './scriptedNetwork.ts';
import { posting } from '../fixtures/posting.ts';

const ORDER = { ...REQUEST, order_details: { order_id: '1001' } };
const OFFER = EXAMPLE_OFFERS[0] as Recommendation;
const OFFERS = {
  session_id: SESSION,
  recommendations: { [OFFER.offer.id]: OFFER },
  recommendation_groups: [
    {
      id: 'g',
      items: [{ insertion_order: 0, insertion_id: 'i1', offer_id: OFFER.offer.id, advertiser_id: OFFER.advertiser.id }],
    },
  ],
  footer: {},
};

/** A relay whose network has one offer, with what it records. */
function record(options: Partial<RelayOptions> = {}): Bench & { offers: OffersRecord[]; events: EventsRecord[] } {
  const [offers, events]: [OffersRecord[], EventsRecord[]] = [[], []];
  const bench = setUp({
    onOffers: (one) => void offers.push(one),
    onEvents: (one) => void events.push(one),
    ...options,
  });
  bench.network.respondWith((call) => (call.path === '/recommendations' ? json(200, OFFERS) : accept(call)));
  return { ...bench, offers, events };
}

/** Resolves when what comes after a response has come. */
const after = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, 20));

test('offers are recorded once, and what was seen of them, with the order that they were for', async () => {
  const { post, relay, offers, events } = record();
  for (let view = 0; view < 3; view++) await postTo(relay, '/recommendations', ORDER, { ip: '192.0.2.1' });
  await after();
  expect(offers).toEqual([
    {
      order_id: '1001',
      session_id: SESSION,
      offers: [expect.objectContaining({ insertion_id: 'i1', offer_id: OFFER.offer.id })],
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    },
  ]);
  expect(offers[0]?.offers[0]?.offer).toMatchObject({ heading: OFFER.offer.heading });
  const [shown, other, clicked] = [event(), event({ session_id: 'other' }), event({ event_name: 'BRAND_CLICK' })];
  await post('/events/batch', { events: [shown, other, clicked] });
  await post('/events', shown);
  await post('/events/batch', { events: [shown, clicked] });
  await after();
  expect(events).toEqual([
    { order_id: '1001', session_id: SESSION, events: [shown, clicked], at: expect.any(String) },
    { session_id: 'other', events: [other], at: expect.any(String) },
  ]);
});

test('only what the network accepted is recorded, however often it takes', async () => {
  const { post, network, events } = record();
  const [good, bad, old] = [event(), event(), event({ event_datetime: '2020-01-01T00:00:00Z' })];
  network.respondWith(() => json(503, { message: 'busy' }));
  await post('/events/batch', { events: [good, bad, old] });
  await after();
  expect(events).toEqual([]);
  network.respondWith(() =>
    json(207, {
      results: [
        { index: 0, success: true },
        { index: 1, success: false },
      ],
    }),
  );
  await post('/events/batch', { events: [good, bad, old] });
  await after();
  expect(events.map((one) => one.events)).toEqual([[good]]);
});

test('nothing of the shopper is recorded but the order that the merchant’s server stated', async () => {
  const { post, offers, events } = record({
    context: () => ({ user_details: { email: 'ada@shop.example' }, order_details: { order_id: 'A-7' } }),
  });
  const page = {
    ...REQUEST,
    user_details: { email: 'eve@page.example', first_name: 'Eve' },
    order_details: { order_id: 'guessed', cost_details: { amount: 42.5 } },
    custom_metadata: { note: 'eve@page.example' },
  };
  await post('/recommendations', page, { cookie: 'session=secret', 'user-agent': 'Eve/1.0' });
  await post('/events', { ...event(), email: 'eve@page.example', user_details: { email_hash: HASH } });
  await after();
  expect([offers[0]?.order_id, events[0]?.order_id]).toEqual(['A-7', 'A-7']);
  expect(Object.keys(offers[0] ?? {})).toEqual(['order_id', 'session_id', 'offers', 'at']);
  expect(JSON.stringify([offers, events])).not.toMatch(/\b(eve|ada|guessed|secret)\b|42\.5|b4c9a289/i);
});

test('a session that the network gives to several orders is none of theirs', async () => {
  const { post, events } = record();
  for (const order_id of ['1001', '1002', '1001'])
    await post('/recommendations', { ...REQUEST, order_details: { order_id } });
  await after();
  await post('/events', event());
  await after();
  expect(events).toEqual([expect.not.objectContaining({ order_id: expect.anything() })]);
});

test('the page has its response before anything is recorded, and nobody waits for that', async () => {
  const order: string[] = [];
  const { relay } = record({
    onOffers: () => void order.push('recorded'),
    onEvents: () => new Promise<void>(() => undefined),
  });
  const server = await serve((request, response) => {
    const { end } = response;
    Object.assign(response, { end: (text: string) => (order.push('sent'), end.call(response, text, 'utf8')) });
    toNode(relay)(request, response);
  });
  const post = (path: string, body: object): Promise<Response> => fetch(server.url + path, posting(body));
  expect((await post('/recommendations', ORDER)).status).toBe(200);
  expect((await post('/events', event())).status).toBe(201);
  await after();
  expect(order.slice(0, 2)).toEqual(['sent', 'recorded']);
  await server.close();
});

test.each<[string, () => Promise<void> | never, RegExp]>([
  [
    'throws',
    () => {
      throw new Error('disk full');
    },
    /disk full/,
  ],
  ['rejects', () => Promise.reject(new Error('no table')), /no table/],
  ['hangs', () => new Promise(() => undefined), /longer than 10 ms/],
])('a record that %s is counted and logged, and harms nothing', async (_, fails, reason) => {
  const { post, counted, logs } = record({ onOffers: fails, onEvents: fails, timeouts: { records: 10 } });
  expect((await post('/recommendations', ORDER)).status).toBe(200);
  expect((await post('/events', event())).status).toBe(201);
  await vi.waitFor(() => expect(counted('records_failed')).toBe(2));
  expect(logs.filter(({ level }) => level === 'error').map(({ message, error }) => [message, error])).toEqual([
    ['onOffers failed.', expect.stringMatching(reason)],
    ['onEvents failed.', expect.stringMatching(reason)],
  ]);
});

test('a record that is changed by who gets it changes nothing for the shopper, nor what counts as a duplicate', async () => {
  const change = (record: object): void => {
    for (const [name, value] of Object.entries(record)) {
      if (typeof value === 'object' && value !== null) change(value as object);
      Reflect.deleteProperty(record, name);
    }
  };
  const { post, network, counted } = record({ onOffers: change, onEvents: change });
  const batch = { events: [event(), event({ event_name: 'BRAND_CLICK' })] };
  const replies: string[] = [];
  for (let visit = 0; visit < 2; visit++) {
    replies.push(await (await post('/recommendations', ORDER)).text());
    replies.push(await (await post('/events/batch', batch)).text());
    await after();
  }
  expect(replies.slice(2)).toEqual(replies.slice(0, 2));
  expect(JSON.parse(replies[0] ?? '')).toEqual(OFFERS);
  expect(network.calls.filter(({ path }) => path !== '/recommendations')).toHaveLength(1);
  expect(counted('records_failed')).toBe(0);
});

test('a network that returns far too much: a shopper gets twenty offers at most, and so does the record', async () => {
  const [group] = OFFERS.recommendation_groups;
  const items = Array.from({ length: 4_000 }, (_, at) => ({
    ...group?.items[0],
    insertion_order: at,
    insertion_id: `i${at}`,
  }));
  const { post, network, offers, counted } = record();
  network.respondWith(() => json(200, { ...OFFERS, recommendation_groups: [{ id: 'g', items }] }));
  expect((await post('/recommendations', ORDER)).status).toBe(200);
  await after();
  expect(offers.map((one) => one.offers.length)).toEqual([20]);
  network.respondWith(() => json(200, { ...OFFERS, custom: 'x'.repeat(5_000_000) }));
  expect((await post('/recommendations', { ...ORDER, order_details: { order_id: '1002' } })).status).toBe(502);
  await after();
  expect([offers.length, counted('records_failed')]).toEqual([1, 0]);
});

test('however many come at once, none is left out where each ends at once', async () => {
  let calls = 0;
  const { post, counted } = record({ onEvents: () => void calls++, rateLimit: false });
  const batch = () => ({ events: [...Array(20).keys()].map((at) => event({ session_id: `s-${at}` })) });
  await Promise.all([...Array(100).keys()].map(() => post('/events/batch', batch())));
  await vi.waitFor(() => expect(calls + counted('records_failed')).toBe(2_000));
  expect(calls).toBe(2_000);
});

test('records that never end do not fill the memory: beyond ten thousand, the next is left out and counted', async () => {
  let calls = 0;
  const failed: string[] = [];
  const telemetry = { isVerbose: false, log: () => {}, measure: ({ name }: RelayMetric) => void failed.push(name) };
  const records = createRecords({ telemetry, timeoutMs: 60_000, time: Date.now });
  const caller = { onEvents: () => (calls++, new Promise<void>(() => undefined)) } as Partial<Caller> as Caller;
  for (let at = 0; at < 10_003; at++) records.addEvents([event()] as unknown as WireEvent[], caller);
  await vi.waitFor(() => expect(failed).toEqual(Array(3).fill('records_failed')));
  expect(calls).toBe(10_000);
});

test('a platform that ends with the response waits until everything is recorded', async () => {
  const { relay, offers } = record();
  const work: Promise<unknown>[] = [];
  const asked = new Request('https://shop.example/recommendations', posting(ORDER));
  await relay(asked, { waitUntil: (each) => work.push(each) });
  expect([offers, work.length]).toEqual([[], 1]);
  await Promise.all(work);
  expect(offers).toHaveLength(1);
});
