import { expect, test } from 'vitest';
import { event, json, resultsOf, setUp } from '../scriptedNetwork.ts';

test('two duplicates at the same moment reach the network once, and both get its result', async () => {
  const { network, post } = setUp();
  const sent = event();
  let open: (response: Response) => void = () => undefined;
  network.respondWith(() => new Promise((resolve) => (open = resolve)));
  const first = post('/events/batch', { events: [sent] });
  const second = post('/events', sent);
  await expect.poll(() => network.calls.length).toBe(1);
  open(json(202, { results: [{ index: 0, success: true }], accepted: 1, failed: 0 }));
  expect((await first).status).toBe(202);
  expect((await second).status).toBe(201);
  expect(network.calls).toHaveLength(1);
});

test('two duplicates in one batch reach the network once', async () => {
  const { network, post } = setUp();
  const sent = event();
  const response = await post('/events/batch', { events: [sent, event(), sent] });
  expect(response.status).toBe(202);
  expect((await resultsOf(response)).map((result) => result.success)).toEqual([true, true, true]);
  expect(network.events()).toHaveLength(2);
});

test('two batches that share events in opposite order do not wait for each other for ever', async () => {
  const { network, post } = setUp();
  const [a, b, c, d] = [event(), event(), event(), event()];
  const answers = await Promise.all([
    post('/events/batch', { events: [a, b, c] }),
    post('/events/batch', { events: [c, b, d] }),
  ]);
  expect(answers.map((answer) => answer.status)).toEqual([202, 202]);
  expect(network.events()).toHaveLength(4);
});

test('an event of a batch is accepted although the request with its duplicate could not look it up', async () => {
  let isDown = true;
  let fail: (error: Error) => void = () => undefined;
  const { network, post } = setUp({
    dedupe: {
      claim(keys) {
        if (!isDown) return keys.map(() => 'new' as const);
        isDown = false;
        return new Promise((_, reject) => (fail = reject));
      },
      accept: () => undefined,
      release: () => undefined,
    },
  });
  const [shared, own] = [event(), event()];
  const first = post('/events', shared);
  const second = post('/events/batch', { events: [shared, own] });
  await expect.poll(() => network.events().length).toBe(1);
  fail(new Error('down'));
  expect((await first).status).toBe(503);
  const response = await second;
  expect(response.status).toBe(207);
  expect((await resultsOf(response)).map(({ success, error }) => [success, error?.retryable])).toEqual([
    [false, true],
    [true, undefined],
  ]);
});

test('when the network fails, events that were accepted before are still reported as such', async () => {
  const { network, post } = setUp();
  const known = event();
  await post('/events', known);
  network.respondWith(() => json(503, { message: 'Later' }));
  const response = await post('/events/batch', { events: [event(), known] });
  expect(response.status).toBe(207);
  expect((await resultsOf(response)).map((result) => [result.success, result.error?.retryable])).toEqual([
    [false, true],
    [true, undefined],
  ]);
});
