import { expect, test } from 'vitest';
import { event, json, resultsOf, setUp, type Call } from '../scriptedNetwork.ts';

test.each([undefined, () => new Response(null, { status: 202 })])(
  'a batch is forwarded in one call, without event ids: a 202 accepts everything, also without a body',
  async (respond) => {
    const { network, post } = setUp();
    if (respond) network.respondWith(respond);
    const response = await post('/events/batch', { events: [event(), event()] });
    expect(response.status).toBe(202);
    const results = [0, 1].map((index) => ({ index, success: true }));
    expect(await response.json()).toEqual({ results, accepted: 2, failed: 0 });
    expect(network.calls).toHaveLength(1);
    expect(network.calls[0]?.path).toBe('/events/batch');
    expect(network.events().every((sent) => !('event_id' in sent))).toBe(true);
  },
);

test('with forwardEventIds the network gets the event ids', async () => {
  const { network, post } = setUp({ forwardEventIds: true });
  const sent = event();
  await post('/events/batch', { events: [sent] });
  expect(network.events()).toEqual([sent]);
});

test('a duplicate is reported as a success and not forwarded', async () => {
  const { network, post, counted } = setUp();
  const batch = { events: [event(), event()] };
  await post('/events/batch', batch);
  const again = await post('/events/batch', batch);
  expect(again.status).toBe(202);
  expect(await resultsOf(again)).toEqual([
    { index: 0, success: true },
    { index: 1, success: true },
  ]);
  expect(network.calls).toHaveLength(1);
  expect(counted('events_known')).toBe(2);
});

test('an event id in other letter case, or of another session, is another event', async () => {
  const { network, post } = setUp();
  const sent = event({ event_id: 'Order-1001-click' });
  await post('/events', sent);
  await post('/events', { ...sent, event_id: 'order-1001-click' });
  await post('/events/batch', { events: [{ ...sent, session_id: crypto.randomUUID() }, sent] });
  expect(network.events()).toHaveLength(3);
});

test('results are in the order in which the page sent its events', async () => {
  const { network, post } = setUp();
  const known = event();
  await post('/events', known);
  network.respondWith((call) =>
    json(207, {
      results: [
        { index: 1, success: false },
        { index: 0, success: true },
      ],
      accepted: 1,
      failed: (call.body['events'] as unknown[]).length - 1,
    }),
  );
  const tooOld = new Date(Date.now() - 31 * 24 * 3_600_000).toISOString();
  const response = await post('/events/batch', {
    events: [
      event({ event_name: 'CONVERSION', conversion_properties: { conversion_id: 'c' } }),
      event({ asset_id: 'first' }),
      known,
      { event_name: 'NONSENSE' },
      event({ asset_id: 'second' }),
      event({ event_datetime: tooOld }),
    ],
  });
  expect(response.status).toBe(207);
  const body = (await response.json()) as {
    results: { index: number; success: boolean; error?: { code: string; retryable: boolean } }[];
  };
  expect(
    body.results.map((result) => [result.index, result.success, result.error?.code, result.error?.retryable]),
  ).toEqual([
    [0, false, 'conversion_from_page', false],
    [1, true, undefined, undefined],
    [2, true, undefined, undefined],
    [3, false, 'invalid_event', false],
    [4, false, undefined, undefined],
    [5, false, 'event_too_old', false],
  ]);
  expect(body).toMatchObject({ accepted: 2, failed: 4 });
  expect(
    network
      .events()
      .slice(1)
      .map((sent) => sent['asset_id']),
  ).toEqual(['first', 'second']);
});

test('a batch without any event to forward is a 502 with results, and the network is not called', async () => {
  const { network, post, counted } = setUp();
  const response = await post('/events/batch', { events: [event({ event_name: 'CONVERSION' }), 7] });
  expect(response.status).toBe(502);
  expect((await resultsOf(response)).map((result) => result.error?.retryable)).toEqual([false, false]);
  expect(network.calls).toHaveLength(0);
  expect(counted('events_refused')).toBe(2);
});

test('an event counts as accepted only after the network accepted it', async () => {
  const { network, post } = setUp();
  const [good, bad] = [event(), event()];
  network.respondWith(() =>
    json(207, {
      results: [
        { index: 0, success: true },
        { index: 1, success: false, error: { code: 'busy', message: 'Later.', retryable: true } },
      ],
      accepted: 1,
      failed: 1,
    }),
  );
  await post('/events/batch', { events: [good, bad] });
  network.respondWith(() => json(202, { results: [{ index: 0, success: true }], accepted: 1, failed: 0 }));
  const again = await post('/events/batch', { events: [good, bad] });
  expect(again.status).toBe(202);
  expect(network.calls[1]?.body['events']).toHaveLength(1);
});

test("the network's own results pass unchanged when the relay has nothing to add", async () => {
  const { network, post } = setUp();
  const body = {
    results: [
      {
        index: 1,
        success: false,
        error: { code: 'SESSION_UNKNOWN', message: 'No such session', retryable: false, extra: 1 },
      },
      { index: 0, success: true },
    ],
    accepted: 1,
    failed: 1,
    trace: 'x',
  };
  network.respondWith(() => json(207, body));
  const response = await post('/events/batch', { events: [event(), event()] });
  expect(response.status).toBe(207);
  expect(await response.json()).toEqual(body);
});

test('the status follows from the results, whatever status the network wrote', async () => {
  const { network, post } = setUp();
  network.respondWith(() => json(207, { results: [{ index: 0, success: false }] }));
  expect((await post('/events/batch', { events: [event()] })).status).toBe(502);
  network.respondWith(() => json(207, { results: [{ index: 0, success: true }] }));
  expect((await post('/events/batch', { events: [event()] })).status).toBe(202);
});

test('events that a 207 leaves out or names twice stay with the sender and count as lost responses', async () => {
  const { network, post, counted } = setUp();
  network.respondWith(() =>
    json(207, {
      results: [0, 1, 1, 9].map((index) => ({ index, success: true })),
    }),
  );
  const batch = { events: [event(), event(), event()] };
  const response = await post('/events/batch', batch);
  expect(response.status).toBe(207);
  expect((await resultsOf(response)).map((result) => [result.success, result.error?.retryable])).toEqual([
    [true, undefined],
    [false, true],
    [false, true],
  ]);
  expect(counted('answers_lost')).toBe(2);
});

test.each([
  [401, { message: 'Key of the wrong environment' }],
  [403, { message: 'No' }],
  [400, { message: 'Bad', errors: [{ message: 'events' }] }],
  [422, { message: 'Bad' }],
  [500, { message: 'Oops' }],
  [503, { message: 'Later' }],
])(
  'a %i for the whole call passes to the sender unchanged, and after a server error nobody knows what arrived',
  async (status, body) => {
    const { network, post, metrics } = setUp();
    network.respondWith(() => json(status, body, { 'retry-after': '7', 'set-cookie': 'a=b', server: 'x' }));
    const response = await post('/events/batch', { events: [event(), event()] });
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual(body);
    expect(response.headers.get('retry-after')).toBe('7');
    expect(response.headers.get('set-cookie')).toBeNull();
    expect(metrics.some(({ name }) => name === 'answers_lost')).toBe(status >= 500);
  },
);

test.each([{ events: [] }, { events: Array.from({ length: 21 }, () => event()) }, { events: 'x' }, [], 1])(
  'a body that is not a batch of 1 to 20 events is a 400: case %#',
  async (body) => {
    const { network, post } = setUp();
    const response = await post('/events/batch', body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ message: expect.any(String), errors: [{ path: 'events' }] });
    expect(network.calls).toHaveLength(0);
  },
);

test('a single event gets a 201 with an empty body', async () => {
  const { network, post } = setUp();
  const sent = event();
  const response = await post('/events', sent);
  expect([response.status, await response.text()]).toEqual([201, '']);
  const again = await post('/events', sent);
  expect([again.status, await again.text()]).toEqual([201, '']);
  expect(network.calls.map((call: Call) => call.path)).toEqual(['/events']);
});

test('a single conversion is a 422 and a malformed event a 400, neither forwarded', async () => {
  const { network, post } = setUp();
  expect((await post('/events', event({ event_name: 'CONVERSION' }))).status).toBe(422);
  const malformed = await post('/events', event({ session_id: '' }));
  expect(malformed.status).toBe(400);
  expect(await malformed.json()).toMatchObject({ errors: [{ path: 'session_id' }] });
  expect(network.calls).toHaveLength(0);
});

test("a captive portal's 200 does not count as accepted", async () => {
  const { network, post } = setUp();
  network.respondWith(() => new Response('<html>Welcome to the Wi-Fi</html>', { status: 200 }));
  const sent = event();
  expect((await post('/events', sent)).status).toBe(502);
  expect((await post('/events/batch', { events: [sent] })).status).toBe(502);
  expect(network.calls).toHaveLength(2);
});

test('what only a conversion has is not forwarded on another event', async () => {
  const { network, post } = setUp();
  const click = event({
    event_name: 'BRAND_CLICK',
    conversion_properties: { conversion_id: 'c1', amount: 99, currency_code: 'EUR' },
  });
  await post('/events/batch', { events: [click] });
  await post('/events', { ...click, event_id: crypto.randomUUID() });
  expect(network.events()).toHaveLength(2);
  expect(JSON.stringify(network.events())).not.toContain('conversion');
});
