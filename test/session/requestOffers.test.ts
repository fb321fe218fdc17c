import { expect, test, vi } from 'vitest';
import { openClock } from '../../src/queue/createPost.ts';
import { checkOptions, type Placement } from '../../src/session/checkOptions.ts';
import { buildRequest } from '../../src/session/findOffers.ts';
import { requestOffers } from '../../src/session/requestOffers.ts';

const relay = 'https://shop.example/offers';

function requestFrom(status: number, body: unknown): ReturnType<typeof requestOffers> {
  vi.stubGlobal('fetch', async () => new Response(JSON.stringify(body), { status }));
  const { signal } = new AbortController();
  return requestOffers({ relay, access: { clock: openClock() }, body: {}, signal });
}

test('the fields that a 400 names are in the message, the hint and the errors', async () => {
  const errors = [{ path: 'order_details.cost_details.amount', message: 'must be a number' }];
  expect(await requestFrom(400, { message: 'The request is not valid.', errors })).toEqual({
    code: 'refused',
    message:
      'https://shop.example/offers/recommendations responded with status 400 (The request is not valid: order_details.cost_details.amount must be a number)',
    hint: 'Correct order_details.cost_details.amount on the page or in the context of the relay.',
    errors,
  });
});

test.each<[status: number, body: unknown, code: string, says: string]>([
  ...[400, 401, 403, 404, 429].map((status): [number, unknown, string, string] => [
    status,
    { message: 'view must be' },
    'refused',
    `status ${status} (view must`,
  ]),
  ...[500, 502, 503].map((status): [number, unknown, string, string] => [status, {}, 'network_error', `${status}`]),
])('status %i with the body %j is %s', async (status, body, code, says) => {
  const failed = await requestFrom(status, body);
  expect(failed).toMatchObject({ code });
  expect(JSON.stringify(failed)).toContain(says);
});

test('a network that names no path still has its reasons repeated', async () => {
  expect(await requestFrom(400, { errors: [{ message: 'Unknown widget' }] })).toMatchObject({
    message: expect.stringContaining('status 400 (not valid: Unknown widget)'),
    hint: expect.stringContaining('log of the relay'),
    errors: [{ path: '', message: 'Unknown widget' }],
  });
});

test.each([
  { errors: 'all of it' },
  { errors: [null, 42, { path: {}, message: [] }] },
  { errors: Array.from({ length: 100 }, () => ({ path: 'x'.repeat(5_000), message: '\u202Ey'.repeat(5_000) })) },
])('errors in another form or size are read as far as they make sense: %#', async (body) => {
  const failed = JSON.stringify(await requestFrom(400, body));
  expect(failed.length).toBeLessThan(5_000);
  expect(failed).toContain('"code":"refused"');
  expect(failed).not.toContain('\u202E');
});

test('a field of the shopper that is undefined is not in the request', async () => {
  const user_details = { email_hash: undefined, external_guid: 'c-42' };
  const placement_details = { view: 'THANK_YOU', display_mode: 'INLINE' } as const;
  const placement = checkOptions({ relay, request: { user_details, placement_details } });
  const body = await buildRequest(placement as Placement);
  expect(Object.keys(body['user_details'] ?? {})).toEqual(['external_guid']);
});

test.each([
  ['an object', { 'x-csrf-token': 'a' }],
  ['a list', [['x-csrf-token', 'a']]],
  ['a Headers', new Headers({ 'x-csrf-token': 'a' })],
  ['a function', () => ({ 'x-csrf-token': 'a' })],
  ['a function that has to ask', async () => ({ 'x-csrf-token': 'a' })],
])('%s of headers is sent, and cannot replace those of the request', async (_, headers) => {
  let sent: HeadersInit | undefined;
  const fetch = async (_url: unknown, init?: RequestInit) => {
    sent = init?.headers;
    return new Response('{}');
  };
  const access = { clock: openClock(), fetch, headers: headers as never };
  await requestOffers({ relay, access, body: {}, signal: new AbortController().signal });
  expect(sent).toEqual({ 'x-csrf-token': 'a', 'content-type': 'application/json' });
});
