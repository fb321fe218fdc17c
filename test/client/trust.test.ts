import { inspect } from 'node:util';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { ApiError, type RecommendationsClient, type RecommendationsClientOptions } from '../../src/client.ts';
import { clicks, failureOf, KEY, openClient, REQUEST, useHurry } from './clientWorld.ts';
import { openModelNetwork, type Fault, type ModelNetwork } from './modelNetwork.ts';

let network: ModelNetwork;
const open = (options?: Partial<RecommendationsClientOptions>): RecommendationsClient => openClient(network, options);
beforeEach(() => void (network = openModelNetwork()));
useHurry();

const ESCAPED = [...KEY].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join('');
const SPLIT = [...KEY].join('\u202E');
/** As undici throws it. */
const UNPARSED = Object.assign(new Error('Response does not match the HTTP/1.1 protocol'), {
  code: 'HPE_INVALID_CONSTANT',
  data: Buffer.from(`HTTP/1.1 200 OK\r\n${KEY}`).toString(),
});

describe('the key', () => {
  test.each([
    ['in the body of an error', { status: 500, body: { message: `no: ${KEY}` } }],
    ['in the body of an error, in escapes', { status: 500, body: `{"message":"no: ${ESCAPED}"}` }],
    ['in the body of a success', { status: 200, body: { session_id: 's', note: KEY } }],
    ['in the request id', { status: 403, headers: { 'x-request-id': KEY }, body: { message: KEY } }],
    ['in the body of an error, between characters that are not shown', { status: 500, body: { message: SPLIT } }],
    ['in what fetch throws', { throws: new Error(`bad header ${KEY}`) }],
    ['in the bytes that the runtime could not parse', { throws: new TypeError('fetch failed', { cause: UNPARSED }) }],
  ] as [string, Fault][])('is in no error that has it %s', async (_, fault) => {
    network.fault = () => fault;
    const error = await failureOf(open({ maxRetries: 0 }).recommend(REQUEST));
    expect(error).toBeInstanceOf(ApiError);
    expect(inspect(error, { depth: 9 })).not.toMatch(/canary/i);
  });

  test('is not in the report of an event that is refused', async () => {
    const error = { code: 'NO', message: `not with ${SPLIT}`, retryable: false };
    network.fault = () => ({ status: 207, body: { results: [{ index: 0, success: false, error }] } });
    const told: unknown[] = [];
    await failureOf(open().reportAll(clicks(1), { onReport: (report) => told.push(report) }));
    expect(told).toHaveLength(1);
    expect(inspect(told, { depth: 9 })).not.toContain('canary');
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
  expect(pulled).toBeLessThan(5);
});

test.each<[string, () => unknown]>([
  ['throws', () => void JSON.parse('{')],
  ['rejects with nothing', () => Promise.reject()],
  ['rejects with an error that is its own cause', () => Promise.reject(selfCaused())],
  ['returns nothing', () => undefined],
  ['returns no headers', () => ({ status: 503, text: async () => '' })],
])('a fetch that %s is a failed call', async (_, odd) => {
  const error = await failureOf(open({ fetch: odd as ModelNetwork['fetch'] }).recommend(REQUEST));
  expect(error).toBeInstanceOf(ApiError);
});

function selfCaused(): Error {
  const error = new Error('round');
  error.cause = error;
  return error;
}
