import { createOutput } from '../cli/output/createOutput.ts';
import { type Command, type Options, readSettings, type SettingsSource } from '../cli/command.ts';
import { UsageError } from '../cli/ExitError.ts';
import { connectionsFor, planCapacity } from '../network.ts';
import { readMonths } from './partitionsCommand.ts';
import { JSON_OUTPUT } from './startNetwork.ts';

const OPTIONS = {
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
  options: OPTIONS,
  run: runPlan,
};

async function runPlan(source: SettingsSource): Promise<void> {
  const settings = readSettings(OPTIONS, source);
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
