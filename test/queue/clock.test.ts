import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openClock } from '../../src/queue/createPost.ts';
import { openQueue } from '../../src/queue/openQueue.ts';
import { event, freshStorage, names } from './world.ts';

const DAY = 24 * 3_600_000;
/** The true time, which nobody but the relay knows. */
let started = 0;
let now = 0;
const real = performance.now.bind(performance);
/** The true time while the test runs. */
const time = (): number => now + real() - started;
/** How far the device's clock is off, and how long the device has slept. */
let offset = 0;
let slept = 0;

beforeEach(() => {
  now = Date.parse('2026-11-21T09:10:00Z');
  started = real();
  offset = slept = 0;
  vi.spyOn(Date, 'now').mockImplementation(() => Math.floor(time() + offset));
  vi.spyOn(performance, 'now').mockImplementation(() => time() - slept - 1e12);
  freshStorage();
});
afterEach(() => void vi.restoreAllMocks());

const response = () => new Response(null, { headers: { 'offerlet-time': String(Math.floor(time())) } });
const about = (at: number): unknown => expect.closeTo(at + real() - started, -3);

it.each([0, 3 * DAY, -3 * DAY, 5 * 60_000])(
  'shows the relay’s time after a response, with a device that is %i ms off',
  (off) => {
    offset = off;
    const clock = openClock();
    expect(clock.now()).toEqual({ at: about(now + off), isRelayTime: false });
    clock.read(response(), Date.now());
    now += 12_345;
    expect(clock.now()).toEqual({ at: about(now), isRelayTime: true });
  },
);

it('is not moved by a device clock that is set back', () => {
  const clock = openClock();
  clock.read(response(), Date.now());
  now += 1_000;
  offset = -2 * DAY;
  expect(clock.now()).toEqual({ at: about(now), isRelayTime: true });
});

it('shows the device’s time once the device has slept, or was set ahead, until the next response', () => {
  const clock = openClock();
  clock.read(response(), Date.now());
  now += slept = 3_600_000;
  expect(clock.now()).toEqual({ at: about(now), isRelayTime: false });
  clock.read(response(), Date.now());
  expect(clock.now()).toEqual({ at: about(now), isRelayTime: true });
});

it('ignores a response that was read after the device has slept, or its clock was set ahead', () => {
  const clock = openClock();
  const [sent, late] = [Date.now(), response()];
  now += slept = 3_600_000;
  clock.read(late, sent);
  expect(clock.now()).toEqual({ at: about(now), isRelayTime: false });
});

it.each(['', 'soon', '-1', '7', 'Infinity', 'NaN'])('ignores %j as a time', (value) => {
  const clock = openClock();
  clock.read(new Response(null, { headers: { 'offerlet-time': value } }), Date.now());
  clock.read({ status: 202 }, Date.now());
  clock.read(undefined, Date.now());
  expect(clock.now().isRelayTime).toBe(false);
});

/** A relay with its own clock: the time that it computes for an event. */
function startRelay() {
  const times = new Map<string, number>();
  const relay = {
    isUp: true,
    fail: undefined as number | undefined,
    times,
    hours: () => [...times].map(([id, at]) => `${id} ${new Date(at).toISOString().slice(0, 13)}`),
    fetch: (async (url, init) => {
      if (relay.fail) return new Response(null, { status: relay.fail });
      if (!relay.isUp) throw new TypeError('Failed to fetch');
      const sent = new URL(url as string, 'https://shop.example').searchParams.get('sent');
      const difference = sent ? time() - Number(sent) : 0;
      const { events } = JSON.parse(init?.body as string) as { events: { event_id: string; event_datetime: string }[] };
      for (const { event_id, event_datetime } of events)
        times.set(event_id, Date.parse(event_datetime) + (Math.abs(difference) > 30_000 ? difference : 0));
      return new Response(null, { status: 202, headers: { 'offerlet-time': String(Math.floor(time())) } });
    }) as typeof globalThis.fetch,
  };
  return relay;
}

/** A queue whose requests reach the relay. */
function open(relay: ReturnType<typeof startRelay>): ReturnType<typeof openQueue> {
  vi.stubGlobal('fetch', relay.fetch);
  return openQueue({ endpoint: 'https://shop.example/offers/events/batch' });
}

it.each([3 * DAY, -3 * DAY, 8 * DAY, -8 * DAY, 6 * 60_000, -6 * 60_000])(
  'a device that is %i ms off: every event arrives in its hour, before and after the first response, and from an earlier page',
  async (off) => {
    offset = off;
    const relay = startRelay();
    relay.isUp = false;
    const earlier = open(relay);
    await earlier.track(event('earlier', { event_name: 'BRAND_CLICK' }));
    await earlier.close();
    now += 2 * 3_600_000;
    relay.isUp = true;
    const queue = open(relay);
    await queue.track(event('first', { event_name: 'BRAND_CLICK' }));
    await vi.waitFor(() => expect(relay.times.size).toBe(2));
    now += 3_600_000;
    await queue.track(event('second', { event_name: 'BRAND_CLICK' }));
    // A caller's own time is by the device's clock.
    await queue.track(event('own', { event_name: 'BRAND_CLICK', event_datetime: new Date(Date.now()).toISOString() }));
    await vi.waitFor(() => expect(relay.times.size).toBe(4));
    const hours = ['earlier 2026-11-21T09', 'first 2026-11-21T11', 'own 2026-11-21T12', 'second 2026-11-21T12'];
    expect(relay.hours().toSorted()).toEqual(hours);
    await queue.close();
  },
);

it('a clock that jumps back in the middle of a page, and one that is corrected between storing and sending', async () => {
  offset = 3 * DAY;
  const relay = startRelay();
  const queue = open(relay);
  await queue.track(event('before', { event_name: 'BRAND_CLICK' }));
  await vi.waitFor(() => expect(relay.times.size).toBe(1));
  relay.isUp = false;
  await queue.track(event('stored', { event_name: 'BRAND_CLICK' }));
  now += 3_600_000;
  // Somebody sets the clock right.
  offset = 0;
  await queue.track(event('after', { event_name: 'BRAND_CLICK' }));
  relay.isUp = true;
  now += 3_600_000;
  await queue.flush();
  await vi.waitFor(() => expect(relay.times.size).toBe(3));
  expect(relay.hours().toSorted()).toEqual(['after 2026-11-21T10', 'before 2026-11-21T09', 'stored 2026-11-21T09']);
  await queue.close();
});

it.each([0, 9 * DAY])(
  'a page that wakes after nine days drops what it had sent in vain (asleep: %i ms)',
  async (asleep) => {
    const relay = startRelay();
    const queue = open(relay);
    await queue.track(event('delivered', { event_name: 'BRAND_CLICK' }));
    await vi.waitFor(() => expect(relay.times.size).toBe(1));
    relay.isUp = false;
    await queue.track(event('lost', { event_name: 'BRAND_CLICK' }));
    await vi.waitFor(async () => expect((await queue.stats()).nextTryAt).toBeGreaterThan(0));
    now += 9 * DAY;
    slept = asleep;
    relay.isUp = true;
    await queue.track(event('now', { event_name: 'BRAND_CLICK' }));
    await queue.flush();
    expect([...relay.times.keys()]).toEqual(['delivered', 'now']);
    expect(await queue.stats()).toMatchObject({ onDisk: 0, dropped: 1 });
    await queue.close();
  },
);

it('a clock that is set ahead by days while the relay is away drops nothing of this page', async () => {
  const relay = startRelay();
  const queue = open(relay);
  await queue.track(event('delivered', { event_name: 'BRAND_CLICK' }));
  await vi.waitFor(() => expect(relay.times.size).toBe(1));
  relay.isUp = false;
  await queue.track(event('waiting', { event_name: 'BRAND_CLICK' }));
  await vi.waitFor(async () => expect((await queue.stats()).nextTryAt).toBeGreaterThan(0));
  offset = 8 * DAY;
  await queue.flush();
  relay.isUp = true;
  await queue.track(event('now', { event_name: 'BRAND_CLICK' }));
  await queue.flush();
  expect([...relay.times.keys()].toSorted()).toEqual(['delivered', 'now', 'waiting']);
  expect(await queue.stats()).toMatchObject({ onDisk: 0, dropped: 0 });
  await queue.close();
});

it('what an earlier page left more than a week ago is dropped even while the relay is away and new events wait', async () => {
  const relay = startRelay();
  relay.isUp = false;
  const earlier = open(relay);
  await earlier.track(event('old', { event_name: 'BRAND_CLICK' }));
  await earlier.close();
  now += 8 * DAY;
  const queue = open(relay);
  await queue.track(event('new', { event_name: 'BRAND_CLICK' }));
  await vi.waitFor(async () => expect(await queue.stats()).toMatchObject({ onDisk: 1, dropped: 1 }));
  await queue.close();
});

it('an event that a server fails on each time is too old a week after it was tracked', async () => {
  const relay = startRelay();
  relay.fail = 500;
  const earlier = open(relay);
  await earlier.track(event('poison', { event_name: 'BRAND_CLICK' }));
  for (let time = 0; time < 12; time++) {
    now += 3_600_000;
    await earlier.flush();
  }
  await earlier.close();
  now += 7 * DAY - 3_600_000;
  relay.fail = undefined;
  const queue = open(relay);
  await vi.waitFor(async () => expect(await queue.stats()).toMatchObject({ onDisk: 0, dropped: 1 }));
  expect(relay.times.size).toBe(0);
  await queue.close();
});

it('so is one of a page whose clock was days ahead before, and is right again', async () => {
  const relay = startRelay();
  relay.isUp = false;
  offset = 3 * DAY;
  const earlier = open(relay);
  await earlier.track(event('ahead', { event_name: 'BRAND_CLICK' }));
  offset = 0;
  await earlier.track(event('old', { event_name: 'BRAND_CLICK' }));
  await earlier.close();
  now += 8 * DAY;
  relay.isUp = true;
  const queue = open(relay);
  await vi.waitFor(async () => expect(await queue.stats()).toMatchObject({ onDisk: 0, dropped: 1 }));
  expect([...relay.times.keys()]).toEqual(['ahead']);
  await queue.close();
});

it('more than a batch of what is too old hides nothing that is newer', async () => {
  const relay = startRelay();
  relay.isUp = false;
  const queue = open(relay);
  for (const id of names(25)) await queue.track(event(id));
  now += 8 * DAY;
  relay.isUp = true;
  await queue.track(event('new'));
  await vi.waitFor(() => expect([...relay.times.keys()]).toEqual(['new']));
  await queue.flush();
  expect(await queue.stats()).toMatchObject({ onDisk: 0, dropped: 25 });
  await queue.close();
});

it('a device clock that is eight days ahead drops nothing of what an earlier page left, however much it is', async () => {
  const relay = startRelay();
  relay.isUp = false;
  const earlier = open(relay);
  for (const id of names(25)) await earlier.track(event(id));
  await earlier.close();
  offset = 8 * DAY;
  relay.isUp = true;
  const queue = open(relay);
  await queue.track(event('now', { event_name: 'BRAND_CLICK' }));
  await vi.waitFor(async () => expect(await queue.stats()).toMatchObject({ onDisk: 0, delivered: 26, dropped: 0 }));
  await queue.close();
});
