import { expect, test } from 'vitest';
import { event, RESPONSE, json, KEY, REQUEST, setUp } from '../scriptedNetwork.ts';

test.each([
  ['plainly', (key: string) => JSON.stringify({ ...RESPONSE, debug: `got ${key}` })],
  ['in capitals', (key: string) => JSON.stringify({ debug: key.toUpperCase() })],
  ['as a field name', (key: string) => JSON.stringify({ [key]: 1 })],
  [
    'escaped',
    (key: string) =>
      `{"debug":"${Array.from(key, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"}`,
  ],
  ['escaped, in a field that a later one hides', (key: string) => `{"debug":"\\u0061${key.slice(1)}","debug":""}`],
  ['in a URL', (key: string) => JSON.stringify({ debug: `https://x/?k=${key.replaceAll('_', '%5F')}` })],
  [
    'percent-encoded',
    (key: string) => `{"debug":"${Array.from(key, (c) => `%${c.charCodeAt(0).toString(16)}`).join('')}"}`,
  ],
  ['escaped, as the name of a field', (key: string) => `{"\\u0041${key.slice(1)}":1}`],
])('a response that contains the key %s is a 502 without it', async (_, body) => {
  const { network, post, counted, logs } = setUp();
  for (const status of [200, 400, 500]) {
    network.respondWith(() => new Response(body(KEY), { status }));
    const response = await post('/recommendations', REQUEST);
    expect(response.status).toBe(502);
    expect((await response.text()).toLowerCase()).not.toContain(KEY);
  }
  expect(counted('key_reflected')).toBe(3);
  expect(JSON.stringify(logs)).not.toContain(KEY);
});

test.each([`Mon, ${KEY} GMT`, 'Mon, adnet rk test GMT', '1, 2', '-1', '1e9', ` ${'9'.repeat(10)}`])(
  'a Retry-After that is neither seconds nor a date is not passed on: %s',
  async (value) => {
    const { network, post } = setUp();
    network.respondWith(() => json(503, { message: 'Later' }, { 'retry-after': value }));
    const response = await post('/recommendations', REQUEST);
    expect(response.headers.get('retry-after')).toBeNull();
  },
);

test('a Retry-After that is a date is passed on, unless the key is in it', async () => {
  const date = 'Sun, 06 Nov 2039 08:49:37 GMT';
  for (const [apiKey, status, header] of [
    [KEY, 503, date],
    ['2039', 502, null],
  ] as const) {
    const { network, post } = setUp({ apiKey });
    network.respondWith(() => json(503, { message: 'Later' }, { 'retry-after': date }));
    const response = await post('/recommendations', REQUEST);
    expect([response.status, response.headers.get('retry-after')]).toEqual([status, header]);
  }
});

test.each([199, 600, 999])('the status %i of a network is a 502', async (status) => {
  for (const [path, body] of [
    ['/recommendations', REQUEST],
    ['/events', event()],
    ['/events/batch', { events: [event()] }],
  ] as const) {
    const { network, post } = setUp();
    network.respondWith(() => Object.defineProperty(json(200, { message: 'x' }), 'status', { value: status }));
    expect((await post(path, body)).status).toBe(502);
  }
});

test('a response to an event that is not JSON is not passed on', async () => {
  const { network, post } = setUp();
  network.respondWith(() => new Response('<html>thanks</html>', { status: 201 }));
  const response = await post('/events', event());
  expect([response.status, await response.text()]).toEqual([201, '']);
});

const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

test.each([
  [33, 400],
  [2_500, 400],
])('a body with %i levels is a %i, not an error of the relay', async (levels, status) => {
  for (const [path, body] of [
    ['/recommendations', `{"custom_metadata":${nested(levels - 1)}}`],
    ['/events', `{"a":${nested(levels - 1)}}`],
    ['/events/batch', `{"events":[${nested(levels - 2)}]}`],
  ] as const) {
    const { network, post, logs } = setUp();
    const response = await post(path, body);
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({
      message: 'The request body nests objects and lists more than 32 levels deep.',
    });
    expect(logs.map((entry) => entry.level)).toEqual(['warn']);
    expect(network.calls).toHaveLength(0);
  }
});

test('a body with 32 levels is forwarded', async () => {
  const { network, post } = setUp();
  const body = { ...REQUEST, custom_metadata: JSON.parse(nested(31)) as unknown };
  expect((await post('/recommendations', body)).status).toBe(200);
  expect(network.calls[0]?.body['custom_metadata']).toEqual(body.custom_metadata);
});

test('an endlessly nested response of the network is a 502', async () => {
  const { network, post, logs } = setUp({ sandbox: true });
  network.respondWith(() => new Response(`{"sandbox":false,"a":${nested(100_000)}}`, { status: 200 }));
  expect((await post('/recommendations', REQUEST)).status).toBe(502);
  expect(JSON.stringify(logs)).not.toContain('call stack');
});
