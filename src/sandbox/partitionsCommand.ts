import { createOutput } from '../cli/output/createOutput.ts';
import { type Command, type Options, readSettings, type SettingsSource } from '../cli/command.ts';
import { UsageError } from '../cli/ExitError.ts';
import { partitionEvents, type PartitionStep } from '../network.ts';
import { reportStep } from './distributeCommand.ts';
import { DATABASE, JSON_OUTPUT, readDatabaseUrls } from './startNetwork.ts';

const OPTIONS = {
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
  options: OPTIONS,
  run: runPartitions,
};

async function runPartitions(source: SettingsSource): Promise<void> {
  const settings = readSettings(OPTIONS, source);
  const out = createOutput({ json: settings.json });
  const [url, ...others] = readDatabaseUrls(settings['database-url'], { argv: source.argv, out });
  if (url === undefined || others.length > 0)
    throw new UsageError(
      '--database-url is missing, or given more than once. Give the URL of the server or coordinator.',
    );
  const isDryRun = settings['dry-run'];
  let count = 0;
  await partitionEvents({
    databaseUrl: url,
    keepMonths: readMonths(settings.keep),
    isDryRun,
    onPlan(steps) {
      count = steps.length;
      out.json({ dry_run: isDryRun, steps });
      if (count === 0) out.say('Every partition is as it should be. There is nothing to do.');
      else if (isDryRun) {
        for (const step of steps) out.say(describe(step));
        out.say('Nothing was changed. Without --dry-run this is done.');
      }
    },
    onStep: (step, run) => reportStep(describe(step), run, out),
  });
}

/** Reads `--keep`. Throws a `UsageError` unless it is a number of months that is long enough. */
export function readMonths(text: string | undefined): number | undefined {
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
  replace: 'is detached: archive it, or drop it',
  detach: 'is detached: archive it, or drop it',
};

function describe({ table, what, rows, bytes }: PartitionStep): string {
  const size = what === 'create' ? '' : ` (about ${rows.toLocaleString('en')} rows, ${(bytes / 1e6).toFixed(1)} MB)`;
  return `${table} ${WHAT[what]}${size}`;
}
