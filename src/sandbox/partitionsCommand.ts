import { type Command, type Options, readSettings, type SettingsSource } from '../program/command.ts';
import { UsageError } from '../program/ExitError.ts';
import { createOutput, type Output } from '../program/terminal.ts';
import { partitionEvents, type PartitionStep } from '../network.ts';
import { DATABASE, JSON_OUTPUT, readDatabaseUrl } from './startNetwork.ts';

/** Milliseconds between two signs of life while a step takes its time. */
const PROGRESS_MS = 10_000;

const PARTITIONS = {
  'database-url': { ...DATABASE['database-url'], about: 'The server, or the coordinator of a distributed one.' },
  keep: {
    kind: 'text',
    value: 'MONTHS',
    about: 'Detaches the events of sessions that are older, such as 13mo. Without it nothing is detached.',
  },
  'dry-run': { kind: 'flag', about: 'Prints what would be done, and changes nothing.' },
  json: JSON_OUTPUT,
} as const satisfies Options;

/** Events are accepted for 30 days, and recognized as duplicates for as long: the current month and the one before. */
const LEAST_MONTHS = 2;

/** `offerlet network partitions`: partitions the events by month. */
export const partitionsCommand: Command = {
  summary: 'Partitions the events by month, creates the next partitions and detaches old ones. Run it every week.',
  options: PARTITIONS,
  run: runPartitions,
};

async function runPartitions(source: SettingsSource): Promise<void> {
  const settings = readSettings(PARTITIONS, source);
  const out = createOutput({ json: settings.json });
  const databaseUrl = readDatabaseUrl(settings['database-url'], { argv: source.argv, out });
  if (databaseUrl === undefined)
    throw new UsageError('--database-url is missing. Give the URL of the server or coordinator.');
  const isDryRun = settings['dry-run'];
  let count = 0;
  await partitionEvents({
    databaseUrl,
    keepMonths: readMonths(settings.keep),
    isDryRun,
    onPlan(steps) {
      count = steps.length;
      out.json({ dry_run: isDryRun, steps });
      if (count === 0) out.say('Every partition is as it should be. There is nothing to do.');
      else if (isDryRun) {
        for (const step of steps) out.say(describePartition(step));
        out.say('Nothing was changed. Without --dry-run this is done.');
      }
    },
    onStep: (step, run) => reportStep(describePartition(step), run, out),
  });
}

/** Reads `--keep`. Throws a `UsageError` unless it is a number of months that is long enough. */
function readMonths(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const months = Number(/^(\d{1,4})mo$/.exec(text)?.[1]);
  if (!(months >= LEAST_MONTHS))
    throw new UsageError(
      `--keep is not a number of months from ${LEAST_MONTHS}mo: "${text}". Use something like 13mo. Events are accepted for 30 days.`,
    );
  return months;
}

const WHAT: Readonly<Record<PartitionStep['what'], string>> = {
  split: 'partitions the table events; what is there stays together',
  create: 'is created for its month',
  detach: 'is detached: archive it, or drop it',
};

function describePartition({ table, what, rows, bytes }: PartitionStep): string {
  const size = what === 'create' ? '' : ` (about ${rows.toLocaleString('en')} rows, ${(bytes / 1e6).toFixed(1)} MB)`;
  return `${table} ${WHAT[what]}${size}`;
}

/** Runs a step, reports every ten seconds that it still runs, and prints how long it took. */
async function reportStep(title: string, run: () => Promise<void>, out: Output): Promise<void> {
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
