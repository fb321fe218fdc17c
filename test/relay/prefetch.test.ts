// relay.prefetch: what a server requests for the page that it renders.
import { createHash } from 'node:crypto';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { toNode, type NodeHandler, type Prefetched, type PrefetchRequest } from '../../src/relay.ts';
import { own } from '../../src/wire/json.ts';
import { whyUnusable } from '../../src/wire/offers/prefetched.ts';
import type { UserDetails } from '../../src/wire/offers/request.ts';
import { HASH, json, KEY, postTo, RESPONSE, setUp, useFakeClock } from './scriptedNetwork.ts';
import { serve } from '../fixtures/serve.ts';

afterEach(() => void vi.useRealTimers());

/** `whyUnusable` in a page that was opened a second ago, however long ago these tests were. */
function whyUnusableNow(...given: Parameters<typeof whyUnusable>): string {
  const now = vi.spyOn(performance, 'now').mockReturnValue(1_000);
  try {
    return whyUnusable(...given);
  } finally {
    now.mockRestore();
  }
}

/** Frozen, because what the merchant gives is the merchant's: it is not changed. */
const BODY: PrefetchRequest = Object.freeze({
  user_details: Object.freeze({ email_hash: HASH }),
  placement_details: Object.freeze({ view: 'THANK_YOU', display_mode: 'INLINE' }),
  order_details: Object.freeze({ order_id: '1001' }),
});
/** A busy machine takes longer than the 800 ms that a page waits. */
const GIVEN = Object.freeze({ ...BODY, timeout: 60_000 });
const visit = (headers: Record<string, string> = {}, init: RequestInit = {}): Request =>
  new Request('https://shop.example/thank-you?order=1001', { ...init, headers });
const textOf = ({ script }: Prefetched): string =>
  /^<script type="application\/json" data-offerlet-offers>([^<>&\u2028\u2029]*)<\/script>$/.exec(script)?.[1] ?? '';

/** The same for another order: one order gets the same response for ten minutes. */
const another = (): PrefetchRequest => ({ ...GIVEN, order_details: { order_id: crypto.randomUUID() } });

test('returns a block for the page, and the same as a value', async () => {
  const { relay, network, metrics } = setUp();
  const offers = await relay.prefetch(visit(), GIVEN);
  expect(offers?.json).toEqual({
    view: 'THANK_YOU',
    display_mode: 'INLINE',
    order_id: '1001',
    at: expect.any(String),
    shopper: { email_hash: expect.stringMatching(/^[0-9a-f]{5}$/) },
    response: RESPONSE,
  });
  expect(offers && JSON.parse(textOf(offers))).toEqual(offers?.json);
  expect(network.calls).toHaveLength(1);
  expect(network.calls[0]?.path).toBe('/recommendations');
  expect(network.calls[0]?.body).toEqual(BODY);
  expect(metrics).toContainEqual(expect.objectContaining({ name: 'request', route: 'prefetch', status: 200 }));
});

test('sends what a page’s request would have sent: context, hashed email, attributes, sandbox mark', async () => {
  const paths: string[] = [];
  const { relay, network, post } = setUp({
    sandbox: true,
    addressHeader: 'x-forwarded-for',
    forwardAddress: true,
    context: (request) => {
      paths.push(new URL(request.url).pathname);
      return { order_details: { cost_details: { amount: 42.5, currency_code: 'EUR' } } };
    },
  });
  const headers = {
    'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Mobile/15E148 Safari/604.1',
    'accept-language': 'de-CH,de;q=0.9',
    'x-forwarded-for': '198.51.100.7, 203.0.113.9',
  };
  const given = { ...BODY, user_details: { email: 'Ada@Example.com ' }, attributes: { platform_type: 'WEB' } };
  const offers = await relay.prefetch(visit(headers), { ...given, timeout: 60_000 });
  const answer = await post('/recommendations', given, headers);
  expect(network.calls[0]?.body).toEqual(network.calls[1]?.body);
  expect(network.calls[0]?.text).not.toContain('Ada');
  expect(offers?.json.response).toEqual(await answer.json());
  expect(offers?.json.response).toMatchObject({ sandbox: true });
  expect(paths).toEqual(['/thank-you', '/recommendations']);
});

test("requests offers in the page's language, whichever the browser prefers; the page's own attributes come first", async () => {
  const { relay, network } = setUp();
  const languages = async (given: object): Promise<unknown> => {
    await relay.prefetch(visit({ 'accept-language': 'de' }), { ...another(), ...given });
    return own(network.calls.at(-1)?.body['attributes'], 'language');
  };
  expect(await languages({ locale: 'en-GB' })).toBe('en');
  expect(await languages({ locale: 'en', attributes: { language: 'fr' } })).toBe('fr');
  for (const locale of [undefined, '', 'english', 7]) expect(await languages({ locale })).toBe('de');
});

test('takes a message of node:http, and works behind toNode as well', async () => {
  const seen: string[] = [];
  const bench = setUp({
    forwardAddress: true,
    context: (request) => void seen.push(`${request.method} ${request.url} ${request.headers.get('cookie')}`),
  });
  const relay = toNode(bench.relay);
  const server = await serve(async (request, response) => response.end((await relay.prefetch(request, GIVEN))?.script));
  const page = await fetch(`${server.url}/thanks?x=1`, { headers: { cookie: 'a=b' } });
  expect(await page.text()).toContain('data-offerlet-offers>{"view":"THANK_YOU"');
  expect(seen).toEqual([`GET ${server.url}/thanks?x=1 a=b`]);
  expect(bench.network.calls[0]?.body['attributes']).toEqual({ ip_address: '127.0.0.1', language: undefined });
  await server.close();
});

test.each([
  ['Global Privacy Control', { 'sec-gpc': '1' }, {}, {}],
  ['consent denied', {}, { consent: false }, {}],
  ['consent undecided', {}, { consent: undefined }, {}],
  ['a consent that is not true', {}, { consent: 'yes' }, {}],
  ['a bot', { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1)' }, {}, {}],
  ['a page that the browser loads ahead', { 'sec-purpose': 'prefetch;prerender' }, {}, {}],
  ['a HEAD request', {}, {}, { method: 'HEAD' }],
])('sends nothing with %s', async (_, headers, more, init) => {
  const context = vi.fn();
  const { relay, network, logs } = setUp({ context });
  expect(await relay.prefetch(visit(headers, init), { ...GIVEN, ...more } as PrefetchRequest)).toBeUndefined();
  expect(network.calls).toEqual([]);
  expect(context).not.toHaveBeenCalled();
  expect(logs).toEqual([expect.objectContaining({ level: 'info', message: 'Offers were not prefetched.' })]);
});

test.each([
  ['no order', { order_details: undefined }],
  ['no order number', { order_details: {} }],
  ['a blank order number', { order_details: { order_id: ' ' } }],
  ['an order number that is an object', { order_details: { order_id: {} } }],
  ['no shopper', { user_details: undefined }],
  ['no placement', { placement_details: undefined }],
  ['too much', { attributes: { text: 'x'.repeat(20_000) } }],
  ['too deep', { attributes: JSON.parse('{"a":'.repeat(40) + '1' + '}'.repeat(40)) as object }],
  [
    'a getter that throws',
    {
      get attributes() {
        throw new Error('no');
      },
    },
  ],
])('is undefined with %s, sends nothing, and logs why', async (name, more) => {
  const { relay, network, logs } = setUp();
  const given = Object.defineProperties({ ...GIVEN }, Object.getOwnPropertyDescriptors(more)) as PrefetchRequest;
  expect(await relay.prefetch(visit(), given)).toBeUndefined();
  expect(network.calls).toEqual([]);
  const code = name === 'a getter that throws' ? 'internal' : 'invalid_request';
  expect(logs).toEqual([expect.objectContaining({ level: 'warn', message: 'Offers were not prefetched.', code })]);
});

test.each([undefined, null, {}, 'request', 7])('never throws: request and body %j', async (nothing) => {
  const { relay } = setUp();
  expect(await relay.prefetch(nothing as never, GIVEN)).toBeUndefined();
  expect(await relay.prefetch(visit(), nothing as never)).toBeUndefined();
});

test('never throws: a relay whose key is not there yet', async () => {
  let apiKey: string | undefined;
  const { relay, logs, network } = setUp({ apiKey: () => apiKey });
  expect(await relay.prefetch(visit(), GIVEN)).toBeUndefined();
  expect(logs[0]).toMatchObject({ message: 'The relay cannot start.' });
  apiKey = KEY;
  expect(await relay.prefetch(visit(), GIVEN)).toBeDefined();
  expect(network.calls).toHaveLength(1);
});

describe('the order', () => {
  const page = (order_id: string) => ({
    placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' } as const,
    order_details: { order_id },
  });

  test('may be a number, and reaches network and page as text', async () => {
    const { relay, network } = setUp();
    const offers = await relay.prefetch(visit(), { ...GIVEN, order_details: { order_id: 1001 as never } });
    expect(network.calls[0]?.body['order_details']).toEqual({ order_id: '1001' });
    expect(offers?.json.order_id).toBe('1001');
    expect(whyUnusableNow(offers?.json, page('1001'))).toBe('');
  });

  test('is that of the page even if context names another one for the network', async () => {
    const { relay, network } = setUp({ context: () => ({ order_details: { order_id: 'internal-7' } }) });
    const offers = await relay.prefetch(visit(), GIVEN);
    expect(network.calls[0]?.body['order_details']).toEqual({ order_id: 'internal-7' });
    expect(whyUnusableNow(offers?.json, page('1001'))).toBe('');
  });

  test.each(['1002', '01001', '1001 ', 'A1', 'a1'])('%j is another one than that of the page', async (order_id) => {
    const { relay } = setUp();
    const offers = await relay.prefetch(visit(), { ...GIVEN, order_details: { order_id } });
    expect(whyUnusableNow(offers?.json, page(order_id === 'a1' ? 'A1' : order_id === 'A1' ? 'a1' : '1001'))).not.toBe(
      '',
    );
  });
});

describe('the shopper', () => {
  const EMAIL = { email: ' Ada@Example.com' };
  const ADA = { email_hash: createHash('sha256').update('ada@example.com').digest('hex') };
  const blockFor = async (user_details: UserDetails, order_id = '1001') => {
    const { relay } = setUp();
    return (await relay.prefetch(visit(), { ...GIVEN, user_details, order_details: { order_id } }))?.json;
  };
  const page = (user_details: UserDetails | undefined) => ({ ...GIVEN, user_details });

  test.each<[string, UserDetails, UserDetails | undefined]>([
    ['the same hash', ADA, ADA],
    ['the hash in upper case, on the server', { email_hash: ADA.email_hash.toUpperCase() }, ADA],
    ['the email of that hash, on the server', EMAIL, ADA],
    ['the same customer', { external_guid: 'A1' }, { external_guid: 'A1' }],
    ['the same customer and a name', { external_guid: 'A1' }, { external_guid: 'A1', first_name: 'Ada' }],
    ['another kind of identifier, which says nothing', { external_guid: 'A1' }, ADA],
    ['an email that is not hashed yet', EMAIL, { email: 'bob@example.com' }],
    ['no identifier: the relay adds it', ADA, undefined],
  ])('is that of the page with %s', async (_, server, browser) => {
    expect(whyUnusableNow(await blockFor(server), page(browser))).toBe('');
  });

  test.each<[string, UserDetails, UserDetails]>([
    ['another hash', ADA, { email_hash: HASH }],
    ['the email of another hash', EMAIL, { email_hash: HASH }],
    ['another phone number', { phone: '+491234567' }, { phone: '+491234568' }],
    ['another customer', { external_guid: 'A1' }, { external_guid: 'a1' }],
  ])('is another one than that of the page with %s', async (_, server, browser) => {
    expect(whyUnusableNow(await blockFor(server), page(browser))).toBe('They are for another shopper');
  });

  test('is not recognizable from the block, nor from two blocks', async () => {
    const [one, two] = [await blockFor(EMAIL), await blockFor(EMAIL, '1002')];
    expect(Object.keys(one?.shopper ?? {})).toEqual(['email_hash']);
    expect(JSON.stringify(one)).not.toMatch(/ada|example\.com|[0-9a-f]{64}/i);
    expect(one?.shopper).not.toEqual(two?.shopper);
  });
});

test('hostile text of the network cannot leave the block', async () => {
  const hostile = {
    ...RESPONSE,
    note: '</script><script>alert(1)</script><!-- <script> & &lt; \u2028\u2029 ]]> \ud800',
    '</script>': 1,
    ['__proto__']: { polluted: true },
  };
  const { relay, network } = setUp();
  network.respondWith(() => json(200, hostile));
  const offers = await relay.prefetch(visit(), { ...GIVEN, order_details: { order_id: '</script><b>' } });
  const text = offers ? textOf(offers) : '';
  expect(JSON.parse(text)).toEqual(offers?.json);
  expect(offers?.json.order_id).toBe('</script><b>');
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

test('is undefined when the block would be larger than a page reads', async () => {
  const { relay, network } = setUp({ limits: { answerBytes: 4_000_000 } });
  const padded = (size: number) => json(200, { ...RESPONSE, pad: '<'.repeat(size) });
  network.respondWith(() => padded(170_000));
  expect((await relay.prefetch(visit(), another()))?.script.length).toBeLessThanOrEqual(1024 * 1024);
  network.respondWith(() => padded(180_000));
  expect(await relay.prefetch(visit(), another())).toBeUndefined();
});

test.each([
  [400, { message: `not for ${HASH}` }],
  [429, {}],
  [500, {}],
  [204, undefined],
])('a response of the network with status %i is undefined, and its log names no shopper', async (status, body) => {
  const { relay, network, logs } = setUp();
  network.respondWith(() => (body ? json(status, body) : new Response(null, { status })));
  expect(await relay.prefetch(visit(), GIVEN)).toBeUndefined();
  expect(logs.length).toBeGreaterThan(0);
  expect(JSON.stringify(logs)).not.toContain(HASH);
});

describe('an outage', () => {
  const hangs = () => new Promise<Response>(() => undefined);

  test('holds the page up for 800 ms by default, and for the timeout that is given', async () => {
    const { relay, network } = setUp({ timeouts: { recommendations: 1_500 } });
    network.respondWith(hangs);
    for (const [timeout, ms] of [
      [undefined, 800],
      [120, 120],
      [-1, 800],
    ] as const) {
      const settled = vi.fn();
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      void relay.prefetch(visit(), { ...another(), timeout }).then(settled);
      await vi.advanceTimersByTimeAsync(ms - 1);
      expect(settled).not.toHaveBeenCalled();
      await vi.advanceTimersByTimeAsync(1);
      expect(settled).toHaveBeenCalledWith(undefined);
    }
  });

  test('of context or of the rate limiter does not hold it up longer', async () => {
    const never = new Promise<never>(() => undefined);
    for (const options of [{ context: () => never }, { rateLimit: { take: () => never } }]) {
      const { relay } = setUp(options);
      expect(await relay.prefetch(visit(), { ...GIVEN, timeout: 100 })).toBeUndefined(); // else never
    }
  });

  test('counts for the circuit: after five failures, neither prefetches nor pages call the network', async () => {
    const { relay, network, post, counted } = setUp({ timeouts: { recommendations: 150 } });
    network.respondWith(hangs);
    for (let at = 0; at < 5; at++) {
      const ip = `203.0.113.${at}`;
      expect(await relay.prefetch(visit(), { ...another(), timeout: 50, ip })).toBeUndefined();
    }
    await vi.waitFor(() => expect(counted('breaker_opened')).toBe(1));
    network.calls.length = 0;
    expect(await relay.prefetch(visit(), another())).toBeUndefined();
    expect((await post('/recommendations', BODY)).status).toBe(503);
    expect(network.calls).toEqual([]);
  });

  test('a response that is late for the page is still a success for the circuit', async () => {
    const { relay, network } = setUp();
    let respond = (): void => undefined;
    const late = new Promise<void>((resolve) => (respond = resolve));
    network.respondWith(() => late.then(() => json(200, RESPONSE)));
    for (let at = 0; at < 8; at++)
      expect(await relay.prefetch(visit(), { ...another(), timeout: 10, ip: `203.0.113.${at}` })).toBeUndefined();
    respond();
    expect(await relay.prefetch(visit(), another())).toBeDefined();
  });
});

test('a prefetch spends the rate limit of its shopper, and of nobody else', async () => {
  useFakeClock();
  const { relay, counted } = setUp({ rateLimit: { perAddress: { burst: 2, perSecond: 1 } } });
  const ask = (ip: string) => relay.prefetch(visit(), { ...GIVEN, ip });
  expect(await Promise.all([ask('203.0.113.1'), ask('203.0.113.1')])).not.toContain(undefined);
  expect(await ask('203.0.113.1')).toBeUndefined();
  expect(counted('rate_limited')).toBe(1);
  expect(await ask('203.0.113.2')).toBeDefined();
  const info = { ip: '203.0.113.2' };
  await ask('203.0.113.2');
  expect((await postTo(relay, '/recommendations', BODY, info)).status).toBe(429);
});

test('1,000 prefetches at once each get their own order', async () => {
  const { relay, network } = setUp();
  network.respondWith(({ body }) => {
    return json(200, { ...RESPONSE, session_id: (body['order_details'] as { order_id: string }).order_id });
  });
  const ids = [...Array(1_000).keys()].map(String);
  const all = await Promise.all(
    ids.map((order_id, at) =>
      relay.prefetch(visit(), {
        ...GIVEN,
        order_details: { order_id },
        ip: `10.0.${at >> 8}.${at & 255}`,
      }),
    ),
  );
  expect(all.map((each) => each?.json.order_id)).toEqual(ids);
  expect(all.map((each) => own(each?.json.response, 'session_id'))).toEqual(ids);
});

test('a relay behind toNode keeps its prefetch; a function around a relay has none', () => {
  const { relay } = setUp();
  expect(toNode(relay).prefetch).toBe(relay.prefetch);
  const around: NodeHandler & { prefetch?: unknown } = toNode(async (request) => relay(request));
  expect(around.prefetch).toBeUndefined();
});
