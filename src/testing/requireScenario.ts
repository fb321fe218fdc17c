import { findScenario, SCENARIOS, type Scenario, type ScenarioName } from '../wire/scenarios/scenarios.ts';

/** Returns the scenario that a test names, and undefined when it names none. Throws an error that lists all when the name is unknown. */
export function requireScenario(name: ScenarioName | undefined): Scenario | undefined {
  const scenario = findScenario(name);
  if (name === undefined || scenario) return scenario;
  const names = SCENARIOS.map((known) => known.name).join(', ');
  throw new Error(`There is no scenario "${name}". Use one of ${names}; docs/qa.md#scenarios describes them.`);
}
