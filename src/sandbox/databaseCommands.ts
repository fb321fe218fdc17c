import { type Command, type Options, readSettings, type SettingsSource } from '../cli/command.ts';
import { UsageError } from '../cli/ExitError.ts';
import { createOutput, type Output } from '../cli/output/terminal.ts';
import {
  connectionsFor,
  distributeDatabase,
  type DistributionStep,
  partitionEvents,
  type PartitionStep,
  planCapacity,
} from '../network.ts';
import { DATABASE, JSON_OUTPUT, readDatabaseUrls } from './startNetwork.ts';

const DISTRIBUTE = {
  'database-url': { ...DATABASE['database-url'], about: 'The coordinator of the distributed PostgreSQL.' },
  'dry-run': { kind: 'flag', about: 'Prints what would be done, and changes nothing.' },
  json: JSON_OUTPUT,
} as const satisfies Options;

/** Milliseconds between two signs of life while a table moves. */
const PROGRESS_MS = 10_000;

/** `offerlet network distribute`: moves the tables of a database to the nodes of its citus cluster. */
export const distributeCommand: Command = {
  summary: 'Distributes an existing database over the nodes of its citus cluster, while networks go on using it.',
  options: DISTRIBUTE,
  run: runDistribute,
};

async function runDistribute(source: SettingsSource): Promise<void> {
  const settings = readSettings(DISTRIBUTE, source);
  const out = createOutput({ json: settings.json });
  const url = readOneUrl(settings['database-url'], { argv: source.argv, out, whose: 'coordinator' });
  const isDryRun = settings['dry-run'];
  let at = 0;
  let all = 0;
  const title = (step: DistributionStep): string => `${String((at += 1)).padStart(2)} of ${all}  ${describeMove(step)}`;
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

/** Reads `--database-url` of a command that works on one server. Throws a `UsageError` that says whose URL to give. */
function readOneUrl(
  parts: readonly string[],
  { whose, ...rest }: Parameters<typeof readDatabaseUrls>[1] & { readonly whose: string },
): string {
  const [url, ...others] = readDatabaseUrls(parts, rest);
  if (url !== undefined && others.length === 0) return url;
  throw new UsageError(`--database-url is missing, or given more than once. Give the URL of the ${whose}.`);
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

const HOW: Readonly<Record<DistributionStep['how'], string>> = {
  copy: 'a copy on every node',
  online: 'by publisher, while writers go on',
  blocking: 'by publisher, while its writers wait (wal_level is not logical)',
};

function describeMove({ table, how, rows, bytes }: DistributionStep): string {
  return `${table.padEnd(18)} about ${rows.toLocaleString('en')} rows, ${(bytes / 1e6).toFixed(1)} MB: ${HOW[how]}`;
}

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
  const url = readOneUrl(settings['database-url'], { argv: source.argv, out, whose: 'server or coordinator' });
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
  replace: 'is detached: archive it, or drop it',
  detach: 'is detached: archive it, or drop it',
};

function describePartition({ table, what, rows, bytes }: PartitionStep): string {
  const size = what === 'create' ? '' : ` (about ${rows.toLocaleString('en')} rows, ${(bytes / 1e6).toFixed(1)} MB)`;
  return `${table} ${WHAT[what]}${size}`;
}

const PLAN = {
  sessions: { kind: 'text', value: 'COUNT', about: 'Sessions a month, such as 1e9.' },
  events: { kind: 'text', value: 'COUNT', default: '10', about: 'Events of a session.' },
  conversions: {
    kind: 'text',
    value: 'COUNT',
    default: '10',
    about: 'Conversions of a thousand sessions.',
  },
  reports: { kind: 'text', value: 'COUNT', default: '1e5', about: 'Reports a month.' },
  keep: { kind: 'text', value: 'MONTHS', default: '2mo', about: 'How long events are kept, such as 13mo.' },
  json: JSON_OUTPUT,
} as const satisfies Options;

/** `offerlet network plan`: what a network of some size needs. */
export const planCommand: Command = {
  summary: 'Computes the processes, servers, disk and connections for a number of sessions.',
  options: PLAN,
  run: runPlan,
};

async function runPlan(source: SettingsSource): Promise<void> {
  const settings = readSettings(PLAN, source);
  const out = createOutput({ json: settings.json });
  if (settings.sessions === undefined)
    throw new UsageError('--sessions is missing. Use something like --sessions 1e9.');
  const input = {
    sessions: readCount('sessions', settings.sessions),
    eventsPerSession: readCount('events', settings.events),
    conversionsPerThousand: readCount('conversions', settings.conversions),
    reports: readCount('reports', settings.reports),
    keepMonths: readMonths(settings.keep) ?? 0,
  };
  const plan = planCapacity(input, connectionsFor);
  if (!Number.isFinite(plan.nodes))
    throw new UsageError(
      `No cluster takes ${count(plan.perSecondAtPeak.conversions)} conversions per second: every node has all budgets.`,
    );
  out.json(plan);
  const { perSecondAtPeak, cores } = plan;
  const rows: [string, string][] = [
    ['at the peak', `${rate(perSecondAtPeak.sessions)} sessions and ${rate(perSecondAtPeak.events)} events per second`],
    [
      'conversions',
      `${rate(perSecondAtPeak.conversions)} per second at the peak, ${count(plan.cpuMs.conversion)} ms of CPU each; one budget takes ${plan.oneBudgetPerSecond} per second`,
    ],
    ['reports', `${rate(perSecondAtPeak.reports)} per second at the peak, ${count(plan.cpuMs.report)} ms of CPU each`],
    ['processes', `${cores.processes}, one core each`],
    [
      'database',
      plan.database === 'plain'
        ? `one PostgreSQL with ${cores.database} cores`
        : `citus, ${plan.nodes - 1} workers and a coordinator with ${cores.database} cores together`,
    ],
    [
      'disk',
      `${terabytes(plan.diskTerabytes)} after a year, with ${settings.keep} of events; then ${terabytes(plan.growthTerabytesAMonth)} more a month`,
    ],
    ['write-ahead log', `${plan.walMegabytesPerSecondAtPeak.toFixed(1)} MB/s at the peak`],
    ['connections', `up to ${count(plan.connectionsPerNode)} to each server; use PgBouncer above a few hundred`],
  ];
  for (const [name, text] of rows) out.say(`${name.padEnd(16)} ${text}`);
}

const MOST = 1e12;

function readCount(name: string, text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value > 0 && value <= MOST) return value;
  const most = value > MOST ? ' At most 1e12 can be planned.' : '';
  throw new UsageError(`--${name} is not a number above 0: "${text}". Use something like 1e9.${most}`);
}

/** A number of things per second: 0.12, 1.2, 12. */
function rate(value: number): string {
  return value < 10 ? String(Number(value.toPrecision(2))) : count(value);
}

/** 60 TB, 3.45 TB, 0.0034 TB. */
function terabytes(value: number): string {
  return `${value < 0.1 ? rate(value) : value.toFixed(value < 10 ? 2 : 0)} TB`;
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en');
}
