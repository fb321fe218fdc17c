import { beforeAll, beforeEach, expect, test } from 'vitest';
import { ofSuite } from '../fixtures/opened.ts';
import { event, openTestNetwork, type Body, type Shown, type TestNetwork } from './testNetwork.ts';
import { posting } from '../fixtures/posting.ts';

const world = ofSuite(() => openTestNetwork('pglite'));
let session: Shown;
beforeAll(async () => {
  await world.offer();
});
beforeEach(async () => {
  await world.control('DELETE', '/sandbox/faults');
  session = await world.session();
});
const fault = (fields: Record<string, unknown>): Promise<unknown> =>
  world.control('POST', '/sandbox/faults', { route: '/events/batch', ...fields });
const statuses = async (): Promise<string[]> =>
  (await world.control('GET', `/sandbox/events?session_id=${session.session_id}`)).events.map(
    (entry: Body) => entry.status,
  );
const send = (): ReturnType<TestNetwork['batch']> =>
  world.batch([event('BRAND_CLICK', session), event('BRAND_CLICK', session)]);

test('a status applies once, then the network works again', async () => {
  await fault({ status: 502 });
  expect([(await send()).status, (await send()).status]).toEqual([502, 202]);
  expect(await statuses()).toEqual(['refused', 'refused', 'stored', 'stored']);
});

test('a fault applies as often as it says, faults apply in order, and null applies always', async () => {
  await fault({ status: 500, times: 2 });
  await fault({ status: 503, times: null });
  const seen = [];
  for (let round = 0; round < 5; round += 1) seen.push((await send()).status);
  expect(seen).toEqual([500, 500, 503, 503, 503]);
  await world.control('DELETE', '/sandbox/faults');
  expect((await send()).status).toBe(202);
});

test('faults that are set in the same millisecond apply in order', async () => {
  const all = Array.from({ length: 40 }, (_, index) => 500 + index);
  for (const status of all) await fault({ status });
  const seen = [];
  for (const _ of all) seen.push((await send()).status);
  expect(seen).toEqual(all);
});

test('concurrent requests share the number of times', async () => {
  await fault({ status: 500, times: 3 });
  const answers = await Promise.all(Array.from({ length: 8 }, send));
  expect(answers.filter(({ status }) => status === 500).length).toBe(3);
});

test('chosen indexes fail, retryable or not; the others are stored', async () => {
  await fault({ status: 207, fail_indexes: [0], retryable: false });
  const { status, body } = await send();
  expect({ status, results: body.results }).toMatchObject({
    status: 207,
    results: [
      { index: 0, success: false, error: { retryable: false } },
      { index: 1, success: true },
    ],
  });
  expect(await statuses()).toEqual(['refused', 'stored']);
});

test('all indexes failing is a 502 with results', async () => {
  await fault({ fail_indexes: [0, 1] });
  expect(await send()).toMatchObject({ status: 502, body: { accepted: 0, failed: 2 } });
});

test('a scripted body and headers are sent unchanged', async () => {
  await fault({
    status: 202,
    body: '<html>portal</html>',
    headers: { 'content-type': 'text/html', 'x-portal': 'yes' },
  });
  const answer = await send();
  expect({ status: answer.status, body: answer.body, portal: answer.headers.get('x-portal') }).toEqual({
    status: 202,
    body: '<html>portal</html>',
    portal: 'yes',
  });
  await fault({ body: { results: [] } });
  expect(await send()).toMatchObject({ status: 200, body: { results: [] } });
});

test('a delay alone delays the normal response', async () => {
  await fault({ delay_ms: 150 });
  const started = performance.now();
  expect((await send()).status).toBe(202);
  expect(performance.now() - started).toBeGreaterThan(140);
});

test('a dropped connection has no response; after_commit loses only the response', async () => {
  await fault({ drop_connection: true });
  await expect(send()).rejects.toThrow('dropped');
  await fault({ drop_connection: true, after_commit: true });
  let dropped = 0;
  const request = new Request(
    'http://127.0.0.1/events/batch',
    posting(
      { events: [event('BRAND_CLICK', session)] },
      { 'x-api-key': world.network.describe().keys.integration ?? '', version: '1.0.0' },
    ),
  );
  await world.network.fetch(request, { drop: () => (dropped += 1) });
  expect(dropped).toBe(1);
  expect(await statuses()).toEqual(['refused', 'refused', 'stored']);
});

test('a fault of another route has the error shape of its surface', async () => {
  await world.control('POST', '/sandbox/faults', { route: '/adnet/reporting/v2/report/', status: 500 });
  await world.control('POST', '/sandbox/faults', { route: '/recommendations', status: 500 });
  const key = world.network.describe().keys.management ?? '';
  expect((await world.call('GET', '/adnet/reporting/v2/report/', { key })).body).toEqual({
    detail: expect.any(String),
  });
  expect((await world.post('/recommendations', {})).body).toEqual({ message: expect.any(String) });
});
