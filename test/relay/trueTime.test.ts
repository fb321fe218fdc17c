// The relay moves the times of events by as much as the device's clock was wrong when they were sent.
import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest';
import { makeFolder } from '../fixtures/makeFolder.ts';
import { openQueue } from '../../src/queue/openQueue.ts';
import { createRelay, openDedupeFile } from '../../src/relay.ts';
import { createFakeNetwork } from '../../src/testing/createFakeNetwork.ts';
import { event as queued, freshStorage } from '../queue/world.ts';
import { ask, event, KEY, REQUEST, setUp } from './scriptedNetwork.ts';
import { seeded } from '../fixtures/random.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOON = Date.parse('2026-11-21T12:00:00.000Z');
const iso = (at: number): string => new Date(at).toISOString();

test('a relay whose own clock is wrong counts an event in the hour that it says to the network', async () => {
  const dedupe = await openDedupeFile(makeFolder(), { onLog: () => undefined });
  const midnight = Date.parse('2026-11-22T00:00:00Z');
  for (const now of [midnight - 10 * MINUTE, midnight + 10 * MINUTE])
    for (const wrong of [0, -2 * HOUR]) {
      const { network, post } = setUp({ dedupe, now: () => now + wrong });
      for (const device of [now, now + 3 * DAY, now - 3 * DAY]) {
        const events = [event({ event_datetime: iso(device) })];
        for (let tries = 0; tries < 2; tries++) await post(`/events/batch?sent=${device}`, { events });
      }
      expect(network.events().map(({ event_datetime }) => event_datetime)).toEqual(Array(3).fill(iso(now + wrong)));
    }
  const { rows } = await dedupe.ledger.read({ from: '2026-11-01', to: '2026-12-10' });
  await dedupe.close();
  const displays = rows.filter(({ name }) => name === 'BRAND_DISPLAY');
  expect(displays.map(({ hour, count }) => `${hour} ${count}`)).toEqual([
    '2026-11-21T21:00:00Z 3',
    '2026-11-21T22:00:00Z 3',
    '2026-11-21T23:00:00Z 3',
    '2026-11-22T00:00:00Z 3',
  ]);
});

describe('?sent=', () => {
  /** The time that reaches the network of an event, which the device stamped `at` and sent at `sent`. */
  async function arrived(at: string, sent: string | undefined, more = {}): Promise<unknown[]> {
    const { network, post } = setUp({ now: () => NOON, ...more });
    const query = sent === undefined ? '' : `?sent=${sent}`;
    await post(`/events/batch${query}`, { events: [event({ event_datetime: at })] });
    await post(`/events${query}`, event({ event_datetime: at }));
    return network.events().map(({ event_datetime }) => event_datetime);
  }

  test.each([
    ['right', 0, 0],
    ['half a minute behind', -30 * SECOND, 0],
    ['half a minute ahead', 30 * SECOND, 0],
    ['31 seconds behind', -31 * SECOND, 31 * SECOND],
    ['31 seconds ahead', 31 * SECOND, -31 * SECOND],
    ['three days behind', -3 * DAY, 3 * DAY],
    ['three days ahead', 3 * DAY, -3 * DAY],
    ['at 1970', 5 * SECOND - NOON, NOON - 5 * SECOND],
    ['in 2099', 26_000 * DAY, -26_000 * DAY],
  ])('a device whose clock is %s: the event was two seconds ago', async (_, off, moved) => {
    const at = NOON + off - 2 * SECOND;
    const expected = iso(at + moved);
    expect(await arrived(iso(at), String(NOON + off))).toEqual([expected, expected]);
  });

  test.each([
    ['none', undefined],
    ['an empty one', ''],
    ['a word', 'now'],
    ['a negative one', `-${NOON}`],
    ['a fraction', `${NOON - DAY}.5`],
    ['far too long', '9'.repeat(40)],
    ['two, the first of them broken', `x&sent=`],
  ])('%s leaves the time as it is, to the letter', async (_, sent) => {
    const at = '2026-11-20T13:00:00.1234567+01:00';
    expect(await arrived(at, sent)).toEqual([at, at]);
  });

  test('a time with an offset is moved like any other', async () => {
    expect(await arrived('2026-11-20T13:00:00+01:00', String(NOON - DAY))).toEqual([iso(NOON), iso(NOON)]);
  });

  test('no event happens after it was sent: a clock that was set back since', async () => {
    expect(await arrived(iso(NOON + 3 * DAY), String(NOON))).toEqual([iso(NOON), iso(NOON)]);
    expect(await arrived(iso(NOON + 3 * DAY), String(NOON - HOUR))).toEqual([iso(NOON), iso(NOON)]);
    expect(await arrived(iso(NOON + 20 * SECOND), String(NOON))).toEqual([
      iso(NOON + 20 * SECOND),
      iso(NOON + 20 * SECOND),
    ]);
  });

  test('an event that is old by its true time is refused, one that only looks old is not', async () => {
    const slow = NOON - 400 * DAY;
    expect(await arrived(iso(slow), String(slow))).toEqual([iso(NOON), iso(NOON)]);
    expect(await arrived(iso(slow - 31 * DAY), String(slow))).toEqual([]);
  });

  test('an option switches it off, and then the relay says no time', async () => {
    expect(await arrived(iso(NOON - DAY), String(NOON - DAY), { correctTime: false })).toEqual([
      iso(NOON - DAY),
      iso(NOON - DAY),
    ]);
    const { post } = setUp({ correctTime: false });
    expect((await post('/recommendations', REQUEST)).headers.get('offerlet-time')).toBeNull();
  });

  test('a duplicate that is corrected otherwise is still the same event', async () => {
    const { network, post } = setUp({ now: () => NOON });
    const one = event({ event_datetime: iso(NOON - DAY) });
    await post(`/events/batch?sent=${NOON - DAY}`, { events: [one] });
    await post(`/events/batch?sent=${NOON - 2 * DAY}`, { events: [one] });
    expect(network.events()).toHaveLength(1);
  });
});

test('every response says the relay’s time, and pages of other origins may read it', async () => {
  const { post } = setUp({ now: () => NOON, allowedOrigins: ['https://shop.example'] });
  for (const [path, body] of [
    ['/recommendations', REQUEST],
    ['/events', event({ event_datetime: iso(NOON) })],
    ['/events/batch', { events: [] }],
    ['/nowhere', {}],
  ] as const) {
    const { headers } = await post(path, body, { origin: 'https://shop.example' });
    expect(headers.get('offerlet-time'), path).toBe(String(NOON));
    expect(headers.get('access-control-expose-headers'), path).toContain('offerlet-time');
  }
});

describe('a queue, a relay with its ledger and a network', () => {
  const real = performance.now.bind(performance);
  let started = 0;
  let now = 0;
  /** How far the device's clock is off. */
  let offset = 0;
  /** The true time, which only the relay and the network know. */
  const time = (): number => now + real() - started;

  let directory = '';
  beforeEach(() => {
    directory = makeFolder();
    now = Date.parse('2026-11-21T09:10:00Z');
    started = real();
    offset = 0;
    vi.spyOn(Date, 'now').mockImplementation(() => Math.floor(time() + offset));
    vi.spyOn(performance, 'now').mockImplementation(() => time() - 1e12);
    freshStorage();
  });
  afterEach(async () => {
    vi.restoreAllMocks();
  });

  it.each([...Array(8).keys()])(
    'every event is counted once, in its hour, whatever happens to the clock (run %i)',
    async (run) => {
      const random = seeded(run + 1);
      const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
      const network = createFakeNetwork({ offers: 1, now: time });
      const dedupe = await openDedupeFile(directory, { onLog: () => undefined });
      const relay = createRelay({
        apiKey: KEY,
        version: '1.0.0',
        networkUrl: 'https://network.example',
        fetch: network.fetch,
        now: time,
        rateLimit: false,
        dedupe,
        forwardEventIds: true,
        onLog: () => undefined,
      });
      let isUp = true;
      const reach = (async (url, init) => {
        if (!isUp) throw new TypeError('Failed to fetch');
        const response = await relay(new Request(url as string, init));
        // The response to every fifth request is lost: the events are sent again.
        if (random() < 0.2) throw new TypeError('Failed to fetch');
        return response;
      }) as typeof fetch;
      const response = await ask(relay);
      const { session_id } = (await response.json()) as { session_id: string };
      const expected = new Map<string, string>();
      const openPage = async (): Promise<ReturnType<typeof openQueue>> => {
        vi.stubGlobal('fetch', reach);
        const queue = openQueue({ endpoint: 'https://shop.example/events/batch' });
        isUp = true;
        // The first response says the time.
        await track(queue);
        await whenEmpty(queue);
        return queue;
      };
      const track = async (queue: ReturnType<typeof openQueue>): Promise<void> => {
        const id = `${run}-${expected.size}`;
        expected.set(id, iso(time()).slice(0, 13));
        await queue.track(queued(id, { event_name: 'WIDGET_LOAD', session_id }));
      };
      const whenEmpty = async (queue: ReturnType<typeof openQueue>): Promise<void> => {
        for (let tries = 0; tries < 50; tries++) {
          const { onDisk, inMemory, inFlight } = await queue.flush();
          if (onDisk + inMemory + inFlight === 0) return;
        }
      };

      offset = pick([0, 3 * DAY, -3 * DAY, -6 * 60_000, -50 * 365 * DAY]);
      let queue = await openPage();
      let hasJumped = false;
      for (let step = 0; step < 15; step++) {
        const what = pick(['track', 'track', 'wait', 'jump', 'line', 'page']);
        if (what === 'track') await track(queue);
        if (what === 'wait') now += Math.floor(random() * 3 * HOUR);
        // If a clock is set twice while the relay does not respond, it is unknown when the clock was right.
        if (what === 'jump' && (isUp || !hasJumped)) {
          offset = pick([0, 3 * DAY, -3 * DAY, offset - HOUR, offset + 10 * SECOND]);
          hasJumped = !isUp;
          if (isUp) await track(queue);
          if (isUp) await whenEmpty(queue);
        }
        if (what === 'line') {
          isUp = !isUp;
          hasJumped = false;
          // What was stored meanwhile is sent, and the response says the time.
          if (isUp) await track(queue);
          if (isUp) await whenEmpty(queue);
        }
        if (what === 'page') {
          await queue.close();
          queue = await openPage();
        }
      }
      isUp = true;
      await whenEmpty(queue);
      await queue.close();
      const counted = network.delivered.map(({ event_id, event_datetime }) => [event_id, event_datetime.slice(0, 13)]);
      expect(network.receipts.filter(({ status }) => status === 'refused')).toEqual([]);
      expect(Object.fromEntries(counted)).toEqual(Object.fromEntries(expected));
      expect(counted).toHaveLength(expected.size);
      const { rows } = await dedupe.ledger.read({ from: '2000-01-01', to: '2099-12-31' });
      await dedupe.close();
      const loads = rows.filter(({ name }) => name === 'WIDGET_LOAD');
      const inHours: Record<string, number> = {};
      for (const hour of expected.values()) inHours[`${hour}:00:00Z`] = (inHours[`${hour}:00:00Z`] ?? 0) + 1;
      expect(Object.fromEntries(loads.map(({ hour, count }) => [hour, count]))).toEqual(inHours);
      expect(loads).toHaveLength(Object.keys(inHours).length);
    },
  );
});
