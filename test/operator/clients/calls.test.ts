import { expect, test, vi } from 'vitest';
import { ofTest } from '../../fixtures/opened.ts';
import { ChannelClient, ReportingClient, type RequestNotice, type ResponseNotice } from '../../../src/operator.ts';
import { retryDelay } from '../../../src/http/connect.ts';
import { openScriptedServer } from './scriptedServer.ts';

const KEY = 'adnet_sk_test_canary0123456789';

const server = ofTest(openScriptedServer);

function responseOf(status: number, headers: Record<string, string> = {}): Parameters<typeof retryDelay>[0]['result'] {
  return { kind: 'response', status, headers: new Headers(headers), json: undefined, isWithheld: false };
}

test.each([
  [1, 0, 250],
  [1, 1, 500],
  [2, 1, 1_000],
  [3, 0.5, 1_500],
  [9, 1, 8_000],
])('attempt %i with the random number %d waits %i ms', (attempt, random, ms) => {
  expect(retryDelay({ isRepeatable: true, result: responseOf(500), attempt }, () => random)).toBe(ms);
});

test.each([
  ['60', 60_000],
  ['61', undefined],
  ['59', 59_000],
  [new Date(Date.now() + 3_600_000).toUTCString(), undefined],
])('Retry-After %s waits %s ms: what asks for more than a minute fails at once', (header, ms) => {
  expect(retryDelay({ isRepeatable: false, result: responseOf(429, { 'retry-after': header }), attempt: 1 })).toBe(ms);
});

test('hooks see method, URL, attempt, status and duration, and neither key nor body', async () => {
  const seen: (RequestNotice | ResponseNotice)[] = [];
  const client = new ChannelClient({
    networkUrl: server.url,
    apiKey: KEY,
    onRequest: (notice) => seen.push(notice),
    onResponse: (notice) => seen.push(notice),
  });
  server.responses = [{ status: 500 }, { body: { ok: true } }];
  await client.setChannelExclusions(['secret-subcategory']);
  const url = `${server.url}/adnet/channel/exclusions/`;
  expect(seen).toEqual([
    { method: 'PUT', url, attempt: 1 },
    expect.objectContaining({
      method: 'PUT',
      attempt: 1,
      status: 500,
      requestId: 'req-1',
      retryIn: expect.any(Number) as unknown,
    }),
    { method: 'PUT', url, attempt: 2 },
    expect.objectContaining({ status: 200, attempt: 2, retryIn: undefined, duration: expect.any(Number) as unknown }),
  ]);
  expect(JSON.stringify(seen)).not.toMatch(/canary|secret-subcategory/);
});

test('a certificate that cannot be verified is not tried again', async () => {
  const cause = Object.assign(new Error('expired'), { code: 'CERT_HAS_EXPIRED' });
  const untrusted = vi.fn<typeof fetch>(() => Promise.reject(new TypeError('fetch failed', { cause })));
  const call = new ChannelClient({ networkUrl: server.url, apiKey: KEY, fetch: untrusted }).details();
  await expect(call).rejects.toThrow();
  expect(untrusted).toHaveBeenCalledOnce();
});

test('every walk can be cancelled between its pages', async () => {
  const controller = new AbortController();
  const next = { count: 9, next: '/x', previous: null };
  let page = 0;
  server.responses = [
    (response) => {
      if (++page === 2) controller.abort(new Error('enough'));
      const publishers = [{ publisher_remote_id: `p${page}`, pending_publisher_id: null }];
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ ...next, publishers }));
    },
  ];
  const channel = new ChannelClient({ networkUrl: server.url, apiKey: KEY });
  const walk = async (): Promise<void> => {
    for await (const publisher of channel.allPublishers({}, { signal: controller.signal })) void publisher;
  };
  await expect(walk()).rejects.toThrow('enough');
  const report = new ReportingClient({ networkUrl: server.url, apiKey: KEY, variant: 'channel' });
  const { signal } = controller;
  const sent = server.seen.length;
  await expect(report.rows({}, { signal }).next()).rejects.toThrow('enough');
  await expect(report.pages({}, { signal }).next()).rejects.toThrow('enough');
  await expect(report.report({}, { signal })).rejects.toThrow('enough');
  expect(server.seen).toHaveLength(sent);
});

test('a fetch that ignores its signal is left behind at the timeout', async () => {
  const stuck = vi.fn(() => new Promise<Response>(() => undefined));
  const client = new ChannelClient({ networkUrl: server.url, apiKey: KEY, fetch: stuck, timeout: 50 });
  await expect(client.details()).rejects.toMatchObject({
    name: 'UnreachableError',
    status: 0,
    code: 'timeout',
    message: 'GET /adnet/channel/details/ timed out after 50 ms.',
  });
  expect(stuck).toHaveBeenCalledOnce();
});

test('an invalid number of retries or timeout is refused', async () => {
  for (const maxRetries of [-1, 1.5, Number.NaN])
    expect(() => new ChannelClient({ networkUrl: server.url, apiKey: KEY, maxRetries })).toThrow('maxRetries');
  const client = new ChannelClient({ networkUrl: server.url, apiKey: KEY });
  for (const timeout of [0, -1, Number.NaN])
    await expect(client.details({ timeout })).rejects.toThrow('timeout must be');
  expect(server.seen).toEqual([]);
});
