import { expect, test, vi } from 'vitest';
import { openSession, type SessionOptions } from '../../src/session/openSession.ts';
import { offersOf } from '../line/page/pageFixture.ts';
import { device, only, open, settled, startRelay } from './sessionWorld.ts';
import { letPass, useClock } from '../fixtures/turnedClock.ts';

useClock();

test('a consent source is called once, decides as often as it likes, and ends with the session', async () => {
  const [relay, storage] = [startRelay(1), device()];
  const calls: string[] = [];
  let decide: (isGiven: boolean) => void = () => {};
  const source = Object.assign(
    (given: (isGiven: boolean) => void) => {
      calls.push('source');
      decide = given;
      return () => void calls.push('stop');
    },
    { source: 'banner' },
  );
  const session = open(relay, { storage, consent: source, order: '1' });
  expect(calls).toEqual([]);
  await letPass(50);
  expect([relay.asked.length, storage.values.size]).toEqual([0, 0]);
  expect(session.explain().consent).toBeUndefined();
  const first = session.result;
  decide(true);
  decide(true);
  expect(await first).toMatchObject({ code: 'offers' });
  expect(relay.asked).toHaveLength(1);
  expect(session.explain().consent).toEqual({ isGiven: true, by: 'banner', at: expect.stringMatching(/^2.*Z$/) });
  decide(false);
  expect(session.explain()).toMatchObject({ consent: { isGiven: false, by: 'banner' } });
  await vi.waitFor(() => expect(storage.values.size).toBe(0));
  session.consent(true);
  await vi.waitFor(() => expect(session.latest).toMatchObject({ code: 'offers' }));
  expect(session.explain().consent).toMatchObject({ isGiven: true, by: 'consent()' });
  session.destroy();
  decide(false);
  expect(calls).toEqual(['source', 'stop']);
  expect(session.explain().consent?.isGiven).toBe(true);
});

test('consent right after a denial waits for slow storage to clear, and its click is stored like any other', async () => {
  const [relay, storage] = [startRelay(1), device()];
  storage.ms = () => 2;
  const session = open(relay, { storage });
  await session.result;
  await vi.waitFor(() => expect(storage.values.size).toBe(3));
  relay.batch = () => new Response(null, { status: 503 });
  const removed = vi.spyOn(storage, 'removeItem');
  const written = vi.spyOn(storage, 'setItem');
  session.consent(false);
  session.consent(true);
  await vi.waitFor(() => expect(session.latest).toMatchObject({ code: 'offers' }));
  const result = only(session.latest);
  await session.accept(only(result.groups[0]?.offers[0])).stored;
  await vi.waitFor(() => {
    expect([...storage.values.values()].join()).toContain('BRAND_CLICK');
  });
  await letPass(100);
  const cleared = Math.max(...removed.mock.invocationCallOrder);
  const orders = written.mock.invocationCallOrder.filter((_, at) => !written.mock.calls[at]?.[0].endsWith('withdrawn'));
  expect(Math.min(...orders)).toBeGreaterThan(cleared);
  session.consent(false);
  await vi.waitFor(() => expect(storage.values.size).toBe(0));
});

test.each([false, true])(
  'storage that never clears holds up a yes after a no for a second; consent before: %s',
  async (consent) => {
    const [relay, storage] = [startRelay(1), device()];
    storage.removeItem = () => new Promise(() => {});
    const session = open(relay, { storage, consent });
    await session.result;
    session.consent(false);
    session.consent(true);
    await vi.waitFor(() => expect(session.latest).toMatchObject({ code: 'offers' }));
    session.destroy();
  },
);

test.each([true, false])(
  'a session that waits for its offers stores nothing after another has withdrawn consent; asynchronous: %s',
  async (isAsync) => {
    const [relay, storage] = [startRelay(1), device(isAsync)];
    let respond: (response: Response) => void = () => {};
    const other = open(relay, { storage, order: '1' });
    await other.result;
    relay.offers = () => new Promise((resolve) => (respond = resolve));
    const waiting = open(relay, { storage, order: '2' });
    await vi.waitFor(() => expect(relay.asked).toHaveLength(2));
    await letPass(50);
    other.consent(false);
    await vi.waitFor(() => expect(storage.values.size).toBe(0));
    const count = relay.events.length;
    respond(Response.json(offersOf(1)));
    expect(await waiting.result).toMatchObject({ code: 'consent_denied', groups: [] });
    await letPass(400);
    expect(relay.events).toHaveLength(count);
    expect(storage.values.size).toBe(0);
    other.destroy();
    waiting.destroy();
  },
);

test('a session that is killed while it clears leaves the rest to the next one, which sends none of it', async () => {
  const [relay, storage] = [startRelay(1), device()];
  relay.batch = () => new Response(null, { status: 503 });
  const first = open(relay, { storage, order: '1' });
  first.accept(only((await first.result).groups[0]?.offers[0]));
  await vi.waitFor(() => expect([...storage.values.values()].join()).toContain('BRAND_CLICK'));
  const { removeItem } = storage;
  storage.removeItem = () => new Promise(() => {});
  first.consent(false);
  await letPass(100);
  expect([...storage.values.values()].join()).toContain('BRAND_CLICK');
  storage.removeItem = removeItem;
  relay.batch = () => new Response(null, { status: 202 });
  const second = open(relay, { storage, order: '1' });
  expect(await second.result).toMatchObject({ code: 'offers', isRemembered: false });
  await settled(relay, ['WIDGET_LOAD']);
  expect([...storage.values.values()].join()).not.toContain('BRAND_CLICK');
  second.consent(false);
  await vi.waitFor(() => expect(storage.values.size).toBe(0));
});

test('consent that is inherited, hidden or a getter of a class counts as any other', async () => {
  const relay = startRelay();
  const fields = {
    relay: 'https://shop.example/offers',
    request: { placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' } },
    fetch: relay.fetch,
  };
  class Options {
    relay = fields.relay;
    request = fields.request;
    fetch = fields.fetch;
    get consent(): boolean {
      return false;
    }
  }
  for (const options of [
    Object.assign(Object.create({ consent: false }) as object, fields),
    Object.defineProperty({ ...fields }, 'consent', { value: false }),
    new Options(),
  ]) {
    const session = openSession(options as SessionOptions);
    expect((await session.result).code).toBe('consent_denied');
    session.destroy();
  }
  expect(relay.asked).toEqual([]);
});

test('each option is read once: a getter that throws, or returns something else later, ends in an outcome', async () => {
  const relay = startRelay();
  const fields: Record<string, unknown> = {
    relay: 'https://shop.example/offers',
    request: { placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' } },
    fetch: relay.fetch,
    consent: false,
  };
  for (const name of ['relay', 'request', 'fetch', 'headers', 'consent', 'storage', 'signal', 'prefetched', 'onEvent'])
    for (const reads of [0, 1]) {
      let left = reads;
      const value = fields[name];
      const get = (): unknown => {
        if (left-- < 1) throw Error('mine');
        return value;
      };
      const options = Object.defineProperty({ ...fields }, name, { enumerable: true, get });
      const session = openSession(options as unknown as SessionOptions);
      expect((await session.result).code, name).toBe(reads ? 'consent_denied' : 'invalid_config');
      session.destroy();
    }
  expect(relay.asked).toEqual([]);
});

test('what waits for its headers when consent is withdrawn is not sent, whatever fetch the page passes', async () => {
  const relay = startRelay(1);
  let held: Promise<void> | undefined;
  let release = (): void => {};
  const headers = vi.fn(async (): Promise<Record<string, string>> => {
    await held;
    return {};
  });
  const session = open(relay, { storage: device(), headers });
  const { groups } = await session.result;
  await settled(relay, ['WIDGET_LOAD']);
  held = new Promise((resolve) => (release = resolve));
  headers.mockClear();
  await session.accept(only(groups[0]?.offers[0])).stored;
  await vi.waitFor(() => expect(headers).toHaveBeenCalledOnce());
  session.consent(false);
  const waiting = open(relay, { headers });
  await vi.waitFor(() => expect(headers).toHaveBeenCalledTimes(2));
  waiting.consent(false);
  release();
  await letPass(400);
  expect(relay.names()).toEqual(['WIDGET_LOAD']);
  expect(relay.asked).toHaveLength(1);
});

for (const isAsync of [true, false]) {
  test(`a withdrawal clears full storage as well; asynchronous: ${isAsync}`, async () => {
    const [relay, storage] = [startRelay(1), device(isAsync)];
    relay.batch = () => new Response(null, { status: 503 });
    const session = open(relay, { storage, order: '1' });
    await session.accept(only((await session.result).groups[0]?.offers[0])).stored;
    expect([...storage.values.values()].join()).toContain('BRAND_CLICK');
    storage.fails.setItem = Error('full');
    session.consent(false);
    await vi.waitFor(() => expect(storage.values.size).toBe(0));
  });
}

test('a session notices a withdrawal by another one at once, even if that has been given consent again', async () => {
  for (const isFirst of [true, false]) {
    const [relay, storage] = [startRelay(1), device()];
    const sessions = [open(relay, { storage }), open(relay, { storage })];
    const [a, b] = isFirst ? sessions : sessions.toReversed();
    const offer = only((await only(b).result).groups[0]?.offers[0]);
    await only(a).result;
    await vi.waitFor(() => expect(relay.names()).not.toEqual([]));
    relay.batch = () => new Response(null, { status: 503 });
    await only(b).accept(offer).stored;
    only(a).consent(false);
    await letPass(100);
    only(a).consent(true);
    await vi.waitFor(() => expect(relay.asked).toHaveLength(3));
    // The request that was in flight may be reported after it.
    const denied = expect.objectContaining({ type: 'outcome', code: 'consent_denied' }) as unknown;
    await vi.waitFor(() => expect(only(b).emitted).toContainEqual(denied));
    relay.batch = () => new Response(null, { status: 202 });
    await only(b).flush();
    expect(relay.names()).not.toContain('BRAND_CLICK');
    sessions.forEach((session) => session.destroy());
  }
});
