import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterEach, expect, test, vi } from 'vitest';
import { createShopContext } from '../../src/cli/createShopContext.ts';
import { ofTest } from '../fixtures/opened.ts';
import { serve } from '../fixtures/serve.ts';

// What the relay's command asks the shop's backend with --context.

const SECRET = 'context-secret-0123456789';
const PAGE = { order_details: { order_id: 'guessed' } };

let asked: { headers: IncomingMessage['headers']; method: string | undefined; body: unknown }[];
let answer: (response: ServerResponse) => void;
const shop = ofTest(() => {
  asked = [];
  return serve(async (request, response) => {
    asked.push({ headers: request.headers, method: request.method, body: await json(request) });
    answer(response);
  });
});
afterEach(() => void vi.restoreAllMocks());

/** Asks the shop, which responds like this, about a page's request. */
async function contextOf(responds: (response: ServerResponse) => void, timeoutMs = 10_000): Promise<unknown> {
  answer = responds;
  const headers = { 'content-type': 'application/json', cookie: 'session=abc', authorization: 'Bearer of-the-page' };
  const request = new Request('https://shop.example/recommendations', {
    method: 'POST',
    headers,
    body: JSON.stringify(PAGE),
  });
  return createShopContext({ url: shop.url, secret: SECRET, timeoutMs })(request);
}

test('the shop gets the secret, the cookies and the page’s request, and says what it knows', async () => {
  const known = { order_details: { order_id: '7' } };
  expect(await contextOf((response) => response.end(JSON.stringify(known)))).toEqual(known);
  expect(asked).toMatchObject([
    {
      method: 'POST',
      body: PAGE,
      headers: { authorization: `Bearer ${SECRET}`, cookie: 'session=abc', 'content-type': 'application/json' },
    },
  ]);
});

test('204 means that the shop knows nothing', async () => {
  expect(await contextOf((response) => response.writeHead(204).end())).toBeUndefined();
});

test('the time for the shop ends the request', async () => {
  await expect(contextOf(() => undefined, 100)).rejects.toThrow('There was no whole response within 100 ms.');
});

test.each<[string, (response: ServerResponse) => unknown]>([
  ['fails', (response) => response.writeHead(500).end('{}')],
  ['redirects', (response) => response.writeHead(302, { location: shop.url }).end()],
  ['sends HTML', (response) => response.end('<html>')],
  ['sends a list', (response) => response.end('[]')],
  ['sends too much', (response) => response.end(JSON.stringify({ pad: 'x'.repeat(70_000) }))],
  ['hangs up', (response) => response.destroy()],
])('a shop that %s is an error, and is asked once', async (_, respond) => {
  await expect(contextOf(respond)).rejects.toThrow();
  expect(asked).toHaveLength(1);
});

test('with 403 the shop refuses the request', async () => {
  await expect(contextOf((response) => response.writeHead(403).end())).rejects.toMatchObject({ status: 403 });
});

test('a backend that prefetches is not called: it has already passed what it knows', async () => {
  const context = createShopContext({ url: shop.url, secret: SECRET, timeoutMs: 300 });
  expect(await context(new Request('https://shop.example/thanks'))).toBeUndefined();
  expect(asked).toEqual([]);
});

test.each([
  ['shop.example/context', SECRET, '--context is not a URL'],
  ['http://user:password@a.example', SECRET, '--context is not a URL'],
  ['http://a.example', SECRET, '--context is not https, so the secret'],
  ['https://a.example', undefined, 'OFFERLET_CONTEXT_SECRET is missing. Use 24 random characters or more'],
  ['http://shop:3000', 'short', 'OFFERLET_CONTEXT_SECRET is too short'],
])('%s with the secret %s is refused: %s', (url, secret, message) => {
  expect(() => createShopContext({ url, secret, timeoutMs: 300 })).toThrow(message);
});
