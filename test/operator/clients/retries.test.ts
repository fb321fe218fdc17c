import { beforeEach, expect, test, vi } from 'vitest';
import { ApiError, ChannelClient, type ResponseNotice } from '../../../src/operator.ts';
import { hurried, useHurry } from '../../client/clientWorld.ts';

// What is repeated and what is not, by a clock that the tests turn.

/** What becomes of a request; without a status, its connection is lost, or refused. */
interface Fault {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly code?: string;
}

let faults: Fault[];
let arrived: string[];
let notices: ResponseNotice[];
useHurry();
beforeEach(() => void ([faults, arrived, notices] = [[], [], []]));

function open(options: { maxRetries?: number; fetch?: () => Promise<Response> } = {}): ChannelClient {
  return new ChannelClient({
    networkUrl: 'https://channel.example',
    apiKey: 'adnet_sk_test_1',
    onResponse: (notice) => notices.push(notice),
    async fetch(url, init) {
      arrived.push(`${init.method} ${new URL(url).pathname}`);
      const { status, headers = {}, code } = faults.shift() ?? { status: 200 };
      if (status === undefined) throw Object.assign(new TypeError('fetch failed'), { code });
      return Response.json(
        { channel: { exclusions: {} }, ok: true, results: [{ status: 'created' }] },
        { status, headers },
      );
    },
    ...options,
  });
}

const ITEM = { brand_name: 'Brand', domain: 'brand.example', primary_category_id: 'c', subcategory_ids: ['s'] };
const CALLS = {
  get: (client: ChannelClient): Promise<unknown> => client.details(),
  put: (client: ChannelClient): Promise<unknown> => client.setChannelExclusions([]),
  post: (client: ChannelClient): Promise<unknown> => client.add([ITEM]),
};
const SECONDS = { 'retry-after': '1' };
const DATE = { 'retry-after': 'Fri, 01 Jan 2100 00:00:01 GMT' };

test.each<[what: string, name: keyof typeof CALLS, fault: Fault, requests: number]>([
  ['a GET after a 429 with seconds', 'get', { status: 429, headers: SECONDS }, 2],
  ['a GET after a 429 with a date', 'get', { status: 429, headers: DATE }, 2],
  ['a GET after a 503 with Retry-After', 'get', { status: 503, headers: SECONDS }, 2],
  ['a GET after a 503', 'get', { status: 503 }, 2],
  ['a GET after a 500', 'get', { status: 500 }, 2],
  ['a GET whose connection was lost', 'get', {}, 2],
  ['a PUT after a 502', 'put', { status: 502 }, 2],
  ['a PUT whose response was lost', 'put', {}, 2],
  ['a POST after a 429', 'post', { status: 429, headers: SECONDS }, 2],
  ['a POST after a 503 with Retry-After', 'post', { status: 503, headers: SECONDS }, 2],
  ['a POST to a server that is not up yet: nothing was sent', 'post', { code: 'ECONNREFUSED' }, 2],
  ['no POST after a 503 without', 'post', { status: 503 }, 1],
  ['no POST after a 500', 'post', { status: 500 }, 1],
  ['no POST whose response was lost', 'post', {}, 1],
  ['no GET after a 400', 'get', { status: 400 }, 1],
  ['no GET after a 401', 'get', { status: 401 }, 1],
  ['no GET after a 404', 'get', { status: 404 }, 1],
])('%s is repeated', async (_, name, fault, requests) => {
  vi.setSystemTime('2100-01-01T00:00:00Z');
  faults = [fault];
  const result: unknown = await hurried(CALLS[name](open())).catch((error: unknown) => error);
  expect(result instanceof ApiError).toBe(requests === 1);
  expect(arrived).toHaveLength(requests);
});

test('a call is repeated twice by default, and as often as maxRetries says', async () => {
  faults = Array.from({ length: 9 }, () => ({ status: 500 }));
  await expect(hurried(open().details())).rejects.toMatchObject({ status: 500 });
  expect(arrived).toHaveLength(3);
  await expect(hurried(open({ maxRetries: 0 }).details())).rejects.toMatchObject({ status: 500 });
  expect(arrived).toHaveLength(4);
});

test.each(['2', 'Fri, 01 Jan 2100 00:00:02 GMT'])('Retry-After: %s is obeyed', async (value) => {
  vi.setSystemTime('2100-01-01T00:00:00Z');
  faults = [{ status: 429, headers: { 'retry-after': value } }];
  const called = open().details();
  await vi.advanceTimersByTimeAsync(1_999);
  expect(arrived).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  await called;
  expect(notices).toMatchObject([
    { status: 429, attempt: 1, retryIn: 2_000 },
    { status: 200, attempt: 2, retryIn: undefined },
  ]);
});

test('a removal whose response was lost counts as done when the publisher is gone', async () => {
  faults = [{}, { status: 404 }, { status: 404 }];
  await expect(hurried(open().remove('p1'))).resolves.toBeUndefined();
  expect(arrived).toHaveLength(2);
  await expect(open().remove('p1')).rejects.toMatchObject({ name: 'NotFoundError' });
});

test('a body that never ends, ends at the timeout of the call, and is not repeated', async () => {
  const fetch = vi.fn(() => Promise.resolve(new Response(new ReadableStream())));
  const failed = expect(open({ fetch }).details({ timeout: 300 })).rejects.toThrow('timed out after 300 ms');
  await vi.advanceTimersByTimeAsync(300);
  await failed;
  expect(fetch).toHaveBeenCalledOnce();
});

test('a signal cancels a call, even while it waits for the next attempt', async () => {
  faults = [{ status: 429, headers: { 'retry-after': '30' } }];
  const controller = new AbortController();
  const { signal } = controller;
  const failed = expect(open().details({ signal })).rejects.toThrow('enough');
  await vi.advanceTimersByTimeAsync(300);
  controller.abort(new Error('enough'));
  await failed;
  await expect(open().details({ signal })).rejects.toThrow('enough');
  await expect(open().details({ signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });
  expect(arrived).toHaveLength(1);
});
