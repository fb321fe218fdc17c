import { period, PERIODS, type DateRange } from '../../../clients.ts';
import { suggest } from '../../../wire/didYouMean.ts';
import { UsageError } from '../../../cli/UsageError.ts';
import { PERIOD_NAMES } from './reportOptions.ts';

/** How dates are given on the command line. */
export interface GivenDates {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly last?: string | undefined;
  readonly period?: string | undefined;
}

const DAY_MS = 86_400_000;
/** More days than any network has: a typing mistake. */
const MAX_DAYS = 4_000;

/** Returns the dates of a report; undefined by default. Throws a `UsageError` that says what to write. */
export function readDates({ from, to, last, period: name }: GivenDates, now: Date): DateRange | undefined {
  const ways = [from ?? to, last, name].filter((way) => way !== undefined);
  if (ways.length > 1) throw new UsageError('Use one of --from and --to, --last, or --period.');
  if (last !== undefined) return lastDays(last, now);
  if (name !== undefined) return namedPeriod(name, now);
  if (from === undefined) {
    if (to !== undefined) throw new UsageError('--to requires --from. Use something like --from 2026-11-01.');
    return undefined;
  }
  const range = { from: readDate(from, '--from'), to: to === undefined ? dateOf(now) : readDate(to, '--to') };
  if (range.from > range.to)
    throw new UsageError(
      to === undefined
        ? `--from is in the future: ${range.from}. Today is ${range.to} (UTC).`
        : `--from is after --to: ${range.from} is later than ${range.to}.`,
    );
  return range;
}

function lastDays(text: string, now: Date): DateRange {
  const [, count] = /^(\d{1,5})d(?:ays)?$/i.exec(text.trim()) ?? [];
  const days = Number(count);
  if (!(days >= 1 && days <= MAX_DAYS))
    throw new UsageError(`--last is not a number of days: "${text}". Use something like 7d, 30d or 90d.`);
  return { from: dateOf(new Date(now.getTime() - (days - 1) * DAY_MS)), to: dateOf(now) };
}

function namedPeriod(text: string, now: Date): DateRange {
  const wanted = text.trim().toLowerCase().replaceAll('-', '_');
  const name = PERIODS.find((one) => one === wanted);
  if (name) return period(name, { now });
  const near = suggest(text.toLowerCase().replaceAll('_', '-'), PERIOD_NAMES);
  throw new UsageError(`--period is not a known period: "${text}".${near}`);
}

function readDate(text: string, name: string): string {
  const time = Date.parse(`${text}T00:00:00Z`);
  const isReal = /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(time) && dateOf(new Date(time)) === text;
  if (!isReal) throw new UsageError(`${name} is not a date: "${text}". Use something like 2026-11-01.`);
  return text;
}

function dateOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}
