import { http, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { offerletHandlers } from 'offerlet/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

const handlers = offerletHandlers({ offers: 1 });
const { relay } = handlers;
const server = setupServer(
  ...handlers,
  http.post('https://shop.example/api/recommendations', () => HttpResponse.json({ products: ['a teapot'] })),
);

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => {
  server.resetHandlers();
  relay.reset();
});
afterAll(() => server.close());

const post = (url: string, body: unknown): Promise<Response> =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
const ask = (url = 'https://shop.example/offers/recommendations'): Promise<Response> =>
  post(url, {
    user_details: { email_hash: 'a'.repeat(64) },
    placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' },
  });

test('a request for offers is served on any path and origin', async () => {
  for (const url of [
    'https://shop.example/offers/recommendations',
    'http://127.0.0.1:9/api/v1/partner/recommendations',
  ])
    expect(Object.keys(((await (await ask(url)).json()) as { recommendations: object }).recommendations)).toEqual([
      'offer-1',
    ]);
  expect(relay.requests).toHaveLength(2);
});

test('events are delivered, and readable', async () => {
  const { session_id } = (await (await ask()).json()) as { session_id: string };
  const event = { event_id: 'e-1', event_name: 'WIDGET_LOAD', event_datetime: new Date().toISOString(), session_id };
  expect((await post('https://shop.example/offers/events/batch', { events: [event] })).status).toBe(202);
  expect(relay.delivered).toEqual([event]);
});

test("a shop's own requests reach the shop's own handlers, with their bodies", async () => {
  const response = await post('https://shop.example/api/recommendations', { basket: 1 });
  expect(await response.json()).toEqual({ products: ['a teapot'] });
  expect(relay.requests).toEqual([]);
});

test('a scenario can be played for one test', async () => {
  relay.setScenario('offers-502');
  expect((await ask()).status).toBe(502);
});

test('handlers can be added for one test, and are gone after resetHandlers', async () => {
  server.use(...offerletHandlers({ scenario: 'no-offers' }));
  expect(await (await ask()).json()).toMatchObject({ recommendations: {} });
  server.resetHandlers();
  expect(await (await ask()).json()).toMatchObject({ recommendations: { 'offer-1': {} } });
});

test('the page to which an example offer leads is served, so that no test needs the network', async () => {
  const page = await fetch('https://offers.offerlet.test/1');
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Target of an offer')]);
});
