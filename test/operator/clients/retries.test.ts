import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Listening } from '../../../src/cli/listen.ts';
import { createNetwork, type Network } from '../../../src/network.ts';
import { ChannelClient, ApiError, UnreachableError, type ResponseNotice } from '../../../src/operator.ts';
import { serve } from '../../../src/sandbox/startNetwork.ts';
import { freePort } from '../../fixtures/serve.ts';

// What is repeated and what is not, against the sandbox network's scripted faults, over a real connection.

const DETAILS = '/adnet/channel/details/';
const ADD = '/adnet/publishers/add/';
const EXCLUSIONS = '/adnet/channel/exclusions/';

let network: Network;
let server: Listening;
let apiKey: string;
/** Method and path of each request that arrived, controls left out. */
let arrived: string[] = [];
let notices: ResponseNotice[] = [];

beforeAll(async () => {
  network = await createNetwork({ memory: true, seed: 'empty', log: () => undefined });
  server = await serve(
    (request, from) => {
      const { pathname } = new URL(request.url);
      if (!pathname.startsWith('/sandbox/')) arrived.push(`${request.method} ${pathname}`);
      return network.fetch(request, from);
    },
    { port: 0 },
  );
  apiKey = network.describe().keys.management ?? '';
}, 120_000);
afterAll(async () => {
  await server.close();
  await network.close();
});
beforeEach(async () => {
  await fetch(`${server.url}/sandbox/faults`, { method: 'DELETE' });
  arrived = [];
  notices = [];
});

async function script(fault: object): Promise<void> {
  const response = await fetch(`${server.url}/sandbox/faults`, { method: 'POST', body: JSON.stringify(fault) });
  if (!response.ok) throw new Error(await response.text());
}

function clientWith(options: { maxRetries?: number; timeout?: number } = {}): ChannelClient {
  return new ChannelClient({
    networkUrl: server.url,
    apiKey,
    ...options,
    onResponse: (notice) => notices.push(notice),
  });
}

const CALLS = {
  get: { path: DETAILS, call: async (client: ChannelClient) => client.details() },
  put: { path: EXCLUSIONS, call: async (client: ChannelClient) => client.setChannelExclusions([]) },
  post: { path: ADD, call: async (client: ChannelClient) => client.add([await someItem(client)]) },
};

let count = 0;
async function someItem(client: ChannelClient): Promise<Parameters<ChannelClient['add']>[0][number]> {
  const [category] = await client.categories();
  return {
    brand_name: `Brand ${++count}`,
    domain: `brand-${count}.example`,
    primary_category_id: category?.remote_id ?? '',
    subcategory_ids: [category?.subcategories[0]?.remote_id ?? ''],
  };
}

const date = (ms: number): string => new Date(Date.now() + ms).toUTCString();

test.each<[what: string, name: keyof typeof CALLS, fault: () => object, requests: number, succeeds: boolean]>([
  ['a GET after a 429 with seconds', 'get', () => ({ status: 429, headers: { 'retry-after': '1' } }), 2, true],
  ['a GET after a 429 with a date', 'get', () => ({ status: 429, headers: { 'retry-after': date(1_500) } }), 2, true],
  ['a GET after a 503 with Retry-After', 'get', () => ({ status: 503, headers: { 'retry-after': '1' } }), 2, true],
  ['a GET after a 503', 'get', () => ({ status: 503 }), 2, true],
  ['a GET after a 500', 'get', () => ({ status: 500 }), 2, true],
  ['a GET whose connection was lost', 'get', () => ({ drop_connection: true }), 2, true],
  ['a PUT after a 502', 'put', () => ({ status: 502 }), 2, true],
  ['a PUT whose response was lost', 'put', () => ({ drop_connection: true, after_commit: true }), 2, true],
  ['a POST after a 429', 'post', () => ({ status: 429, headers: { 'retry-after': '1' } }), 2, true],
  ['a POST after a 503 with Retry-After', 'post', () => ({ status: 503, headers: { 'retry-after': '1' } }), 2, true],
  ['no POST after a 503 without', 'post', () => ({ status: 503 }), 1, false],
  ['no POST after a 500', 'post', () => ({ status: 500 }), 1, false],
  ['no POST whose response was lost', 'post', () => ({ drop_connection: true, after_commit: true }), 1, false],
  ['no POST whose connection was lost', 'post', () => ({ drop_connection: true }), 1, false],
  ['no GET after a 400', 'get', () => ({ status: 400 }), 1, false],
  ['no GET after a 401', 'get', () => ({ status: 401 }), 1, false],
  ['no GET after a 404', 'get', () => ({ status: 404 }), 1, false],
])('%s is repeated', async (_, name, fault, requests, succeeds) => {
  const { path, call } = CALLS[name];
  await script({ route: path, ...fault(), times: 1 });
  const result: unknown = await call(clientWith()).catch((error: unknown) => error);
  expect(result instanceof ApiError).toBe(!succeeds);
  expect(arrived.filter((one) => one.endsWith(path))).toHaveLength(requests);
});

test('a call is repeated twice by default, and as often as maxRetries says', async () => {
  await script({ route: DETAILS, status: 500, times: 9 });
  await expect(clientWith().details()).rejects.toMatchObject({ status: 500 });
  expect(arrived).toHaveLength(3);
  await expect(clientWith({ maxRetries: 0 }).details()).rejects.toMatchObject({ status: 500 });
  expect(arrived).toHaveLength(4);
});

test('Retry-After is obeyed, in seconds and as a date', async () => {
  for (const header of ['2', () => date(2_500)]) {
    const value = typeof header === 'string' ? header : header();
    await script({ route: DETAILS, status: 429, headers: { 'retry-after': value }, times: 1 });
    const begin = Date.now();
    await clientWith().details();
    expect(Date.now() - begin).toBeGreaterThanOrEqual(1_500);
  }
  expect(notices.map(({ status, attempt }) => [status, attempt])).toEqual([
    [429, 1],
    [200, 2],
    [429, 1],
    [200, 2],
  ]);
  expect(notices[0]?.retryIn).toBe(2_000);
});

test('a slow body ends at the timeout of the call and is not repeated', async () => {
  await script({ route: DETAILS, delay_ms: 3_000, times: 1 });
  const error: unknown = await clientWith()
    .details({ timeout: 300 })
    .catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(UnreachableError);
  expect((error as Error).message).toContain('timed out after 300 ms');
  expect(arrived).toHaveLength(1);
});

test('a POST to a server that is not up yet is repeated: nothing was sent', async () => {
  const attempts: number[] = [];
  const client = new ChannelClient({
    networkUrl: `http://127.0.0.1:${await freePort()}`,
    apiKey,
    onRequest: ({ attempt }) => attempts.push(attempt),
  });
  await expect(client.add([await someItem(clientWith())])).rejects.toBeInstanceOf(UnreachableError);
  expect(attempts).toEqual([1, 2, 3]);
});

test('a removal whose response was lost counts as done when the publisher is gone', async () => {
  const id = network.describe().publisher.publisher_remote_id;
  const path = `/adnet/publishers/${id}/remove/`;
  await script({ route: path, drop_connection: true, after_commit: true, times: 1 });
  await expect(clientWith().remove(id)).resolves.toBeUndefined();
  expect(arrived).toEqual([`DELETE ${path}`, `DELETE ${path}`]);
  await expect(clientWith().remove(id)).rejects.toMatchObject({ name: 'NotFoundError' });
});

test('a signal cancels a call, even while it waits for the next attempt', async () => {
  await script({ route: DETAILS, status: 429, headers: { 'retry-after': '30' }, times: 9 });
  const controller = new AbortController();
  const calling = clientWith().details({ signal: controller.signal });
  setTimeout(() => controller.abort(new Error('enough')), 300);
  await expect(calling).rejects.toThrow('enough');
  expect(arrived).toHaveLength(1);
  await expect(clientWith().details({ signal: controller.signal })).rejects.toThrow('enough');
  await expect(clientWith().details({ signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });
  expect(arrived).toHaveLength(1);
});
