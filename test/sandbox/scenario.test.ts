import { expect, test } from 'vitest';
import { listScenarios, scenarioQuery, readScenario } from '../../src/sandbox/sandboxCommand.ts';
import { fakeRelay } from '../../src/testing/fakeRelay.ts';
import { SCENARIOS } from '../../src/wire/scenarios/scenarios.ts';
import { posting } from '../fixtures/posting.ts';
import { REQUEST } from '../relay/scriptedNetwork.ts';

test('offers are refused with 403, missing with 5xx, and an empty list without any', async () => {
  const ask = (scenario: 'offers-refused' | 'offers-502' | 'offers-unreachable' | 'offers-timeout' | 'no-offers') =>
    fakeRelay({ scenario })(new Request('https://shop.example/recommendations', posting(REQUEST)));
  expect((await ask('offers-refused')).status).toBe(403);
  for (const name of ['offers-502', 'offers-unreachable', 'offers-timeout'] as const)
    expect((await ask(name)).status).toBeGreaterThanOrEqual(500);
  expect(await (await ask('no-offers')).json()).toMatchObject({ sandbox: true, recommendations: {} });
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
