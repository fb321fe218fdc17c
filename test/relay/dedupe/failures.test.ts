import { expect, test } from 'vitest';
import { event, json, resultsOf, setUp } from '../scriptedNetwork.ts';

test.each(['claim', 'accept', 'release'] as const)(
  'a store whose %s never returns does not hold up a request',
  async (name) => {
    const store = {
      claim: (keys: readonly string[]) => keys.map(() => 'new' as const),
      accept: () => undefined,
      release: () => undefined,
    };
    const hang = (): Promise<never> => new Promise(() => undefined);
    const { network, post, counted, logs } = setUp({ dedupe: { ...store, [name]: hang }, timeouts: { dedupe: 30 } });
    if (name === 'release') network.respondWith(() => json(503, { message: 'Later' }));
    const response = await post('/events/batch', { events: [event()] });
    expect([response.status, response.headers.get('retry-after')]).toEqual(
      { claim: [503, '5'], accept: [202, null], release: [503, null] }[name],
    );
    expect(network.calls).toHaveLength(name === 'claim' ? 0 : 1);
    expect(counted('dedupe_failed')).toBe(1);
    expect(logs.find((entry) => entry.level === 'error')).toMatchObject({
      message: 'The store of accepted events failed.',
      error: 'no reply within 30 ms',
    });
  },
);

test('a store that cannot write does not make an accepted event a failure, nor its duplicate a new event', async () => {
  const { network, post, counted } = setUp({
    dedupe: {
      claim: (ids) => ids.map(() => 'new' as const),
      accept: () => Promise.reject(new Error('disk full')),
      release: () => undefined,
    },
  });
  const sent = event();
  expect((await post('/events', sent)).status).toBe(201);
  expect((await post('/events', sent)).status).toBe(201);
  expect(network.calls).toHaveLength(1);
  expect(counted('dedupe_failed')).toBe(1);
});

test('an event that another relay is forwarding is to be sent again later', async () => {
  const { network, post, counted, logs } = setUp({
    dedupe: {
      claim: (ids) => ids.map((_, index) => (index === 0 ? ('busy' as const) : ('new' as const))),
      accept: () => undefined,
      release: () => undefined,
    },
  });
  const response = await post('/events/batch', { events: [event(), event()] });
  expect(response.status).toBe(207);
  expect(
    (await resultsOf(response)).map((result) => [result.success, result.error?.code, result.error?.retryable]),
  ).toEqual([
    [false, 'in_flight', true],
    [true, undefined, undefined],
  ]);
  expect((await post('/events', event())).status).toBe(503);
  expect((await post('/events/batch', { events: [event()] })).status).toBe(502);
  expect(logs.filter(({ code }) => code === 'in_flight').map(({ status }) => status)).toEqual([207, 503, 502]);
  // They are not known: nobody has accepted them yet.
  expect(counted('events_known')).toBe(0);
  expect(network.events()).toHaveLength(1);
});
