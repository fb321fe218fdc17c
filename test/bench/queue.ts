// The event queue next to others, through the same scenarios in the same browser:  npm run bench -- queue [name …]
import { bundleContenders } from './queue/contenders.ts';
import { play, SCENARIOS } from './queue/scenarios.ts';
import { startSite } from './queue/site.ts';

/** Prints the table of scenarios: delivered / lost / doubled at the server. */
export async function run(args: string[]): Promise<void> {
  const all = await bundleContenders();
  const contenders = args.length
    ? all.filter(({ name }) => args.some((arg) => name.toLowerCase().startsWith(arg.toLowerCase())))
    : all;
  const site = await startSite();
  const row = (cells: readonly unknown[]): void => console.log(`| ${cells.join(' | ')} |`);

  row(['scenario', 'goal', ...contenders.map(({ name }) => name)]);
  row(Array.from({ length: contenders.length + 2 }, () => '---'));
  for (const scenario of SCENARIOS) {
    const cells: string[] = [];
    for (const { script } of contenders) {
      const { delivered, lost, doubled } = await play(scenario, site, script);
      cells.push(`${delivered} / ${lost} / ${doubled}`);
    }
    row([scenario.name, scenario.goal, ...cells]);
  }
  await site.close();
}
