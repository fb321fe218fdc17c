import { createHash, createHmac, generateKeyPairSync, sign as signRsa } from 'node:crypto';
import { serve } from '../../fixtures/serve.ts';
import { describe, expect, test, vi } from 'vitest';
import { toNode, type RelayOptions } from '../../../src/relay.ts';
import { shopify, type ShopifyOptions } from '../../../src/relay-shopify.ts';
import { event, KEY, REQUEST, RESPONSE, setUp, type Bench } from '../scriptedNetwork.ts';
import { claims, CLIENT_ID, SECRET, sign } from './token.ts';
import { posting } from '../../fixtures/posting.ts';

const app = { clientId: CLIENT_ID, clientSecret: SECRET };
const WORKER = { origin: 'null', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' };
const seconds = (): number => Math.floor(Date.now() / 1_000);
const base64url = (part: unknown): string => Buffer.from(JSON.stringify(part)).toString('base64url');

function open(options: Partial<ShopifyOptions & RelayOptions> = {}): Bench {
  const { clientId = CLIENT_ID, clientSecret = SECRET, context, ...rest } = options;
  return setUp({ ...shopify({ clientId, clientSecret, context: context as ShopifyOptions['context'] }), ...rest });
}

test.each(['null', 'https://extensions.shopifycdn.com', 'https://anywhere.example'])(
  'with a valid token, a worker of origin %s may call, without credentials',
  async (origin) => {
    const { post, network } = open();
    const headers = { ...WORKER, origin, authorization: `Bearer ${sign()}` };
    const response = await post('/recommendations', REQUEST, headers);
    expect([response.status, await response.json()]).toEqual([200, RESPONSE]);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
    expect(response.headers.get('access-control-expose-headers')).toBe('Retry-After, X-Request-Id, offerlet-time');
    expect((await post('/events/batch', { events: [event()] }, headers)).status).toBe(202);
    expect(network.calls.map(({ headers: sent }) => sent.get('authorization'))).toEqual([null, null]);
  },
);

test('a preflight is allowed for any origin, with the Authorization header', async () => {
  const { relay, network } = open();
  const response = await relay(
    new Request('https://relay.example/events/batch', {
      method: 'OPTIONS',
      headers: { origin: 'null', 'access-control-request-headers': 'authorization,content-type' },
    }),
  );
  expect(response.status).toBe(204);
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(response.headers.get('access-control-allow-headers')).toBe('content-type, x-request-id, authorization');
  expect(response.headers.get('access-control-allow-methods')).toBe('POST');
  expect(network.calls).toEqual([]);
});

const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const rs256 = (): string => {
  const data = `${base64url({ alg: 'RS256', typ: 'JWT' })}.${base64url(claims())}`;
  return `${data}.${signRsa('sha256', Buffer.from(data), rsa.privateKey).toString('base64url')}`;
};
/** Signed with the right secret, while the header names another algorithm. */
const called = (alg: unknown): string => sign(claims(), { header: { alg, typ: 'JWT' } });
const [head = '', body = '', signature = ''] = sign().split('.');

test.each<[string, string | undefined, RegExp]>([
  ['no header', undefined, /is missing\. Send it as "Authorization: Bearer …"/],
  ['an empty header', '', /is missing/],
  ['another scheme', `Basic ${sign()}`, /is not sent as/],
  ['no scheme', sign(), /is not sent as/],
  ['no token', 'Bearer ', /is not sent as/],
  ['two tokens', `Bearer ${sign()} ${sign()}`, /is not sent as/],
  ['two headers', `Bearer ${sign()}, Bearer ${sign()}`, /is not sent as/],
  ['alg none', `Bearer ${base64url({ alg: 'none' })}.${base64url(claims())}.`, /not a JSON Web Token/],
  ['alg none with a signature', `Bearer ${called('none')}`, /not signed with HS256/],
  ['alg in lower case', `Bearer ${called('hs256')}`, /not signed with HS256/],
  ['alg in a list', `Bearer ${called(['HS256'])}`, /not signed with HS256/],
  ['RS256', `Bearer ${rs256()}`, /not signed with HS256/],
  ['HS512', `Bearer ${called('HS512')}`, /not signed with HS256/],
  [
    'a critical extension',
    `Bearer ${sign(claims(), { header: { alg: 'HS256', crit: ['b64'], b64: false } })}`,
    /not signed with HS256/,
  ],
  ['the secret of another app', `Bearer ${sign(claims(), { secret: 'shpss_other' })}`, /not signed with this app's/],
  ['an empty secret', `Bearer ${sign(claims(), { secret: '' })}`, /not signed with this app's/],
  [
    'a changed payload',
    `Bearer ${head}.${base64url(claims({ sub: 'gid://shopify/Customer/1' }))}.${signature}`,
    /not signed/,
  ],
  ['a truncated signature', `Bearer ${head}.${body}.${signature.slice(0, -2)}`, /not signed with this app's/],
  ['an empty signature', `Bearer ${head}.${body}.`, /not a JSON Web Token/],
  [
    'the signature in hex',
    `Bearer ${head}.${body}.${Buffer.from(signature, 'base64url').toString('hex')}`,
    /not signed/,
  ],
  ['a signature that is not base64', `Bearer ${head}.${body}.${'A'.repeat(41)}`, /not signed with this app's/],
  ['half a token', `Bearer ${sign().slice(0, 80)}`, /not a JSON Web Token/],
  ['one dot too many', `Bearer ${sign()}.`, /not a JSON Web Token/],
  ['two dots too many', `Bearer ${sign()}.a.b`, /not a JSON Web Token/],
  ['only dots', 'Bearer ..', /not a JSON Web Token/],
  ['padding', `Bearer ${head}.${body}.${signature}=`, /not a JSON Web Token/],
  ['a huge token', `Bearer ${sign(claims({ pad: 'x'.repeat(5_000) }))}`, /not a JSON Web Token of a usual size/],
  ['a payload that is not JSON', `Bearer ${sign('not json')}`, /for another app/],
  ['a payload that is a list', `Bearer ${sign([claims()])}`, /for another app/],
  ['another app', `Bearer ${sign(claims({ aud: 'another' }))}`, /for another app/],
  ['a list of apps', `Bearer ${sign(claims({ aud: [CLIENT_ID] }))}`, /for another app/],
  ['no app', `Bearer ${sign(claims({ aud: undefined }))}`, /for another app/],
  ['an inherited app', `Bearer ${sign(`{"__proto__":${JSON.stringify(claims())}}`)}`, /for another app/],
  ['a token that expired 11 seconds ago', `Bearer ${sign(claims({ exp: seconds() - 11 }))}`, /has expired/],
  ['no expiry', `Bearer ${sign(claims({ exp: undefined }))}`, /has expired/],
  ['an expiry in words', `Bearer ${sign(claims({ exp: '9999999999' }))}`, /has expired/],
  ['a token of the next hour', `Bearer ${sign(claims({ nbf: seconds() + 3_600 }))}`, /is not valid yet/],
  ['no nbf', `Bearer ${sign(claims({ nbf: undefined }))}`, /is not valid yet/],
  ['no shop', `Bearer ${sign(claims({ dest: undefined }))}`, /not of a shop/],
  ['a foreign domain', `Bearer ${sign(claims({ dest: 'https://evil.example' }))}`, /not of a shop/],
  ['a domain that only ends alike', `Bearer ${sign(claims({ dest: 'evilmyshopify.com' }))}`, /not of a shop/],
  [
    'a domain that only begins alike',
    `Bearer ${sign(claims({ dest: 'a.myshopify.com.evil.example' }))}`,
    /not of a shop/,
  ],
])('%s: 401 with the reason, nothing upstream, nothing secret in the log', async (_, authorization, message) => {
  const { post, network, logs } = open();
  const headers = { ...WORKER, ...(authorization !== undefined && { authorization }) };
  for (const path of ['/recommendations', '/events', '/events/batch']) {
    const response = await post(path, path === '/recommendations' ? REQUEST : event(), headers);
    expect(response.status).toBe(401);
    const said = await response.text();
    expect(JSON.parse(said)).toEqual({ message: expect.stringMatching(message) });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    for (const part of [SECRET, KEY, ...(authorization ?? '').split(/[ .,]/)])
      if (part.length > 12) expect(said + JSON.stringify(logs)).not.toContain(part);
  }
  expect(network.calls).toEqual([]);
  expect(logs).toHaveLength(3);
});

test.each([
  ['expired 9 seconds ago', () => ({ exp: seconds() - 8 })],
  ['begins in 9 seconds', () => ({ nbf: seconds() + 9 })],
  ['names the shop as a URL, as the admin does', () => ({ dest: 'https://Corner-Shop.myshopify.com' })],
])('a token that %s is accepted', async (_, changed) => {
  const { post } = open();
  const authorization = `bearer ${sign(claims(changed()))}`;
  expect((await post('/recommendations', REQUEST, { ...WORKER, authorization })).status).toBe(200);
});

describe('while the client secret is rotated', () => {
  const [fresh, old] = ['shpss_new', 'shpss_old'];
  const authorized = (bench: Bench, secret: string): Promise<Response> =>
    bench.post('/recommendations', REQUEST, { ...WORKER, authorization: `Bearer ${sign(claims(), { secret })}` });

  test.each<[string, ShopifyOptions['clientSecret']]>([
    ['a list', [fresh, old]],
    ['a function that returns a list', () => [fresh, old]],
    ['a list with variables that are not set', [undefined, fresh, '', ` ${old}\n`]],
  ])('%s of secrets accepts tokens that any of them has signed, and no other', async (_, clientSecret) => {
    const bench = setUp(shopify({ clientId: CLIENT_ID, clientSecret }));
    expect((await authorized(bench, fresh)).status).toBe(200);
    expect((await authorized(bench, old)).status).toBe(200);
    for (const secret of ['shpss_other', '', 'undefined']) expect((await authorized(bench, secret)).status).toBe(401);
  });

  test('context is called for a token of either', async () => {
    const shops: string[] = [];
    const context: ShopifyOptions['context'] = ({ shop }) => {
      shops.push(shop);
      return undefined;
    };
    const bench = setUp(shopify({ clientId: CLIENT_ID, clientSecret: [fresh, old], context }));
    await authorized(bench, fresh);
    await authorized(bench, old);
    expect(shops).toHaveLength(2);
  });

  test.each<[string, unknown]>([
    ['an empty list', []],
    ['a list of variables that are not set', [undefined, '']],
    ['a blank secret', ['  ']],
    ['a number beside a secret', [fresh, 1]],
    ['a blank beside a secret', [fresh, ' ']],
  ])('%s stops the start, and no secret is repeated', (_, clientSecret) => {
    const start = (): unknown =>
      shopify({ clientId: CLIENT_ID, clientSecret: clientSecret as ShopifyOptions['clientSecret'] });
    expect(start).toThrow(/clientSecret (is missing|contains something else than a secret)\. Use the client secret/);
    expect(start).not.toThrow(/shpss/);
  });
});

test('context gets the verified claims, and what it knows takes precedence', async () => {
  const seen: unknown[] = [];
  const { post, network } = open({
    context: ((given, request) => {
      seen.push(given, request.headers.get('authorization')?.slice(0, 7));
      return { user_details: { external_guid: given.sub ?? 'guest' }, attributes: { shop: given.shop } };
    }) as ShopifyOptions['context'] as never,
  });
  const payload = claims({ sub: 'gid://shopify/Customer/207' });
  await post('/recommendations', REQUEST, { ...WORKER, authorization: `Bearer ${sign(payload)}` });
  expect(seen).toEqual([
    { shop: 'corner-shop.myshopify.com', sub: 'gid://shopify/Customer/207', claims: payload },
    'Bearer ',
  ]);
  expect(network.calls[0]?.body).toMatchObject({
    user_details: { external_guid: 'gid://shopify/Customer/207' },
    attributes: { shop: 'corner-shop.myshopify.com' },
  });
});

describe('a guest, of whom the token says nothing', () => {
  const order = { order_details: { order_id: 'XPAV284CT' } };
  const guest = { ...REQUEST, user_details: {}, ...order };
  const guidOf = (shop: string): string => createHash('sha256').update(`${shop}\nXPAV284CT`).digest('hex');

  /** The shopper that the network gets, or the status that the extension gets. */
  async function shopperOf(body: object, context?: ShopifyOptions['context'], token = sign()): Promise<unknown> {
    const { post, network } = setUp(shopify({ ...app, context }));
    const { status } = await post('/recommendations', body, { ...WORKER, authorization: `Bearer ${token}` });
    return (network.calls[0]?.body as { user_details?: unknown } | undefined)?.user_details ?? status;
  }

  test('is a hash of the shop and the order: the same for each request, another in another shop', async () => {
    const ours = { external_guid: guidOf('corner-shop.myshopify.com') };
    expect(await shopperOf(guest)).toEqual(ours);
    expect(await shopperOf(guest, () => undefined)).toEqual(ours);
    expect(await shopperOf(guest, () => ({ user_details: {}, attributes: { shop: 'a' } }))).toEqual(ours);
    expect(await shopperOf(guest, () => null as unknown as undefined)).toEqual(ours);
    const other = sign(claims({ dest: 'other-shop.myshopify.com' }));
    expect(await shopperOf(guest, undefined, other)).toEqual({ external_guid: guidOf('other-shop.myshopify.com') });
  });

  test('the order that the server knows takes precedence', async () => {
    const known = (): object => ({ order_details: { order_id: 'XPAV284CT' } });
    expect(await shopperOf({ ...guest, order_details: { order_id: 'guessed' } }, known)).toEqual({
      external_guid: guidOf('corner-shop.myshopify.com'),
    });
  });

  test('a shopper whom the extension or the server names is named as they say', async () => {
    expect(await shopperOf({ ...guest, user_details: { phone: '+4915112345678' } })).toEqual({
      phone: '+4915112345678',
    });
    expect(await shopperOf(guest, ({ sub }) => ({ user_details: { external_guid: sub ?? 'none' } }))).toEqual({
      external_guid: 'none',
    });
  });

  test('the server may read the request to find the order', async () => {
    const context: ShopifyOptions['context'] = async (_, request) => {
      const { order_details } = (await request.json()) as typeof guest;
      return { user_details: { external_guid: `order ${order_details.order_id}` } };
    };
    expect(await shopperOf(guest, context)).toEqual({ external_guid: 'order XPAV284CT' });
  });

  test('without an order as well, it is a 400, and nothing reaches the network', async () => {
    expect(await shopperOf({ ...REQUEST, user_details: {} })).toBe(400);
    expect(await shopperOf({ ...guest, order_details: { order_id: ' ' } })).toBe(400);
  });

  test('a context that returns something else than an object is still a 500', async () => {
    expect(await shopperOf(guest, (() => 'text') as unknown as ShopifyOptions['context'])).toBe(500);
  });
});

test('a token that expires while the body arrives is a 401, so that the extension gets a new one', async () => {
  const exp = seconds() + 300;
  const { relay, logs } = open({ context: () => ({}) });
  const text = new TextEncoder().encode(JSON.stringify(REQUEST));
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        vi.setSystemTime((exp + 10) * 1_000);
        controller.enqueue(text);
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    const headers = { ...WORKER, 'content-type': 'application/json', authorization: `Bearer ${sign(claims({ exp }))}` };
    const init = { method: 'POST', headers, body, duplex: 'half' };
    const response = await relay(new Request('https://relay.example/recommendations', init as RequestInit));
    expect([response.status, await response.json()]).toEqual([401, { message: 'The session token has expired.' }]);
    expect(logs).toMatchObject([{ level: 'warn' }]);
  } finally {
    vi.useRealTimers();
  }
});

test('health needs no token, and other origins cannot read it', async () => {
  const { relay } = open();
  const response = await relay(
    new Request('https://relay.example/health', { headers: { origin: 'https://x.example' } }),
  );
  expect(response.status).toBe(200);
  expect(response.headers.get('access-control-allow-origin')).toBeNull();
});

test('a missing client id or secret stops the start; a secret that is read late is a 500 and a line in the log', async () => {
  expect(() => shopify({ ...app, clientId: undefined })).toThrow(/clientId is missing\. Use the client id of your app/);
  expect(() => shopify({ ...app, clientSecret: ' ' })).toThrow(/clientSecret is missing\. Use the client secret/);
  let secret: string | undefined;
  const { post, logs } = open({ clientSecret: () => secret });
  const ask = (): Promise<Response> => post('/recommendations', REQUEST, { authorization: `Bearer ${sign()}` });
  const early = await ask();
  expect([early.status, await early.json()]).toEqual([
    500,
    { message: 'The relay is not configured. Its log says what is missing.' },
  ]);
  expect(logs[0]?.error).toContain('clientSecret is missing');
  secret = SECRET;
  expect((await ask()).status).toBe(200);
});

test('over node:http a bad token is a 401 before the body is read', async () => {
  const { relay } = setUp(shopify(app));
  const server = await serve(toNode(relay));
  const post = (token: string): Promise<Response> =>
    fetch(
      `${server.url}/recommendations`,
      posting({ ...REQUEST, pad: 'x'.repeat(10_000) }, { authorization: `Bearer ${token}` }),
    );
  expect((await post(sign(claims(), { secret: 'other' }))).status).toBe(401);
  expect((await post(sign())).status).toBe(200);
  await server.close();
});

test('the tests sign as the platform does', () => {
  const expected = createHmac('sha256', SECRET).update(`${head}.${body}`).digest('base64url');
  expect(signature).toBe(expected);
});
