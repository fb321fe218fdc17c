// The event queue next to others, through the same scenarios in the same browser:  npm run bench -- queue [name …]
import { brotliCompressSync } from 'node:zlib';
import { bundleContenders } from './queue/contenders.ts';
import { measureWork, play, SCENARIOS } from './queue/scenarios.ts';
import { startSite } from './queue/site.ts';

/** Prints the table of scenarios (delivered / lost / doubled at the server), and what each queue costs. */
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
  for (const count of [250, 1_000, 10_000]) {
    const cells: string[] = [];
    for (const { script } of contenders) {
      const { operations, bytes } = await measureWork(count, site, script, true);
      cells.push(
        operations === undefined || bytes === undefined
          ? 'busy for more than a minute'
          : `${operations.toLocaleString('en')} / ${Math.round(bytes / 1024).toLocaleString('en')} KB`,
      );
    }
    row([
      `storage operations / bytes written for ${count.toLocaleString('en')} events`,
      count === 1_000 ? '<=1,010 / 250 KB' : '',
      ...cells,
    ]);
  }
  const requests: number[] = [];
  for (const { script } of contenders) requests.push((await measureWork(1_000, site, script, false)).requests);
  row(['requests for 1,000 events', '50', ...requests]);
  row([
    'bytes, minified and brotli',
    '2,457',
    ...contenders.map(({ script }) => brotliCompressSync(script).length.toLocaleString('en')),
  ]);
  await site.close();
}
