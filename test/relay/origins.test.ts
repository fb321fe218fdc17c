import { expect, test } from 'vitest';
import { REQUEST, setUp } from './scriptedNetwork.ts';
import { posting } from '../fixtures/posting.ts';

const SHOP = 'https://www.shop.example';

function preflight(origin: string): Request {
  return new Request('https://relay.example/recommendations', {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
  });
}

function question(headers: Record<string, string>): Request {
  return new Request('https://relay.example/recommendations', posting(REQUEST, { ...headers }));
}

test('an allowed origin is named exactly, without credentials', async () => {
  const { relay } = setUp({ allowedOrigins: [SHOP] });
  const asked = await relay(preflight(SHOP));
  expect(asked.status).toBe(204);
  expect(asked.headers.get('access-control-allow-origin')).toBe(SHOP);
  expect(asked.headers.get('access-control-allow-methods')).toBe('POST');
  expect(asked.headers.get('access-control-allow-headers')).toBe('content-type, x-request-id');
  expect(asked.headers.get('access-control-allow-credentials')).toBeNull();
  const answer = await relay(question({ origin: SHOP }));
  expect(answer.status).toBe(200);
  expect(answer.headers.get('access-control-allow-origin')).toBe(SHOP);
  expect(answer.headers.get('access-control-expose-headers')).toBe('Retry-After, X-Request-Id, offerlet-time');
  expect(answer.headers.get('vary')).toBe('Origin');
});

test('an allowed page can read why it was refused', async () => {
  const { relay } = setUp({ allowedOrigins: [SHOP] });
  const answer = await relay(
    new Request('https://relay.example/recommendations', {
      method: 'POST',
      headers: { origin: SHOP, 'content-type': 'application/json' },
      body: '{',
    }),
  );
  expect(answer.status).toBe(400);
  expect(answer.headers.get('access-control-allow-origin')).toBe(SHOP);
});

test.each([
  'https://evil.example',
  'http://www.shop.example',
  'https://www.shop.example:8443',
  'https://www.shop.example.evil.example',
  'https://WWW.shop.example',
  'null',
  'file://',
  '',
])('the origin "%s" is refused without CORS headers', async (origin) => {
  const { relay, network } = setUp({ allowedOrigins: [SHOP] });
  const fromSubdomain = question({ origin, 'sec-fetch-site': 'same-site' });
  for (const request of [preflight(origin), question({ origin }), fromSubdomain]) {
    const answer = await relay(request);
    expect(answer.status).toBe(403);
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  }
  expect(network.calls).toHaveLength(0);
});

test.each([
  ['no Origin header', {}],
  ['the origin of the relay itself', { origin: 'https://relay.example' }],
  [
    "the browser's word that it is the same origin, behind a proxy that changed the Host",
    { origin: 'https://shop.example', 'sec-fetch-site': 'same-origin' },
  ],
])('a request with %s passes without CORS headers', async (_, headers) => {
  const { relay } = setUp();
  const answer = await relay(question(headers));
  expect(answer.status).toBe(200);
  expect(answer.headers.get('access-control-allow-origin')).toBeNull();
});

test('every method gets the response that browsers expect', async () => {
  const { relay } = setUp({ basePath: '/offers' });
  const ask = (method: string, path: string): Promise<Response> =>
    relay(new Request(`https://relay.example/offers${path}`, { method }));
  const options = await ask('OPTIONS', '/events');
  expect([options.status, options.headers.get('allow')]).toEqual([204, 'POST, OPTIONS']);
  for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH']) {
    const answer = await ask(method, '/events/batch');
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
  }
  const head = await ask('HEAD', '/health');
  expect([head.status, await head.text(), head.headers.get('cache-control')]).toEqual([200, '', 'no-store']);
  const health = { status: 'ok', environment: 'staging', sandbox: false, network: 'unknown' };
  expect(await (await ask('GET', '/health')).json()).toEqual(health);
  expect((await ask('POST', '/health')).status).toBe(405);
  expect((await ask('GET', '/')).status).toBe(404);
});

test('with `authorize` a page of any origin may ask, but not read how the relay is', async () => {
  const { relay } = setUp({ authorize: async () => undefined });
  const headers = { origin: 'https://app.example' };
  const health = await relay(new Request('https://relay.example/health', { headers }));
  expect(health.headers.get('access-control-allow-origin')).toBeNull();
  expect((await relay(question(headers))).headers.get('access-control-allow-origin')).toBe('*');
});
