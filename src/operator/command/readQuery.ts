import { type Options, type SettingsOf, OUTPUT } from '../../program/command.ts';
import { UsageError } from '../../program/ExitError.ts';
import { datesOf, PERIODS, type PeriodName } from '../reports/period.ts';
import { FILTER_NAMES, type FilterName, type ReportSpec } from '../reports/reportSpec.ts';
import { GROUPINGS, METRICS, type ReportVariant } from '../reports/reportQuery.ts';
import { countDays, dateOf, isDate } from '../../wire/utcDates.ts';
import { didYouMean, suggest } from '../../text/didYouMean.ts';
import { DISPLAY_MODES, VIEWS } from '../../wire/offers/request.ts';
import { GROUP_BY_MAX, HOURLY_MAX_DATES } from '../../wire/limits.ts';
import { TIME_GRAINS } from '../../wire/reporting.ts';

/** The names of `--period`: those of `period()`, with hyphens. */
const PERIOD_NAMES = PERIODS.map((name) => name.replaceAll('_', '-'));

/** The APIs name no currency: it is the one of the operator's contract. */
export const CURRENCY = { kind: 'text', value: 'LABEL', about: 'The label of amounts, such as EUR.' } as const;

/** The options of `offerlet-operator report`, besides connection and format. */
export const REPORT_OPTIONS = {
  variant: {
    kind: 'choice',
    choices: ['channel', 'publisher'],
    default: 'channel',
    about: 'Whose report: that of a channel (management key) or of one publisher (publisher reporting key).',
  },
  from: { kind: 'text', value: 'D', about: 'First UTC date, such as 2026-11-01.' },
  to: { kind: 'text', value: 'D', about: 'Last UTC date, included; today by default.' },
  period: {
    kind: 'text',
    value: 'NAME',
    about: `The last days up to today, such as 7d or 30d, or a period by its name: ${PERIOD_NAMES.join(', ')}.`,
  },
  grain: {
    kind: 'choice',
    choices: TIME_GRAINS,
    about: 'One row for each period of that length; one for all dates by default.',
  },
  by: {
    kind: 'text',
    value: 'NAME[,NAME]',
    about: 'Breakdowns, up to three: publisher, page_type, widget_type, widget_id.',
  },
  metrics: {
    kind: 'text',
    value: 'M[,M]',
    about: 'The metrics and their order; all that are enabled for the key by default.',
  },
  funnel: { kind: 'flag', about: 'From loads to payout, with the share of each step: one total for all dates.' },
  filter: { kind: 'list', value: 'NAME=VALUE', about: 'Only that publisher (id or name), page_type or widget_type.' },
  sort: {
    kind: 'text',
    value: '[-]M',
    isSigned: true,
    about: 'Sorts by a metric or column; with a hyphen, the largest first. With --compare also by M_change.',
  },
  limit: { kind: 'text', value: 'N', about: 'Prints the first rows only. The totals are still those of all rows.' },
  compare: {
    kind: 'choice',
    choices: ['previous', 'year'],
    about:
      'Compares with the days before (to date: the same days; today: up to the same hour), or with the same weekdays 52 weeks before.',
  },
  currency: CURRENCY,
  output: OUTPUT,
} as const satisfies Options;

/** A report, as requested on the command line: publishers are given by id or by name. */
export interface RequestedReport extends ReportSpec {
  readonly limit: number | undefined;
}

const FILTER_VALUES: Readonly<Record<FilterName, readonly string[]>> = {
  publisher: [],
  page_type: VIEWS,
  widget_type: DISPLAY_MODES,
};

/** The settings of a report, as its flags give them. */
type ReportSettings = SettingsOf<typeof REPORT_OPTIONS>;

/** Reads what a report must contain. Throws a `UsageError` that says what to write, with the nearest known name. */
export function readQuery(settings: ReportSettings, now: Date): RequestedReport {
  const { variant, compare } = settings;
  const without = (['metrics', 'by', 'grain', 'sort', 'limit', 'compare'] as const).find((name) => settings[name]);
  if (settings.funnel && without)
    throw new UsageError(`--funnel is one total, without --${without}. Use --filter to narrow it.`);
  const period = readPeriod(settings, now);
  const dates = period && datesOf(period, now);
  const grain = settings.grain ?? 'total';
  if (grain === 'hour' && dates && countDays(dates) > HOURLY_MAX_DATES)
    throw new UsageError(
      `--grain hour is limited to ${HOURLY_MAX_DATES} days, and these are ${countDays(dates)}. Use --period 3d, or --grain day.`,
    );
  const by = readNames(settings.by, { source: '--by', variant, known: GROUPINGS });
  if (by.length > GROUP_BY_MAX) throw new UsageError(`--by takes at most ${GROUP_BY_MAX} names, not ${by.length}.`);
  const metrics =
    settings.metrics === undefined
      ? undefined
      : readNames(settings.metrics, { source: '--metrics', variant, known: METRICS });
  const wanted = { variant, period, grain, by, metrics, filters: readFilters(settings.filter, variant), compare };
  return { ...wanted, sort: readSort(settings.sort, wanted), limit: readLimit(settings.limit) };
}

interface NamesOptions {
  readonly source: string;
  readonly variant: ReportVariant;
  readonly known: typeof METRICS;
}

function readNames(text: string | undefined, { source, variant, known }: NamesOptions): string[] {
  const names = text === undefined ? [] : text.split(',').map((name) => name.trim());
  for (const [index, name] of names.entries()) {
    if (known[variant].includes(name)) {
      if (names.indexOf(name) < index) throw new UsageError(`${source} has "${name}" twice.`);
      continue;
    }
    const other = variant === 'channel' ? 'publisher' : 'channel';
    if (known[other].includes(name))
      throw new UsageError(
        `${source}: "${name}" is in the ${other} report only. Use --variant ${other}, with its key.`,
      );
    if (source === '--by' && TIME_GRAINS.some((grain) => grain === name))
      throw new UsageError(`--by does not take "${name}". Use --grain ${name}.`);
    throw new UsageError(`${source} is not known: "${name}".${suggest(name.toLowerCase(), known[variant])}`);
  }
  return names;
}

function readFilters(given: readonly string[], variant: ReportVariant): ReportSpec['filters'] {
  const filters: Record<FilterName, string[]> = { publisher: [], page_type: [], widget_type: [] };
  const known = variant === 'channel' ? FILTER_NAMES : FILTER_NAMES.filter((name) => name !== 'publisher');
  for (const text of given) {
    const [, written = text, value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
    const name = known.find((one) => one === written.replace(/s$/, '') || one === written.replace(/_ids?$/, ''));
    if (name === undefined)
      throw new UsageError(
        `--filter is not known: "${written}".${didYouMean(written, known)} Use ${known.map((one) => `${one}=VALUE`).join(', ')}.`,
      );
    const values = value.split(',').map((one) => one.trim());
    if (values.some((one) => one === ''))
      throw new UsageError(`--filter ${written} has no value. Use something like --filter page_type=THANK_YOU.`);
    for (const one of values) refuseMistyped(one, { written, all: FILTER_VALUES[name] });
    filters[name].push(...values);
  }
  return filters;
}

/** Other values exist, but one that is nearly a usual one is a typing mistake: `thank-you`, `THANKYOU`. */
function refuseMistyped(
  value: string,
  { written, all }: { readonly written: string; readonly all: readonly string[] },
): void {
  if (all.includes(value)) return;
  const plain = (text: string): string => text.toUpperCase().replaceAll(/[\s_-]+/g, '');
  const same = all.find((one) => plain(one) === plain(value));
  const near = same === undefined ? didYouMean(value.toUpperCase(), all) : ` Did you mean ${same}?`;
  if (near !== '') throw new UsageError(`--filter ${written} is not known: "${value}".${near}`);
}

function readSort(text: string | undefined, wanted: Omit<RequestedReport, 'sort' | 'limit'>): string {
  if (text === undefined) return '';
  const sign = text.startsWith('-') ? '-' : '';
  const name = text.replace(/^[-+]/, '');
  const metrics = wanted.metrics ?? METRICS[wanted.variant];
  const columns = [
    'period_start',
    ...wanted.by.map((one) => (one === 'publisher' ? 'publisher_name' : one)),
    ...metrics,
  ];
  const known = [...columns, ...(wanted.compare ? metrics.map((metric) => `${metric}_change`) : [])];
  const column = name === 'publisher' ? 'publisher_name' : name;
  if (known.includes(column)) return sign + column;
  if (column.endsWith('_change') && columns.includes(column.slice(0, -'_change'.length)))
    throw new UsageError(`--sort ${name} requires --compare previous or --compare year.`);
  const isElsewhere = METRICS[wanted.variant].includes(column) || GROUPINGS[wanted.variant].includes(name);
  if (isElsewhere) throw new UsageError(`--sort is not in the report: "${name}". Add it to --metrics or --by.`);
  throw new UsageError(`--sort is not known: "${name}".${suggest(name, known)}`);
}

function readLimit(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new UsageError(`--limit is not a number of rows: "${text}". Use 1 or more.`);
  return Number(text);
}

/** More days than any network has: a typing mistake. */
const MAX_DAYS = 4_000;

/** Returns the period of a report; undefined by default. Throws a `UsageError` that says what to write. */
function readPeriod({ from, to, period: name }: ReportSettings, now: Date): ReportSpec['period'] {
  if (name !== undefined) {
    if (from !== undefined || to !== undefined) throw new UsageError('Use either --from and --to, or --period.');
    return /^\d/.test(name.trim()) ? lastDays(name) : namedPeriod(name);
  }
  if (from === undefined) {
    if (to !== undefined) throw new UsageError('--to requires --from. Use something like --from 2026-11-01.');
    return undefined;
  }
  const range = { from: readDate(from, '--from'), to: to === undefined ? dateOf(now.getTime()) : readDate(to, '--to') };
  if (range.from > range.to)
    throw new UsageError(
      to === undefined
        ? `--from is in the future: ${range.from}. Today is ${range.to} (UTC).`
        : `--from is after --to: ${range.from} is later than ${range.to}.`,
    );
  return range;
}

function lastDays(text: string): `${number}d` {
  const [, count] = /^(\d{1,5})d(?:ays)?$/i.exec(text.trim()) ?? [];
  const days = Number(count);
  if (!(days >= 1 && days <= MAX_DAYS))
    throw new UsageError(`--period is not a number of days: "${text}". Use something like 7d, 30d or 90d.`);
  return `${days}d`;
}

function namedPeriod(text: string): PeriodName {
  const wanted = text.trim().toLowerCase().replaceAll('-', '_');
  const name = PERIODS.find((one) => one === wanted);
  if (name) return name;
  const near = suggest(text.toLowerCase().replaceAll('_', '-'), PERIOD_NAMES);
  throw new UsageError(`--period is not a known period: "${text}".${near}`);
}

function readDate(text: string, name: string): string {
  if (isDate(text)) return text;
  throw new UsageError(`${name} is not a date: "${text}". Use something like 2026-11-01.`);
}
