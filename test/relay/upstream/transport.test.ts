import { expect, test, vi } from 'vitest';
import { LateResponseError } from '../../../src/http/fetchText.ts';
import { openTransport } from '../../../src/http/transport.ts';
import { serve } from '../../fixtures/serve.ts';

const REQUEST = { body: '{}', requestId: 'r' };

test.each([
  ['returns nothing for node:http', () => undefined],
  [
    'throws for node:http',
    () => {
      throw new Error('No such built-in module: node:http');
    },
  ],
  ['returns a part of node:http', () => ({ createServer: () => undefined })],
])('a runtime whose getBuiltinModule %s is called through fetch', async (_, getBuiltinModule) => {
  const fetched: unknown[] = [];
  vi.stubGlobal('fetch', (url: unknown) => {
    fetched.push(url);
    return Promise.resolve(new Response('{}', { status: 202 }));
  });
  vi.stubGlobal('process', { versions: { node: '22.14.0' }, getBuiltinModule });
  try {
    const url = 'https://network.example/events';
    const post = openTransport(undefined, { url, headers: {}, maxBytes: 100 });
    expect(await post({ ...REQUEST, timeoutMs: 1_000 })).toEqual({ status: 202, text: '{}', retryAfter: null });
    expect(fetched).toEqual([url]);
  } finally {
    vi.unstubAllGlobals();
  }
});

test('a fetch that ignores its signal is left behind at the timeout', async () => {
  const stuck = (): Promise<Response> => new Promise(() => undefined);
  const post = openTransport(stuck, { url: 'https://network.example/events', headers: {}, maxBytes: 100 });
  await expect(post({ ...REQUEST, timeoutMs: 20 })).rejects.toThrow(LateResponseError);
});

/** Node has the variables since 22.21 and 24.5. */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const hasProxies = major > 24 || (major === 24 && minor >= 5) || (major === 22 && minor >= 21);

test.skipIf(!hasProxies)('the network is called through the proxy that the environment names', async () => {
  const asked: unknown[] = [];
  const proxy = await serve((request, response) => {
    asked.push(request.url, request.headers['x-api-key']);
    request.resume().on('end', () => response.writeHead(202).end('{}'));
  });
  vi.stubEnv('HTTP_PROXY', proxy.url);
  const call = async (isOn: string, host: string): Promise<unknown> => {
    vi.stubEnv('NODE_USE_ENV_PROXY', isOn);
    const url = `http://${host}/events`;
    const post = openTransport(undefined, { url, headers: { 'x-api-key': 'k' }, maxBytes: 100 });
    return post({ ...REQUEST, timeoutMs: 10_000 }).catch(() => 'failed');
  };
  try {
    expect(await call('1', 'network.invalid')).toMatchObject({ status: 202 });
    expect(asked).toEqual(['http://network.invalid/events', 'k']);
    expect(await call('0', 'network.invalid')).toBe('failed');
    vi.stubEnv('NO_PROXY', 'other.invalid');
    expect(await call('1', 'other.invalid')).toBe('failed');
    expect(asked).toHaveLength(2);
  } finally {
    vi.unstubAllEnvs();
    await proxy.close();
  }
});

test('calls that follow each other share a connection', async () => {
  const connections = new Set<unknown>();
  const network = await serve((request, response) => {
    connections.add(request.socket);
    request.resume().on('end', () => response.writeHead(202).end('{}'));
  });
  const post = openTransport(undefined, { url: `${network.url}/events`, headers: {}, maxBytes: 100 });
  for (let call = 0; call < 3; call++) await post({ ...REQUEST, timeoutMs: 10_000 });
  expect(connections.size).toBe(1);
  await network.close();
});

test('a call that waited for a free connection all its time has sent nothing, and one that had a connection may have', async ({
  onTestFinished,
}) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let reach = (): void => undefined;
  const reached = new Promise<void>((resolve) => (reach = resolve));
  let requests = 0;
  const network = await serve(() => void ((requests += 1) === 1_024 && reach()));
  const post = openTransport(undefined, { url: `${network.url}/events`, headers: {}, maxBytes: 100 });
  const failed = async (timeoutMs: number): Promise<unknown> =>
    post({ ...REQUEST, timeoutMs }).catch((e: unknown) => e);
  const held = Array.from({ length: 1_024 }, () => failed(8_000));
  await reached;
  const waiting = failed(50);
  vi.advanceTimersByTime(50);
  const late = await waiting;
  expect([late instanceof LateResponseError, (late as LateResponseError).isUnsent]).toEqual([true, true]);
  vi.advanceTimersByTime(8_000);
  const first = (await held[0]) as LateResponseError;
  expect(first.isUnsent).toBe(false);
  await Promise.all(held);
  await network.close();
});
