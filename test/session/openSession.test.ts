import { afterEach, describe, expect, test, vi } from 'vitest';
import { openSession, type SessionOptions } from '../../src/session/openSession.ts';
import { device, only, open, settled, startRelay, type Device } from './sessionWorld.ts';
import { letPass, useClock } from '../fixtures/turnedClock.ts';

useClock();

afterEach(() => void vi.useRealTimers());

const WAYS: readonly (readonly [name: string, storage: () => Device | undefined])[] = [
  ['synchronous storage', () => device(false)],
  ['asynchronous storage', () => device()],
  ['no storage', () => undefined],
];

describe.each(WAYS)('with %s', (_, openStorage) => {
  test('offers are returned, and what the shopper does arrives in order', async () => {
    const [relay, storage] = [startRelay(), openStorage()];
    const session = open(relay, { storage });
    const result = await session.result;
    expect(result).toMatchObject({
      code: 'offers',
      message: 'There are 2 offers',
      isSandbox: false,
      isRemembered: false,
    });
    expect(result.footer.privacy_policy?.copy).toBe('Privacy');
    const [first, second] = result.groups.flatMap(({ offers }) => offers);
    session.displayed(only(first));
    session.displayed(only(first));
    session.decline(only(first));
    session.back(only(second));
    expect(session.accept(structuredClone(only(first)))).toMatchObject({ target_url: 'https://advertiser.example/1' });
    await session.accept(only(first)).stored;
    session.copy(only(first));
    session.footer('privacy');
    session.dismiss('close');
    session.dismiss('close');
    await settled(relay, [
      'WIDGET_LOAD',
      'WIDGET_DISPLAY',
      'BRAND_DISPLAY',
      'ELEMENT_CLICK',
      'BRAND_DISPLAY',
      'ELEMENT_CLICK',
      'BRAND_CLICK',
      'ELEMENT_CLICK',
    ]);
    expect(
      session.emitted.filter(({ type }) => !['tracked', 'delivered'].includes(type)).map(({ type }) => type),
    ).toEqual(['outcome', 'display', 'decline', 'display', 'back', 'click', 'copy', 'footer', 'dismiss']);
    expect(session.explain()).toMatchObject({ outcome: { code: 'offers' }, queue: { waiting: 0, delivered: 8 } });
    expect(await session.stats()).toMatchObject({ delivered: 8, storage: storage ? 'key-value' : 'memory' });
    session.destroy();
  });

  test('a view is reported only by viewed()', async () => {
    const relay = startRelay(1);
    const session = open(relay, { storage: openStorage() });
    const offer = only((await session.result).groups[0]?.offers[0]);
    session.viewed(offer);
    session.viewed(offer);
    await settled(relay, ['WIDGET_LOAD', 'WIDGET_DISPLAY', 'BRAND_DISPLAY', 'BRAND_VIEW']);
    session.destroy();
  });

  test('each outcome is a result, never an exception', async () => {
    const relay = startRelay();
    const end = async (offers: () => Response | Promise<Response>, more: object = {}) => {
      relay.offers = offers;
      const session = open(relay, { storage: openStorage(), ...more });
      const result = await session.result;
      session.destroy();
      return result;
    };
    expect(await end(() => Response.json({}))).toMatchObject({ code: 'network_error', groups: [], footer: {} });
    const none = { session_id: 's', recommendations: {}, recommendation_groups: [], footer: {} };
    const tooLong = JSON.stringify(none) + ' '.repeat(1 << 20);
    for (const body of ['<html>Sign in to the café wifi</html>', '', '{"ok":true}', '[]', tooLong])
      expect(await end(() => new Response(body))).toMatchObject({
        code: 'network_error',
        message: expect.not.stringContaining('  '),
        hint: expect.stringContaining('relay is mounted'),
      });
    expect(await end(() => Promise.reject(Error('gone')))).toMatchObject({ code: 'network_error' });
    expect(await end(() => Response.json({ message: 'no' }, { status: 400 }))).toMatchObject({ code: 'refused' });
    expect(await end(() => new Response('<html>', { status: 502 }))).toMatchObject({ code: 'network_error' });
    expect(await end(() => Response.json(none))).toMatchObject({ code: 'no_offers' });
    expect(await end(() => Response.json(none), { consent: false })).toMatchObject({ code: 'consent_denied' });
    expect(await end(() => Response.json(none), { headers: () => ({ 'x-key': 'adnet_sk_live_x' }) })).toMatchObject({
      code: 'invalid_config',
      message: 'The headers contain a secret key',
    });
    expect(await end(() => Response.json(none), { consent: Promise.reject(Error('x')) })).toMatchObject({
      code: 'consent_denied',
    });
  });

  test('nothing is requested or stored before consent, and a denial clears what was', async () => {
    const [relay, storage] = [startRelay(), openStorage()];
    let decide: (isGiven: boolean) => void = () => {};
    const session = open(relay, { storage, order: '1', consent: new Promise((resolve) => (decide = resolve)) });
    await letPass(50);
    expect(relay.asked).toEqual([]);
    expect(storage?.values.size ?? 0).toBe(0);
    decide(true);
    const offer = only((await session.result).groups[0]?.offers[0]);
    await session.accept(offer).stored;
    if (storage) expect(storage.values.size).toBeGreaterThan(0);
    const before = await session.result;
    session.consent(false);
    await vi.waitFor(() => expect(storage?.values.size ?? 0).toBe(0));
    const count = relay.events.length;
    session.displayed(offer);
    expect(session.accept(offer).target_url).toBe('');
    await letPass(300);
    expect(relay.events).toHaveLength(count);
    expect(storage?.values.size ?? 0).toBe(0);
    session.consent(true);
    await vi.waitFor(() => expect(session.latest).toMatchObject({ code: 'offers' }));
    expect(session.latest?.groups).not.toBe(before.groups);
    expect(await session.result).toBe(before);
    const outcomes = session.emitted.filter(({ type }) => type === 'outcome');
    expect(outcomes).toMatchObject([
      { code: 'offers', groups: before.groups },
      { code: 'consent_denied', groups: [] },
      { code: 'offers', groups: session.latest?.groups },
    ]);
    session.destroy();
  });
});

test('options that are not valid end in invalid_config, with what to write', async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  const good = { relay: 'https://shop.example/offers', request: {} };
  const placement_details = { view: 'THANK_YOU', display_mode: 'INLINE' };
  const table: [hint: string, options: unknown][] = [
    ['relay', undefined],
    ['relay', null],
    ['relay', 'x'],
    ['https://shop.example/offers', { ...good, relay: '/offers' }],
    ['view', good],
    ['storage', { ...good, request: { placement_details }, storage: {} }],
    ['storage', { ...good, request: { placement_details }, storage: 'local' }],
    ['headers', { ...good, request: { placement_details }, headers: 'a: b' }],
    ['fetch', { ...good, request: { placement_details }, fetch: true }],
  ];
  for (const [hint, options] of table) {
    const session = openSession(options as SessionOptions);
    expect(await session.result).toMatchObject({
      code: 'invalid_config',
      hint: expect.stringContaining(hint),
      groups: [],
    });
    for (const call of [session.displayed, session.viewed, session.decline, session.copy])
      expect(() => call(undefined as never)).not.toThrow();
    expect(session.accept(null as never).target_url).toBe('');
    session.dismiss('close');
    session.consent(true);
    await session.flush();
    session.destroy();
  }
  vi.stubGlobal('crypto', {});
  const request = { placement_details, user_details: { email: 'a@b.example' } };
  expect(await openSession({ ...good, request } as unknown as SessionOptions).result).toMatchObject({
    code: 'invalid_config',
    hint: expect.stringContaining('email_hash'),
  });
});

test('what other scripts store is not read as a secret key', async () => {
  const storage = Object.assign(device(), { apiKey: 'sk_live_0123456789abcdef0123456789abcdef' });
  const session = open(startRelay(1), { storage });
  expect(await session.result).toMatchObject({ code: 'offers' });
  session.destroy();
});

test('a relay that does not respond, or does not end its body, is a network_error after four seconds', async () => {
  for (const offers of [() => new Promise<never>(() => {}), () => new Response(new ReadableStream())]) {
    const relay = Object.assign(startRelay(), { offers });
    let signal: AbortSignal | null | undefined;
    const session = open(relay, { fetch: (url, init) => ((signal = init?.signal), relay.fetch(url, init)) });
    await letPass(4_500);
    expect(signal?.aborted).toBe(true);
    expect(await Promise.race([session.result, Promise.resolve('none yet')])).toMatchObject({
      code: 'network_error',
      message: expect.stringContaining('did not respond within 4 s'),
    });
    session.destroy();
  }
});

test('headers() is called for every request; when it rejects, nothing is lost', async () => {
  const relay = startRelay(1);
  let count = 0;
  let isBroken = true;
  const headers = async (): Promise<Record<string, string>> => {
    if (isBroken) throw Error('no token');
    return { authorization: `Bearer ${++count}`, 'content-type': 'text/plain' };
  };
  const failed = open(relay, { headers });
  expect(await failed.result).toMatchObject({ code: 'network_error', message: expect.stringContaining('no token') });
  failed.destroy();
  isBroken = false;
  const session = open(relay, { headers });
  const offer = only((await session.result).groups[0]?.offers[0]);
  await settled(relay, ['WIDGET_LOAD']);
  isBroken = true;
  await session.accept(offer).stored;
  await letPass(100);
  isBroken = false;
  await settled(relay, ['WIDGET_LOAD', 'WIDGET_DISPLAY', 'BRAND_DISPLAY', 'BRAND_CLICK']);
  expect(relay.headers.map((one) => one.get('authorization'))).toEqual(['Bearer 1', 'Bearer 2', 'Bearer 3']);
  expect(relay.headers[0]?.get('content-type')).toBe('application/json');
  session.destroy();
});

test('an onEvent that throws, or calls back, changes nothing; nothing is displayed after dismiss(), in one listener as well', async () => {
  const relay = startRelay(2);
  const session = open(relay, {
    onEvent(event) {
      if (event.type === 'display') {
        session.dismiss('close');
        session.displayed(only(only(session.latest).groups[0]?.offers[1]));
      }
      throw Error('mine');
    },
  });
  session.displayed(only((await session.result).groups[0]?.offers[0]));
  await settled(relay, ['WIDGET_LOAD', 'WIDGET_DISPLAY', 'BRAND_DISPLAY']);
  session.destroy();
});
