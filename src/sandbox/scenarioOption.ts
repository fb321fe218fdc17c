import { findScenario, SCENARIOS, type Scenario } from '../wire/scenarios/scenarios.ts';
import type { Output } from '../cli/output/createOutput.ts';
import { didYouMean } from '../wire/didYouMean.ts';
import { UsageError } from '../cli/UsageError.ts';

/** Returns the scenario of `--scenario NAME`. Throws a `UsageError` that lists the known ones. */
export function readScenario(name: string | undefined): Scenario | undefined {
  const scenario = findScenario(name);
  if (name === undefined || scenario) return scenario;
  const known = SCENARIOS.map((one) => one.name);
  throw new UsageError(
    `--scenario is not a known scenario: "${name}".${didYouMean(name, known)} Use one of ${known.join(', ')}; --scenarios describes them.`,
  );
}

/** Prints every scenario and what a tester must see in it. */
export function listScenarios(out: Output): void {
  out.json({ scenarios: SCENARIOS.map(({ name, title, mustSee }) => ({ name, title, must_see: mustSee })) });
  for (const { name, title, mustSee } of SCENARIOS) out.say(`${name}\n    ${title}.\n    ${mustSee}`);
}

/** Returns the path and query with which the inspector forces what only a page can do. */
export function queryOf(scenario: Scenario | undefined): string {
  return scenario?.page ? `/?offerlet=inspect&offerlet-scenario=${scenario.name}` : '';
}
