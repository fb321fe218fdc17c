import { SCENARIOS, type Scenario, type ScenarioName } from '../wire/scenarios/scenarios.ts';

/** Finds a scenario by name. Throws an error that lists them when there is none with this name. */
export function findScenario(name: ScenarioName | undefined): Scenario | undefined {
  const scenario = SCENARIOS.find((known) => known.name === name);
  if (name === undefined || scenario) return scenario;
  const names = SCENARIOS.map((known) => known.name).join(', ');
  throw new Error(`There is no scenario "${name}". Use one of ${names}; docs/qa.md#scenarios describes them.`);
}
