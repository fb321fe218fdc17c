import { afterEach, expect, test, vi } from 'vitest';
import type { RelayOptions } from '../../src/relay.ts';
import { json, postTo, REQUEST, setUp } from './scriptedNetwork.ts';

afterEach(() => void vi.restoreAllMocks());

/** Posts to a relay without `onLog`, and returns what it wrote to the console. */
async function linesOf(
  status: number,
  body: unknown = REQUEST,
  options: Partial<RelayOptions> = {},
): Promise<string[]> {
  const lines: string[] = [];
  for (const level of ['info', 'log', 'warn', 'error'] as const)
    vi.spyOn(console, level).mockImplementation((line: string) => void lines.push(`${level} ${line}`));
  const { network, relay } = setUp({ onLog: undefined, ...options });
  network.respondWith(() =>
    json(status, {
      message: 'Invalid request',
      errors: [{ path: 'user_details.email_hash', message: 'ada@shop.example' }],
    }),
  );
  const headers = { 'x-request-id': 'page-request-1' };
  await postTo(relay, '/recommendations', body, { headers, ip: '192.0.2.1' });
  return lines;
}

test('without onLog, a request that was refused is a warning on the console that names the field', async () => {
  expect(await linesOf(400)).toEqual([
    'warn offerlet relay: POST /recommendations 400 - Invalid request (user_details.email_hash) (request page-request-1) See https://github.com/offerlet/offerlet/blob/main/docs/errors.md#relay',
  ]);
  expect(await linesOf(200, { placement_details: REQUEST.placement_details })).toEqual([
    'warn offerlet relay: POST /recommendations 400 invalid_request - The request is incomplete. (user_details) (request page-request-1) See https://github.com/offerlet/offerlet/blob/main/docs/errors.md#relay',
  ]);
});

test('without onLog, a failure is an error on the console, and a success is silent', async () => {
  expect(await linesOf(500)).toEqual([expect.stringMatching(/^error offerlet relay: POST \/recommendations 500 - /)]);
  expect(await linesOf(200)).toEqual([]);
});

test('a level says what is logged, with onLog and without', async () => {
  expect(await linesOf(200, REQUEST, { logLevel: 'info' })).toEqual([
    expect.stringMatching(/^info offerlet relay: POST \/recommendations 200/),
  ]);
  expect(await linesOf(400, REQUEST, { logLevel: 'error' })).toEqual([]);
  const { post, logs } = setUp({ logLevel: 'warn' });
  await post('/recommendations', REQUEST);
  await post('/recommendations', {});
  expect(logs.map(({ level }) => level)).toEqual(['warn']);
});

test('with onLog, nothing is written to the console', async () => {
  const write = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const { network, post, logs } = setUp();
  network.respondWith(() =>
    json(400, { message: 'Invalid request', errors: [{ path: 'order_details', message: 'x' }] }),
  );
  await post('/recommendations', REQUEST);
  expect(logs).toMatchObject([{ level: 'warn', error: 'Invalid request (order_details)' }]);
  expect(write).not.toHaveBeenCalled();
});

test('a health check that succeeds is neither logged nor counted', async () => {
  const { relay, logs, metrics } = setUp();
  expect((await relay(new Request('https://shop.example/health'))).status).toBe(200);
  expect([logs, metrics]).toEqual([[], []]);
  expect((await relay(new Request('https://shop.example/health', { method: 'POST' }))).status).toBe(405);
  expect(logs).toMatchObject([{ level: 'warn', message: 'POST /health', status: 405 }]);
  expect(metrics).toMatchObject([{ name: 'request', route: '/health', status: 405 }]);
});
