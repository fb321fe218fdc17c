import { afterEach, describe, expect, test, vi } from 'vitest';
import { RelayError } from '../../src/relay.ts';
import { ask, setUp, useFakeClock } from './scriptedNetwork.ts';

afterEach(() => void vi.useRealTimers());

const never = (): Promise<never> => new Promise(() => undefined);

test.each<[string, () => unknown, number, string, string | null]>([
  ['hangs', never, 503, 'The relay could not check in time whether this request is authorized. Try again later.', '5'],
  ['rejects', () => Promise.reject(new Error('no connection')), 500, 'The relay failed.', null],
  [
    'throws',
    () => {
      throw new Error('no connection');
    },
    500,
    'The relay failed.',
    null,
  ],
  [
    'throws a RelayError',
    () => Promise.reject(new RelayError('Log in.', { status: 401, code: 'login' })),
    401,
    'Log in.',
    null,
  ],
  ['returns a reason', () => Promise.resolve('No token.'), 401, 'No token.', null],
  ['returns a reason at once', () => 'No token.', 401, 'No token.', null],
  ['returns an empty reason', () => Promise.resolve(''), 401, 'This request is not authorized.', null],
  ['returns something else', () => Promise.resolve({ ok: true }), 401, 'This request is not authorized.', null],
  ['returns null', () => Promise.resolve(null), 401, 'This request is not authorized.', null],
])('an authorize that %s refuses the request, and the network is not called', async (...row) => {
  const [, authorize, status, message, retryAfter] = row;
  const bench = setUp({ authorize: authorize as () => Promise<string>, timeouts: { authorize: 40 } });
  const response = await ask(bench.relay, { ip: '192.0.2.1' });
  expect([response.status, await response.json(), response.headers.get('retry-after')]).toEqual([
    status,
    { message },
    retryAfter,
  ]);
  expect(bench.network.calls).toHaveLength(0);
  expect(bench.logs).toHaveLength(1);
});

describe('requests that are not authorized', () => {
  test('are limited, at a tenth of the rate of others', async () => {
    useFakeClock();
    let asked = 0;
    const bench = setUp({ authorize: async () => (asked++, 'No token.') });
    const statuses: number[] = [];
    for (let request = 0; request < 500; request++)
      statuses.push((await ask(bench.relay, { ip: '203.0.113.66' })).status);
    // 600 at once, each counted as 10.
    expect(statuses).toEqual(Array.from({ length: 500 }, (_, request) => (request < 60 ? 401 : 429)));
    expect(asked).toBe(60);
    expect((await ask(bench.relay, { ip: '198.51.100.1' })).status).toBe(401);
  });

  test('are limited where no address is known, without locking out the others at once', async () => {
    useFakeClock();
    const bench = setUp({
      authorize: async (header) => (header('authorization') === null ? 'No token.' : undefined),
      rateLimit: { perNetwork: { burst: 100, perSecond: 1 } },
    });
    for (let request = 0; request < 50; request++) expect((await ask(bench.relay)).status).toBe(401);
    const response = await bench.post('/events/batch', { events: [] }, { authorization: 'Bearer x' });
    expect(response.status).toBe(400);
    const statuses: number[] = [];
    for (let request = 0; request < 60; request++) statuses.push((await ask(bench.relay)).status);
    expect(statuses).toContain(429);
  });
});

test('a wrong guess costs ten requests, also where fewer are left', async () => {
  useFakeClock();
  let guesses = 0;
  const authorize = (): Promise<string> => {
    guesses += 1;
    return Promise.resolve('No.');
  };
  const bench = setUp({ authorize, rateLimit: { perAddress: { burst: 20, perSecond: 10 } } });
  // 20 requests at once and 80 in eight seconds are ten guesses.
  for (let step = 0; step < 80; step++) {
    await ask(bench.relay, { ip: '192.0.2.1' });
    vi.advanceTimersByTime(100);
  }
  expect(guesses).toBe(10);
});
