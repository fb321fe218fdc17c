import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ApiError, type RecommendationsClient, type RecommendationsClientOptions } from '../../src/client.ts';
import { failureOf, KEY, openClient, REQUEST } from './clientWorld.ts';
import { openModelNetwork, type Fault, type ModelNetwork } from './modelNetwork.ts';

let network: ModelNetwork;
const open = (options?: Partial<RecommendationsClientOptions>): RecommendationsClient => openClient(network, options);
beforeEach(() => {
  network = openModelNetwork();
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('the key', () => {
  test.each([
    ['in the body of an error', { status: 500, body: { message: `no: ${KEY}` } }],
    ['in the body of a success', { status: 200, body: { session_id: 's', note: btoa(KEY) } }],
    ['in the request id', { status: 403, headers: { 'x-request-id': KEY }, body: { message: KEY } }],
    ['in what fetch throws', { throws: new Error(`bad header ${KEY}`) }],
  ] as [string, Fault][])('is in no error that has it %s', async (_, fault) => {
    network.fault = () => fault;
    const error = await failureOf(open({ maxRetries: 0 }).recommend(REQUEST));
    expect(error).toBeInstanceOf(ApiError);
    const { cause: _cause, ...own } = error as ApiError;
    expect(JSON.stringify([error.message, own])).not.toContain('canary');
  });

  test.each<[string, Partial<RecommendationsClientOptions>, RegExp]>([
    ['a live key over http', { networkUrl: 'http://partner.example' }, /networkUrl is not https/],
    ['a key of another interface', { apiKey: 'adnet_sk_live_x' }, /is a management key/],
    ['no key', { apiKey: '' }, /apiKey is missing/],
    ['no version', { version: undefined as never }, /version is missing/],
    ['no URL', { networkUrl: '' }, /networkUrl is missing/],
  ])('%s is refused at once', (_, options, message) => {
    expect(() => open(options)).toThrow(message);
    expect(() => open(options)).toThrow(TypeError);
  });

  test('a test key may be sent over http, a live one only to this machine', () => {
    expect(() => open({ networkUrl: 'http://network:4600', apiKey: 'adnet_rk_test_x' })).not.toThrow();
    expect(() => open({ networkUrl: 'http://127.0.0.1:4600' })).not.toThrow();
  });

  test('a client does not run in a browser', () => {
    vi.stubGlobal('window', {});
    vi.stubGlobal('document', {});
    expect(() => open()).toThrow('offerlet/client holds a secret key and must not run in a browser');
  });
});

test('a body without end is not read', async () => {
  vi.useRealTimers();
  let pulled = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      pulled += 1;
      controller.enqueue(new Uint8Array(1024 * 1024));
    },
  });
  const client = open({ fetch: async () => new Response(endless), maxRetries: 0 });
  expect(await client.recommend(REQUEST).catch((error: unknown) => error)).toMatchObject({
    name: 'UnreachableError',
    code: 'too_large',
  });
  expect(pulled).toBeLessThan(100);
});
