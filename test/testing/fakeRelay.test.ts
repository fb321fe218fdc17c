import { expect, test } from 'vitest';
import { fakeRelay, type FakeRelay, type FakeRelayOptions } from 'offerlet/testing';
import { SCENARIOS } from '../../src/wire/scenarios/scenarios.ts';
import { readRecommendations } from '../../src/wire/offers/readRecommendations.ts';
import { posting } from '../fixtures/posting.ts';

const SHOP = 'https://shop.example/offers';

/** Posts as a page does. */
async function post(relay: FakeRelay, path: string, body: unknown): Promise<Response> {
  return relay(new Request(SHOP + path, posting(body, { origin: 'https://shop.example' })));
}

const ask = (relay: FakeRelay): Promise<Response> =>
  post(relay, '/recommendations', {
    user_details: { email_hash: 'a'.repeat(64) },
    placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' },
  });

/** A page that has requested offers and may send events. */
async function opened(options: FakeRelayOptions = {}) {
  const relay = fakeRelay(options);
  const { session_id } = (await (await ask(relay)).json()) as { session_id: string };
  const event = (event_id: string, event_name: string, more: object = {}) => ({
    event_id,
    event_name,
    event_datetime: new Date().toISOString(),
    session_id,
    ...more,
  });
  const send = (...events: object[]) => post(relay, '/events/batch', { events });
  return { relay, send, event, session_id };
}

const about = { brand_properties: { offer_id: 'offer-1', advertiser_id: 'advertiser-1', insertion_id: 'insertion-1' } };
const click = { initiating_target: 'INLINE_ACTION_BUTTON' as const, ...about };

test('it returns three offers that can all be shown, with the same ids in every run', async () => {
  const bodies = await Promise.all([fakeRelay(), fakeRelay()].map(async (relay) => (await ask(relay)).json()));
  expect(bodies[0]).toEqual(bodies[1]);
  const read = readRecommendations(bodies[0]);
  expect(read).toMatchObject({ ok: true, value: { sandbox: true, left_out: [] } });
  expect(read.ok && read.value.groups[0]?.offers.map(({ offer_id }) => offer_id)).toEqual([
    'offer-1',
    'offer-2',
    'offer-3',
  ]);
});

test('a request to another path than the expected relay is a 404 that names both', async () => {
  const askAt = async (relay: string): Promise<unknown[]> => {
    const response = await ask(fakeRelay({ relay }));
    return [response.status, ((await response.json()) as { message?: string }).message];
  };
  for (const relay of ['/offers', '/offers/', SHOP]) expect(await askAt(relay)).toEqual([200, undefined]);
  for (const relay of ['/', '/offer', '/offers/api', 'https://api.shop.example/offers'])
    expect(await askAt(relay)).toEqual([
      404,
      `The page requested /offers/recommendations, and the relay is at ${relay}. Correct the relay of the page, or the option relay of the test.`,
    ]);
});

test('offers of a test are completed with an example, and an undefined field is left out', async () => {
  const relay = fakeRelay({
    offers: [{ id: 'tea', heading: 'Tea', subheading: undefined, advertiser: { name: 'Leaf' } }, {}],
    sandbox: false,
  });
  const read = readRecommendations(await (await ask(relay)).json());
  expect(read).toMatchObject({ ok: true, value: { sandbox: false, left_out: [] } });
  const [tea, other] = read.ok ? (read.value.groups[0]?.offers ?? []) : [];
  expect(tea).toMatchObject({ offer_id: 'tea', advertiser: { name: 'Leaf' }, offer: { heading: 'Tea' } });
  expect(tea?.offer.subheading).toBeUndefined();
  expect(other?.offer_id).toBe('offer-2');
  expect(() => fakeRelay({ offers: [{ id: 'x' }, { id: 'x' }] })).toThrow('Two offers have the id "x"');
});

test('a recommendation as a network returned it is used unchanged', async () => {
  const recorded = {
    advertiser: { id: 'a-9', name: 'Leaf' },
    offer: {
      id: 'o-9',
      heading: 'Tea',
      target_url: 'https://leaf.example/',
      cta_details: { accept_copy: 'Yes', decline_copy: 'No' },
    },
  };
  const body = (await (await ask(fakeRelay({ offers: [recorded] }))).json()) as { recommendations: object };
  expect(body.recommendations).toEqual({ 'o-9': recorded });
});

test('it has the routes and refusals of a relay, on any path and for any origin', async () => {
  const relay = fakeRelay();
  const health = await relay(new Request('https://api.shop.example/a/b/health'));
  expect([health.status, await health.json()]).toEqual([200, expect.objectContaining({ status: 'ok' })]);
  const preflight = await relay(
    new Request(`${SHOP}/recommendations`, { method: 'OPTIONS', headers: { origin: 'https://other.example' } }),
  );
  expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([
    204,
    'https://other.example',
  ]);
  const refused = await post(relay, '/recommendations', { user_details: {}, placement_details: {} });
  expect([refused.status, await refused.json()]).toEqual([
    400,
    expect.objectContaining({ message: expect.any(String) }),
  ]);
  const known = fakeRelay({ context: () => ({ user_details: { external_guid: 'c-42' } }) });
  const placement_details = { view: 'THANK_YOU', display_mode: 'INLINE' };
  expect((await post(known, '/recommendations', { placement_details })).status).toBe(200);
  expect((await post(relay, '/nothing', {})).status).toBe(404);
});

test('delivered events are typed objects, each once; duplicates and refusals are receipts', async () => {
  const { relay, send, event } = await opened();
  await send(event('e-1', 'WIDGET_LOAD'), event('e-2', 'BRAND_CLICK', click));
  await send(event('e-2', 'BRAND_CLICK', click), { ...event('e-3', 'WIDGET_VIEW'), session_id: 'unknown' });
  expect(relay.delivered.map(({ event_name, event_id }) => [event_name, event_id])).toEqual([
    ['WIDGET_LOAD', 'e-1'],
    ['BRAND_CLICK', 'e-2'],
  ]);
  expect(relay.delivered[1]?.brand_properties?.offer_id).toBe('offer-1');
  expect(relay.receipts.map(({ status, reason }) => [status, reason?.split(':')[0]])).toEqual([
    ['stored', undefined],
    ['stored', undefined],
    ['refused', 'UNKNOWN_SESSION'],
  ]);
  expect(relay.requests[0]?.placement_details.view).toBe('THANK_YOU');
});

test('a fixed clock is the time of every receipt', async () => {
  const now = new Date();
  const { relay, send, event } = await opened({ now });
  await send(event('e-1', 'WIDGET_LOAD'));
  expect(relay.receipts[0]?.received_at).toEqual(now);
  expect(() => fakeRelay({ now: 'soon' })).toThrow('now is not a valid date: "soon"');
});

test('second-event-fails: 207 that names the second event, then it is accepted', async () => {
  const { relay, send, event } = await opened({ scenario: 'second-event-fails' });
  const response = await send(event('e-1', 'WIDGET_LOAD'), event('e-2', 'WIDGET_DISPLAY'));
  expect([response.status, await response.json()]).toEqual([207, expect.objectContaining({ accepted: 1, failed: 1 })]);
  expect((await send(event('e-2', 'WIDGET_DISPLAY'))).status).toBe(202);
  expect(relay.delivered).toHaveLength(2);
});

test('lost-answer: the events arrive, the page gets an error, and a retry stores nothing twice', async () => {
  const { relay, send, event } = await opened({ scenario: 'lost-answer' });
  expect((await send(event('e-1', 'WIDGET_LOAD'))).status).toBe(502);
  expect(relay.delivered).toHaveLength(1);
  expect((await send(event('e-1', 'WIDGET_LOAD'))).status).toBe(202);
  expect(relay.delivered).toHaveLength(1);
});

test('an outage ends at once when the scenario is cleared, however often a page tried', async () => {
  const { relay, send, event } = await opened({ scenario: 'offline' });
  for (let time = 0; time < 12; time++) expect((await send(event('e-1', 'WIDGET_LOAD'))).status).toBeGreaterThan(500);
  expect(relay.delivered).toEqual([]);
  relay.setScenario();
  expect((await send(event('e-1', 'WIDGET_LOAD'))).status).toBe(202);
});

test('every scenario has a name that it accepts; another name is an error that lists them', () => {
  for (const { name } of SCENARIOS) expect(() => fakeRelay({ scenario: name as 'offline' })).not.toThrow();
  // @ts-expect-error: a scenario that does not exist
  expect(() => fakeRelay({ scenario: 'no-offer' })).toThrow('There is no scenario "no-offer". Use one of no-offers,');
});

test('whenDelivered resolves to the event, or says what was delivered instead', async () => {
  const { relay, send, event } = await opened({ scenario: 'no-offers' });
  setTimeout(() => void send(event('e-1', 'WIDGET_LOAD')), 50);
  expect(await relay.whenDelivered('WIDGET_LOAD')).toMatchObject({ event_id: 'e-1' });
  await send({ ...event('e-2', 'WIDGET_VIEW'), session_id: 'unknown' });
  await expect(relay.whenDelivered('BRAND_CLICK', click, { timeout: 30 })).rejects.toThrow(
    [
      `No BRAND_CLICK with ${JSON.stringify(click)} was delivered.`,
      'Delivered: WIDGET_LOAD.',
      'Refused: WIDGET_VIEW: UNKNOWN_SESSION: session_id is not a session of this publisher',
      'Scenario no-offers: Nothing is shown',
    ].join('\n'),
  );
});

test('reset forgets everything, and starts again with its options', async () => {
  const relay = fakeRelay({ scenario: 'one-offer' });
  const first = await (await ask(relay)).json();
  relay.setScenario('offers-502');
  relay.setOffers(2);
  expect((await ask(relay)).status).toBe(502);
  relay.reset();
  expect([relay.delivered, relay.receipts, relay.requests]).toEqual([[], [], []]);
  expect(await (await ask(relay)).json()).toEqual(first);
});

test('two relays share nothing', async () => {
  const [one, other] = await Promise.all([opened(), opened()]);
  await one.send(one.event('e-1', 'WIDGET_LOAD'));
  expect([one.relay.delivered.length, other.relay.delivered.length]).toEqual([1, 0]);
});
