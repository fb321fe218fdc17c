import { expect, test } from 'vitest';
import { listScenarios, scenarioQuery, readScenario } from '../../src/sandbox/sandboxCommand.ts';
import { forcedFetch } from '../../src/wire/scenarios/forcedFetch.ts';
import { SCENARIOS } from '../../src/wire/scenarios/scenarios.ts';
import { accept, createScriptedNetwork, event, json, REQUEST, setUp } from '../relay/scriptedNetwork.ts';
import { wholeResponse } from '../wire/offers/wholeResponse.ts';

/** A relay as `offerlet sandbox --scenario` makes it, before a network that accepts everything. */
function relayIn(name: string) {
  const network = createScriptedNetwork();
  network.respondWith((call) => (call.path === '/recommendations' ? json(200, wholeResponse(3)) : accept(call)));
  const fetch = forcedFetch(network.fetch, readScenario(name) ?? {});
  const { post } = setUp({ sandbox: true, forwardEventIds: true, fetch });
  return {
    arrived: network.events,
    batch: (...events: object[]) => post('/events/batch', { events }),
    offers: () => post('/recommendations', REQUEST),
  };
}

test('behind the relay the second event fails once, alone, and is accepted when it is sent again', async () => {
  const { batch, arrived } = relayIn('second-event-fails');
  const events = [event(), event(), event()];
  const answer = await batch(...events);
  expect(answer.status).toBe(207);
  expect(await answer.json()).toMatchObject({ results: [{ success: true }, { success: false }, { success: true }] });
  expect((await batch(events[1] ?? {})).status).toBe(202);
  expect(arrived()).toHaveLength(3);
});

test('a response that is lost behind the relay loses no event and changes none', async () => {
  const { batch, arrived } = relayIn('lost-answer');
  const mine = event();
  expect((await batch(mine)).status).toBeGreaterThanOrEqual(500);
  expect((await batch(mine)).status).toBe(202);
  expect(new Set(arrived().map(({ event_id }) => event_id)).size).toBe(1);
});

test('the relay passes Retry-After on to the page', async () => {
  const answer = await relayIn('rate-limited').batch(event());
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '2']);
});

test('offers are refused with 403, missing with 5xx, and an empty list without any', async () => {
  expect((await relayIn('offers-refused').offers()).status).toBe(403);
  for (const name of ['offers-502', 'offers-unreachable', 'offers-timeout'])
    expect((await relayIn(name).offers()).status).toBeGreaterThanOrEqual(500);
  const none = (await (await relayIn('no-offers').offers()).json()) as Record<string, unknown>;
  expect(none).toMatchObject({ sandbox: true, recommendations: {} });
});

test('an unknown scenario is one line that lists the known ones', () => {
  expect(() => readScenario('nonsense')).toThrow(/"nonsense".*Use one of no-offers, .*--scenarios/);
  expect(readScenario(undefined)).toBeUndefined();
});

test('the list says for every scenario what must be seen, as text and as JSON', () => {
  const lines: string[] = [];
  const objects: object[] = [];
  listScenarios({ say: (line) => lines.push(line), json: (value) => objects.push(value), log: () => undefined });
  expect(lines).toHaveLength(SCENARIOS.length);
  for (const { mustSee } of SCENARIOS) expect(lines.join('\n')).toContain(mustSee);
  expect(objects).toEqual([
    { scenarios: SCENARIOS.map(({ name, title, mustSee }) => ({ name, title, must_see: mustSee })) },
  ]);
});

test('a scenario that only a page can play has a URL that makes the inspector play it', () => {
  expect(scenarioQuery(readScenario('storage-refused'))).toBe('/?offerlet=inspect&offerlet-scenario=storage-refused');
  expect(scenarioQuery(readScenario('no-offers'))).toBe('');
});
