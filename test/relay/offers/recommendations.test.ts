import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { RelayError } from '../../../src/relay.ts';
import { ask, RESPONSE, event, HASH, json, KEY, postTo, REQUEST, setUp } from '../scriptedNetwork.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

test('the key and the version are added, and the response passes with its unknown fields', async () => {
  const { network, post } = setUp();
  const response = await post('/recommendations', REQUEST);
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual(RESPONSE);
  const [call] = network.calls;
  expect(call?.path).toBe('/recommendations');
  expect(call?.redirect).toBe('manual');
  expect(Object.fromEntries(call?.headers ?? [])).toEqual({
    accept: 'application/json',
    'content-type': 'application/json',
    'x-api-key': KEY,
    version: '1.0.0',
    'x-request-id': response.headers.get('x-request-id'),
  });
});

test("the response's headers are built by the relay", async () => {
  const { network, post } = setUp();
  network.respondWith(() =>
    json(200, RESPONSE, {
      'set-cookie': 'a=b',
      server: 'x',
      'cache-control': 'public',
      'x-powered-by': 'y',
      etag: '1',
    }),
  );
  const response = await post('/recommendations', REQUEST, { 'x-request-id': 'page-request-1' });
  expect(Object.fromEntries(response.headers)).toEqual({
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'x-request-id': 'page-request-1',
    'offerlet-time': expect.stringMatching(/^\d{13}$/),
  });
});

test.each([
  ['/recommendations', REQUEST],
  ['/events', event()],
  ['/events/batch', { events: [event()] }],
])("the page's request id reaches the network and comes back from %s", async (path, body) => {
  const { network, post, logs } = setUp();
  const response = await post(path, body, { 'x-request-id': 'page-request-1' });
  expect(response.headers.get('x-request-id')).toBe('page-request-1');
  expect(network.calls[0]?.headers.get('x-request-id')).toBe('page-request-1');
  expect(logs).toMatchObject([{ message: `POST ${path}`, request_id: 'page-request-1' }]);
});

test.each(['a b', 'x'.repeat(65), 'short', 'evil;value', 'ü'.repeat(9)])(
  'an invalid request id is replaced: %s',
  async (id) => {
    const { post } = setUp();
    const response = await post('/recommendations', REQUEST, { 'x-request-id': encodeURI(id) });
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  },
);

test('only the known top-level fields are forwarded', async () => {
  const { network, post } = setUp();
  await post('/recommendations', {
    ...REQUEST,
    shipping: { country: 'DE' },
    billing: {},
    running_experiments: ['a'],
    apiKey: 'mine',
    session_id: 'x',
  });
  expect(Object.keys(network.calls[0]?.body ?? {}).sort()).toEqual([
    'billing',
    'placement_details',
    'running_experiments',
    'shipping',
    'user_details',
  ]);
});

test('a group that the server names replaces that of the page, and exactly one identifier remains', async () => {
  const { network, post } = setUp({
    context: async () => ({
      user_details: { email: ' Jane@Example.com ', first_name: 'Jane' },
      order_details: { order_id: 'real' },
      purchases: [{ product_id: 'p1', quantity: '1' }],
      attributes: { language: 'fr' },
    }),
  });
  const page = {
    ...REQUEST,
    user_details: { external_guid: 'forged', last_name: 'Doe' },
    order_details: { order_id: 'forged', cost_details: { amount: 9_999, currency_code: 'EUR' } },
    purchases: [{ product_id: 'forged' }],
    attributes: { language: 'de', platform_type: 'web' },
  };
  await post('/recommendations', page, { 'user-agent': 'iPhone' });
  expect(network.calls[0]?.body).toEqual({
    user_details: { first_name: 'Jane', email_hash: sha256('jane@example.com') },
    placement_details: REQUEST.placement_details,
    order_details: { order_id: 'real' },
    purchases: [{ product_id: 'p1', quantity: '1' }],
    attributes: { language: 'fr', device_type: 'MOBILE' },
  });
});

test('groups that the server does not name stay as the page sent them', async () => {
  const { network, post } = setUp({ context: () => ({ order_details: { order_id: 'real' } }) });
  const attributes = { platform_type: 'web' };
  await post('/recommendations', { ...REQUEST, attributes });
  expect(network.calls[0]?.body).toEqual({ ...REQUEST, attributes, order_details: { order_id: 'real' } });
});

test('of two identifiers from a page only one is forwarded', async () => {
  const { network, post } = setUp();
  await post('/recommendations', {
    ...REQUEST,
    user_details: { email_hash: HASH, phone: '+491234', external_guid: 'g' },
  });
  expect(network.calls[0]?.body['user_details']).toEqual({ email_hash: HASH });
});

test('a plain email is hashed, unless the merchant wants it raw', async () => {
  const question = { ...REQUEST, user_details: { email: ' Ada@Example.COM ' } };
  const hashing = setUp();
  await hashing.post('/recommendations', question);
  expect(hashing.network.calls[0]?.body['user_details']).toEqual({ email_hash: sha256('ada@example.com') });
  const raw = setUp({ emails: 'raw' });
  await raw.post('/recommendations', question);
  expect(raw.network.calls[0]?.body['user_details']).toEqual({ email: ' Ada@Example.COM ' });
});

test('context gets the request that the page sent, with cookies and a readable body', async () => {
  const seen: unknown[] = [];
  const { post } = setUp({
    context: async (request) => {
      seen.push(request.headers.get('cookie'), await request.json());
      return undefined;
    },
  });
  expect((await post('/recommendations', REQUEST, { cookie: 'session=1' })).status).toBe(200);
  expect(seen).toEqual(['session=1', REQUEST]);
});

test.each([
  [
    'throws',
    500,
    "The shop's server could not add what it knows.",
    () => Promise.reject(new Error('database password adnet_sk_live_x for jane@example.com')),
  ],
  [
    'never answers',
    504,
    "The shop's server took too long to add what it knows.",
    () => new Promise<undefined>(() => undefined),
  ],
  ['answers nonsense', 500, "The shop's server could not add what it knows.", () => 'nonsense' as unknown as undefined],
])('a context that %s is a %i without details, and the network is not called', async (_, status, message, context) => {
  const { network, post, logs } = setUp({ context, timeouts: { context: 30 } });
  const response = await post('/recommendations', REQUEST);
  expect(response.status).toBe(status);
  expect(await response.json()).toEqual({ message });
  expect(network.calls).toHaveLength(0);
  expect(JSON.stringify(logs)).not.toMatch(/adnet_sk|jane@/);
});

test('a RelayError that context throws is what the page gets', async () => {
  const refusal = new RelayError('Log in to see offers.', { status: 401, code: 'not_logged_in', retryAfterMs: 1_500 });
  const { network, post, logs } = setUp({ context: () => Promise.reject(refusal) });
  const response = await post('/recommendations', REQUEST);
  expect([response.status, response.headers.get('retry-after')]).toEqual([401, '2']);
  expect(await response.json()).toEqual({ message: 'Log in to see offers.' });
  expect(network.calls).toHaveLength(0);
  expect(logs.map(({ status, error }) => [status, error])).toEqual([[401, 'Log in to see offers.']]);
});

test.each([0, 101, 204, 304, 399, 600, 1_000, 400.5, Number.NaN])(
  'a RelayError of context with the status %d, which no error has, is a 500',
  async (status) => {
    const { post } = setUp({ context: () => Promise.reject(new RelayError('No.', { status, code: 'odd' })) });
    const response = await post('/recommendations', REQUEST);
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ message: "The shop's server could not add what it knows." });
  },
);

test.each([
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Mobile/15E148',
    'de-CH,de;q=0.9,en;q=0.8',
    { device_type: 'MOBILE', language: 'de' },
  ],
  [
    'Mozilla/5.0 (iPad; CPU OS 16_0 like Mac OS X) Mobile/15E148',
    'en;q=0.5, fr;q=0.9',
    { device_type: 'TABLET', language: 'fr' },
  ],
  ['Mozilla/5.0 (Linux; Android 14; SM-X200) Safari/537.36', '*', { device_type: 'TABLET' }],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64)', '', { device_type: 'DESKTOP' }],
])('language and device come from the headers when nobody else gives them: %s', async (agent, language, attributes) => {
  const { network, post } = setUp();
  await post('/recommendations', REQUEST, { 'user-agent': agent, 'accept-language': language });
  expect(network.calls[0]?.body['attributes']).toEqual(attributes);
});

test("the page's device takes precedence over the headers", async () => {
  const { network, post } = setUp();
  const attributes = { device_type: 'TABLET', operating_system: 'x' };
  await post(
    '/recommendations',
    { ...REQUEST, attributes },
    { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0)', 'accept-language': 'de' },
  );
  expect(network.calls[0]?.body['attributes']).toEqual({ ...attributes, language: 'de' });
});

test.each([
  ['is never sent', {}, undefined],
  ['does not replace the one that the relay knows', { forwardAddress: true }, '203.0.113.9'],
  [
    'does not replace the one that the server gives',
    { forwardAddress: true, context: () => ({ attributes: { ip_address: '198.51.100.7' } }) },
    '198.51.100.7',
  ],
  [
    'is never sent instead of the one that the server gives',
    { context: () => ({ attributes: { ip_address: '198.51.100.7' } }) },
    '198.51.100.7',
  ],
])("an IP address in a page's attributes %s", async (_, options, sent) => {
  for (const name of ['ip_address', 'IP_Address', 'ip', 'ipAddress', 'client_ip', '__proto__']) {
    const { network, relay } = setUp(options);
    const body = `{"user_details":{"external_guid":"g"},"placement_details":{"view":"THANK_YOU","display_mode":"INLINE"},"attributes":{"${name}":"192.0.2.66","language":"de","zip":"8001"}}`;
    expect((await postTo(relay, '/recommendations', body, { ip: '203.0.113.9' })).status).toBe(200);
    expect(network.calls[0]?.body['attributes']).toEqual({
      ...('context' in options ? {} : { language: 'de', zip: '8001' }),
      ...(sent !== undefined && { ip_address: sent }),
    });
  }
});

test("the shopper's address is sent only when forwardAddress is set", async () => {
  for (const forwardAddress of [false, true]) {
    const { network, relay } = setUp({ forwardAddress });
    await ask(relay, { ip: '203.0.113.9' });
    expect(network.calls[0]?.body['attributes']).toEqual(forwardAddress ? { ip_address: '203.0.113.9' } : undefined);
  }
});

test.each([
  [{ placement_details: REQUEST.placement_details }, 'user_details'],
  [{ ...REQUEST, user_details: {} }, 'user_details'],
  [{ ...REQUEST, user_details: 'x' }, 'user_details'],
  [{ user_details: REQUEST.user_details }, 'placement_details'],
  [{ ...REQUEST, placement_details: { view: 'THANK_YOU' } }, 'placement_details.display_mode'],
])('an incomplete request is a 400 that names what is missing: case %#', async (body, path) => {
  const { network, post } = setUp();
  const response = await post('/recommendations', body);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ message: expect.any(String), errors: [{ path }] });
  expect(network.calls).toHaveLength(0);
});

test.each([400, 401, 404, 422, 429, 500, 503])("the network's %i passes with its body", async (status) => {
  const { network, post } = setUp();
  const body = { message: 'The network says so', errors: [{ message: 'why' }] };
  network.respondWith(() => json(status, body, { 'retry-after': '3' }));
  const response = await post('/recommendations', REQUEST);
  expect(response.status).toBe(status);
  expect(await response.json()).toEqual(body);
  expect(response.headers.get('retry-after')).toBe('3');
});

test.each([
  ['HTML with 200', () => new Response('<html>', { status: 200 })],
  ['a list', () => json(200, [])],
  ['a redirect', () => new Response(null, { status: 302, headers: { location: 'https://evil.example/' } })],
  ['a 204', () => new Response(null, { status: 204 })],
])('%s from the network is a 502', async (_, reply) => {
  const { network, post } = setUp();
  network.respondWith(reply);
  expect((await post('/recommendations', REQUEST)).status).toBe(502);
  expect(network.calls).toHaveLength(1);
});

test('a response whose body never ends is a 504', async () => {
  const dripping = setUp({
    timeouts: { recommendations: 50 },
    fetch: (_, init) => {
      const body = new ReadableStream({
        start(controller) {
          init?.signal?.addEventListener('abort', () => controller.error(new DOMException('Aborted', 'AbortError')));
          controller.enqueue(new TextEncoder().encode('{'));
        },
      });
      return Promise.resolve(new Response(body));
    },
  });
  expect((await dripping.post('/recommendations', REQUEST)).status).toBe(504);
});

test('a connection that was never established is retried once, one that broke is not', async () => {
  const failing = (code: string): Promise<Response> =>
    Promise.reject(Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error(code), { code }) }));
  const refused = setUp();
  refused.network.respondWith(() =>
    refused.network.calls.length === 1 ? failing('ECONNREFUSED') : json(200, RESPONSE),
  );
  expect((await refused.post('/recommendations', REQUEST)).status).toBe(200);
  expect(refused.network.calls).toHaveLength(2);
  expect(refused.counted('connection_retries')).toBe(1);
  const reset = setUp();
  reset.network.respondWith(() => failing('ECONNRESET'));
  expect((await reset.post('/recommendations', REQUEST)).status).toBe(502);
  expect(reset.network.calls).toHaveLength(1);
});
