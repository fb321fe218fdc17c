import { findScenario, SCENARIOS, type Scenario } from '../wire/scenarios/scenarios.ts';
import type { Console } from '../cli/console.ts';
import { UsageError } from '../cli/settings.ts';

/** The scenario of `--scenario NAME`; a `UsageError` names the known ones. */
export function readScenario(name: string | undefined): Scenario | undefined {
  const scenario = findScenario(name);
  if (name === undefined || scenario) return scenario;
  const known = SCENARIOS.map((one) => one.name).join(', ');
  throw new UsageError(`--scenario is '${name}': write one of ${known} (--scenarios explains them).`);
}

/** Prints every scenario and what must be seen in it. */
export function listScenarios(out: Console): void {
  out.json({ scenarios: SCENARIOS.map(({ name, title, mustSee }) => ({ name, title, must_see: mustSee })) });
  for (const { name, title, mustSee } of SCENARIOS) out.say(`${name}\n    ${title}.\n    ${mustSee}`);
}

/** The part of the shop's address that has the inspector play what only a page can do. */
export function queryOf(scenario: Scenario | undefined): string {
  return scenario?.page ? `/?offerlet=inspect&offerlet-scenario=${scenario.name}` : '';
}
