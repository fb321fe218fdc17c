import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test as base, vi } from 'vitest';
import type { Listening } from '../../../src/cli/listen.ts';
import { createNetwork, type Network } from '../../../src/network.ts';
import { ChannelClient, ApiError, UnreachableError, type ResponseNotice } from '../../../src/operator.ts';
import { serve } from '../../../src/sandbox/startNetwork.ts';
import { freePort } from '../../fixtures/serve.ts';

// What is repeated and what is not, against the sandbox network over real connections. The tests wait together, so each has
// its own port, where its own calls fail.

vi.setConfig({ maxConcurrency: 30 });

const DETAILS = '/adnet/channel/details/';
const ADD = '/adnet/publishers/add/';
const EXCLUSIONS = '/adnet/channel/exclusions/';

let network: Network;
let apiKey: string;
beforeAll(async () => {
  network = await createNetwork({ memory: true, seed: 'empty', log: () => undefined });
  apiKey = network.describe().keys.management ?? '';
});
afterAll(() => network.close());

/** What happens to a call instead of its response; `lost`: the connection, before or after the network did what it says. */
interface Fault {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly lost?: 'before' | 'after';
  readonly delay?: number;
}

interface Port {
  /** Lets the next calls of a path fail. */
  fail(path: string, fault: Fault, times?: number): void;
  /** Method and path of each request that arrived. */
  readonly arrived: string[];
  readonly notices: ResponseNotice[];
  client(options?: { maxRetries?: number; timeout?: number }): ChannelClient;
}

const test = base.extend<{ port: Port }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from the pattern which fixtures this one needs
  port: async ({}, use) => {
    const faults: (Fault & { readonly path: string })[] = [];
    const arrived: string[] = [];
    const notices: ResponseNotice[] = [];
    const server: Listening = await serve(
      async (request, from) => {
        const { pathname } = new URL(request.url);
        arrived.push(`${request.method} ${pathname}`);
        const { status, headers = {}, lost, delay = 0 } = (faults[0]?.path === pathname && faults.shift()) || {};
        await sleep(delay);
        if (status !== undefined) return Response.json({ detail: 'scripted' }, { status, headers });
        const response = lost === 'before' ? new Response() : await network.fetch(request, from);
        if (lost) from.drop?.();
        return response;
      },
      { port: 0 },
    );
    await use({
      fail: (path, fault, times = 1) => void faults.push(...Array.from({ length: times }, () => ({ ...fault, path }))),
      arrived,
      notices,
      client: (options) =>
        new ChannelClient({
          networkUrl: server.url,
          apiKey,
          ...options,
          onResponse: (notice) => notices.push(notice),
        }),
    });
    await server.close();
  },
});

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

describe('with retries', { concurrent: true }, () => {
  test.for<[what: string, name: keyof typeof CALLS, fault: () => Fault, requests: number, succeeds: boolean]>([
    ['a GET after a 429 with seconds', 'get', () => ({ status: 429, headers: { 'retry-after': '1' } }), 2, true],
    ['a GET after a 429 with a date', 'get', () => ({ status: 429, headers: { 'retry-after': date(1_500) } }), 2, true],
    ['a GET after a 503 with Retry-After', 'get', () => ({ status: 503, headers: { 'retry-after': '1' } }), 2, true],
    ['a GET after a 503', 'get', () => ({ status: 503 }), 2, true],
    ['a GET after a 500', 'get', () => ({ status: 500 }), 2, true],
    ['a GET whose connection was lost', 'get', () => ({ lost: 'before' }), 2, true],
    ['a PUT after a 502', 'put', () => ({ status: 502 }), 2, true],
    ['a PUT whose response was lost', 'put', () => ({ lost: 'after' }), 2, true],
    ['a POST after a 429', 'post', () => ({ status: 429, headers: { 'retry-after': '1' } }), 2, true],
    ['a POST after a 503 with Retry-After', 'post', () => ({ status: 503, headers: { 'retry-after': '1' } }), 2, true],
    ['no POST after a 503 without', 'post', () => ({ status: 503 }), 1, false],
    ['no POST after a 500', 'post', () => ({ status: 500 }), 1, false],
    ['no POST whose response was lost', 'post', () => ({ lost: 'after' }), 1, false],
    ['no POST whose connection was lost', 'post', () => ({ lost: 'before' }), 1, false],
    ['no GET after a 400', 'get', () => ({ status: 400 }), 1, false],
    ['no GET after a 401', 'get', () => ({ status: 401 }), 1, false],
    ['no GET after a 404', 'get', () => ({ status: 404 }), 1, false],
  ])('%s is repeated', async ([, name, fault, requests, succeeds], { port }) => {
    const { path, call } = CALLS[name];
    port.fail(path, fault());
    const result: unknown = await call(port.client()).catch((error: unknown) => error);
    expect(result instanceof ApiError).toBe(!succeeds);
    expect(port.arrived.filter((one) => one.endsWith(path))).toHaveLength(requests);
  });

  test('a call is repeated twice by default, and as often as maxRetries says', async ({
    port: { fail, arrived, client },
  }) => {
    fail(DETAILS, { status: 500 }, 9);
    await expect(client().details()).rejects.toMatchObject({ status: 500 });
    expect(arrived).toHaveLength(3);
    await expect(client({ maxRetries: 0 }).details()).rejects.toMatchObject({ status: 500 });
    expect(arrived).toHaveLength(4);
  });

  test('Retry-After is obeyed, in seconds and as a date', async ({ port: { fail, notices, client } }) => {
    for (const valueOf of [() => '2', () => date(2_500)]) {
      fail(DETAILS, { status: 429, headers: { 'retry-after': valueOf() } });
      const begin = Date.now();
      await client().details();
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

  test('a POST to a server that is not up yet is repeated: nothing was sent', async ({ port }) => {
    const attempts: number[] = [];
    const client = new ChannelClient({
      networkUrl: `http://127.0.0.1:${await freePort()}`,
      apiKey,
      onRequest: ({ attempt }) => attempts.push(attempt),
    });
    await expect(client.add([await someItem(port.client())])).rejects.toBeInstanceOf(UnreachableError);
    expect(attempts).toEqual([1, 2, 3]);
  });

  test('a removal whose response was lost counts as done when the publisher is gone', async ({
    port: { fail, arrived, client },
  }) => {
    const id = network.describe().publisher.publisher_remote_id;
    const path = `/adnet/publishers/${id}/remove/`;
    fail(path, { lost: 'after' });
    await expect(client().remove(id)).resolves.toBeUndefined();
    expect(arrived).toEqual([`DELETE ${path}`, `DELETE ${path}`]);
    await expect(client().remove(id)).rejects.toMatchObject({ name: 'NotFoundError' });
  });
});

test('a slow body ends at the timeout of the call and is not repeated', async ({ port: { fail, arrived, client } }) => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  fail(DETAILS, { delay: 3_000 });
  const failed = client()
    .details({ timeout: 300 })
    .catch((reason: unknown) => reason);
  while (!arrived[0]) await sleep(1);
  vi.advanceTimersByTime(300);
  expect(String(await failed)).toMatch(/^UnreachableError: .*timed out after 300 ms/);
  expect(arrived).toHaveLength(1);
});

test('a signal cancels a call, even while it waits for the next attempt', async ({
  port: { fail, arrived, client },
}) => {
  fail(DETAILS, { status: 429, headers: { 'retry-after': '30' } }, 9);
  const controller = new AbortController();
  const calling = client().details({ signal: controller.signal });
  setTimeout(() => controller.abort(new Error('enough')), 300);
  await expect(calling).rejects.toThrow('enough');
  expect(arrived).toHaveLength(1);
  await expect(client().details({ signal: controller.signal })).rejects.toThrow('enough');
  await expect(client().details({ signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });
  expect(arrived).toHaveLength(1);
});
