import { expect, test } from 'vitest';
import { forcedFetch } from '../../../src/wire/scenarios/forcedFetch.ts';
import { type Forcing, findScenario } from '../../../src/wire/scenarios/scenarios.ts';
import { createScriptedNetwork } from '../../relay/scriptedNetwork.ts';

const RELAY = 'https://shop.example';

/** What accepts every event, and records what it receives. */
function relay(forcing: Forcing) {
  const { fetch, calls: sent } = createScriptedNetwork();
  const forced = forcedFetch(fetch, forcing);
  const post = (path: string, body: unknown, init: RequestInit = {}) =>
    forced(RELAY + path, { method: 'POST', body: JSON.stringify(body), ...init });
  const batch = (...events: string[]) => post('/events/batch', { events });
  return { sent, post, batch };
}

test('the second event is refused once, the others go through, and the status is 207', async () => {
  const { batch, sent } = relay(findScenario('second-event-fails') ?? {});
  const response = await batch('a', 'b', 'c');
  expect(response.status).toBe(207);
  expect(await response.json()).toMatchObject({
    results: [
      { index: 0, success: true },
      { index: 1, success: false, error: { code: 'SCENARIO', retryable: true } },
      { index: 2, success: true },
    ],
    accepted: 2,
    failed: 1,
  });
  expect(sent[0]?.body).toEqual({ events: ['a', 'c'] });
  expect((await batch('b')).status).toBe(202);
});

test('a batch without a second event passes unchanged; the next one does not', async () => {
  const { batch } = relay(findScenario('second-event-fails') ?? {});
  expect((await batch('a')).status).toBe(202);
  expect((await batch('b', 'c')).status).toBe(207);
});

test('when every event is refused, nothing is forwarded and the status is 502 with results', async () => {
  const { batch, sent } = relay({ faults: [{ route: '/events/batch', fail_indexes: [0] }] });
  const response = await batch('a');
  expect(response.status).toBe(502);
  expect(await response.json()).toMatchObject({ accepted: 0, failed: 1 });
  expect(sent).toEqual([]);
});

test('an event that the relay itself refuses keeps the reason of the relay', async () => {
  const error = { code: 'UNKNOWN_SESSION', message: 'no such session', retryable: false };
  const fetch: typeof globalThis.fetch = () =>
    Promise.resolve(Response.json({ results: [{ index: 0, success: false, error }] }, { status: 207 }));
  const forced = forcedFetch(fetch, { faults: [{ route: '/events/batch', fail_indexes: [1] }] });
  const response = await forced(`${RELAY}/events/batch`, { method: 'POST', body: '{"events":[1,2]}' });
  expect(await response.json()).toMatchObject({ results: [{ index: 0, error }, { index: 1 }] });
});

test('a lost response was requested first, and is lost once', async () => {
  const { batch, sent } = relay(findScenario('lost-answer') ?? {});
  await expect(batch('a')).rejects.toThrow(TypeError);
  expect(sent).toHaveLength(1);
  expect((await batch('a')).status).toBe(202);
});

test('an outage of two responses ends on its own, and Retry-After is a header', async () => {
  const outage = relay(findScenario('events-502') ?? {});
  const statuses = [await outage.batch('a'), await outage.batch('a'), await outage.batch('a')].map((r) => r.status);
  expect(statuses).toEqual([502, 502, 202]);
  expect(outage.sent).toHaveLength(1);
  const limited = await relay(findScenario('rate-limited') ?? {}).batch('a');
  expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '2']);
});

test('aborting a slow request rejects it', async () => {
  const { post, sent } = relay(findScenario('offers-timeout') ?? {});
  const abort = new AbortController();
  const waiting = post('/recommendations', {}, { signal: abort.signal });
  abort.abort();
  await expect(waiting).rejects.toThrow('abort');
  expect(sent).toEqual([]);
});

test('a fault applies to its own route only, for a Request as well as a URL', async () => {
  const { post } = relay(findScenario('offers-502') ?? {});
  expect((await post('/recommendations', {})).status).toBe(502);
  expect((await post('/events/batch', { events: [1] })).status).toBe(202);
  const forced = forcedFetch(() => Promise.resolve(new Response()), findScenario('second-event-fails') ?? {});
  const request = new Request(`${RELAY}/events/batch`, { method: 'POST', body: '{"events":[1]}' });
  expect((await forced(request)).status).toBe(200);
});

test('any other response passes through unchanged', async () => {
  const forced = forcedFetch(() => Promise.resolve(Response.json({ ok: true })), { response: { offers: 0 } });
  expect(await (await forced(`${RELAY}/recommendations`)).json()).toEqual({ ok: true });
});
