import { createOutput, type Output } from '../cli/output/createOutput.ts';
import { type Command, type Options, readSettings, type SettingsSource } from '../cli/command.ts';
import { UsageError } from '../cli/ExitError.ts';
import { distributeDatabase, type DistributionStep } from '../network.ts';
import { DATABASE, JSON_OUTPUT, readDatabaseUrls } from './startNetwork.ts';

const OPTIONS = {
  'database-url': { ...DATABASE['database-url'], about: 'The coordinator of the distributed PostgreSQL.' },
  'dry-run': { kind: 'flag', about: 'Prints what would be done, and changes nothing.' },
  json: JSON_OUTPUT,
} as const satisfies Options;

/** Milliseconds between two signs of life while a table moves. */
const PROGRESS_MS = 10_000;

/** `offerlet network distribute`: moves the tables of a database to the nodes of its citus cluster. */
export const distributeCommand: Command = {
  summary: 'Distributes an existing database over the nodes of its citus cluster, while networks go on using it.',
  options: OPTIONS,
  run: runDistribute,
};

async function runDistribute(source: SettingsSource): Promise<void> {
  const settings = readSettings(OPTIONS, source);
  const out = createOutput({ json: settings.json });
  const [url, ...others] = readDatabaseUrls(settings['database-url'], { argv: source.argv, out });
  if (url === undefined || others.length > 0)
    throw new UsageError('--database-url is missing, or given more than once. Give the URL of the coordinator.');
  const isDryRun = settings['dry-run'];
  let at = 0;
  let all = 0;
  const title = (step: DistributionStep): string => `${String((at += 1)).padStart(2)} of ${all}  ${describe(step)}`;
  await distributeDatabase({
    databaseUrl: url,
    isDryRun,
    onPlan(steps) {
      all = steps.length;
      out.json({ dry_run: isDryRun, tables: steps });
      if (all === 0) out.say('Every table is distributed already. There is nothing to do.');
      else if (isDryRun) {
        for (const step of steps) out.say(title(step));
        out.say('Nothing was changed. Without --dry-run these tables are distributed.');
      }
    },
    onStep: (step, run) => reportStep(title(step), run, out),
  });
  if (all > 0 && !isDryRun) out.say('Every table is distributed.');
}

/** Runs a step, with a sign of life every ten seconds, and says how long it took. */
export async function reportStep(title: string, run: () => Promise<void>, out: Output): Promise<void> {
  const started = performance.now();
  const seconds = (): string => `${((performance.now() - started) / 1_000).toFixed(1)} s`;
  const progress = setInterval(() => out.log(`${title}  … ${seconds()}`), PROGRESS_MS);
  try {
    await run();
  } finally {
    clearInterval(progress);
  }
  out.say(`${title}  done in ${seconds()}`);
}

const HOW: Readonly<Record<DistributionStep['how'], string>> = {
  copy: 'a copy on every node',
  online: 'by publisher, while writers go on',
  blocking: 'by publisher, while its writers wait (wal_level is not logical)',
};

function describe({ table, how, rows, bytes }: DistributionStep): string {
  return `${table.padEnd(18)} about ${rows.toLocaleString('en')} rows, ${(bytes / 1e6).toFixed(1)} MB: ${HOW[how]}`;
}
