import { existsSync } from 'node:fs';
import { type Options, type SettingsOf, OUTPUT } from '../../cli/command.ts';
import { UsageError } from '../../cli/ExitError.ts';
import { openYaml, type Setting } from '../openYaml.ts';
import { lastDays as lastDates, period, PERIODS } from '../reports/period.ts';
import { GROUPINGS, METRICS, type ReportVariant } from '../reports/reportQuery.ts';
import { countDays, dateOf, isDate, type DateRange } from '../../wire/utcDates.ts';
import { didYouMean, suggest } from '../../wire/didYouMean.ts';
import { DISPLAY_MODES, VIEWS } from '../../wire/offers/request.ts';
import { DEFAULT_DATES, GROUP_BY_MAX, HOURLY_MAX_DATES } from '../../wire/limits.ts';
import { TIME_GRAINS, type TimeGrain } from '../../wire/reporting.ts';

/** The names of `--period`: those of `period()`, with hyphens. */
const PERIOD_NAMES = PERIODS.map((name) => name.replaceAll('_', '-'));

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
    completes: ['7d', '30d', '90d', ...PERIOD_NAMES],
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
    completes: GROUPINGS.channel,
    about: 'Breakdowns, up to three: publisher, page_type, widget_type, widget_id.',
  },
  metrics: {
    kind: 'text',
    value: 'M[,M]',
    completes: METRICS.channel,
    about: 'The metrics and their order; all that are enabled for the key by default.',
  },
  filter: {
    kind: 'list',
    value: 'NAME=VALUE',
    completes: ['publisher=', 'page_type=', 'widget_type='],
    about: 'Only that publisher (id or name), page_type or widget_type.',
  },
  sort: {
    kind: 'text',
    value: '[-]M',
    isSigned: true,
    completes: METRICS.channel,
    about: 'Sorts by a metric or column; with a hyphen, the largest first. With --compare also by M_change.',
  },
  limit: { kind: 'text', value: 'N', about: 'Prints the first rows only. The totals are still those of all rows.' },
  compare: {
    kind: 'choice',
    choices: ['previous', 'year'],
    about: 'Compares with as many days just before, or with the same weekdays a year (52 weeks) before.',
  },
  chart: { kind: 'flag', about: 'Draws the first metrics above the table.' },
  currency: {
    kind: 'text',
    value: 'LABEL',
    about: 'The label of amounts, such as EUR; by default that of reports.yaml, where there is one.',
  },
  output: OUTPUT,
} as const satisfies Options;

/** A report, as requested on the command line. */
export interface RequestedReport {
  readonly variant: ReportVariant;
  readonly dates: DateRange | undefined;
  readonly grain: TimeGrain;
  readonly by: readonly string[];
  /** Undefined: all that are enabled. */
  readonly metrics: readonly string[] | undefined;
  readonly filters: Readonly<Record<FilterName, readonly string[]>>;
  /** A column or `METRIC_change`, with a hyphen for the highest first; empty for the usual order. */
  readonly sort: string;
  readonly limit: number | undefined;
  readonly compare: 'previous' | 'year' | undefined;
}

type FilterName = 'publisher' | 'page_type' | 'widget_type';
const FILTERS: readonly FilterName[] = ['publisher', 'page_type', 'widget_type'];

/** The settings of a report, as its flags give them. */
type ReportSettings = SettingsOf<typeof REPORT_OPTIONS>;

/** Reads what a report must contain. Throws a `UsageError` that says what to write, with the nearest known name. */
export function readQuery(settings: ReportSettings, now: Date): RequestedReport {
  const { variant, compare } = settings;
  const dates = readDates(settings, now);
  const grain = settings.grain ?? (settings.chart && settings.by === undefined ? grainFor(dates) : 'total');
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
  const wanted = { variant, dates, grain, by, metrics, filters: readFilters(settings.filter, variant), compare };
  return { ...wanted, sort: readSort(settings.sort, wanted), limit: readLimit(settings.limit) };
}

/** A chart without a grain or a breakdown shows how things went: some dozens of bars. */
function grainFor(dates: DateRange | undefined): TimeGrain {
  const days = dates ? countDays(dates) : DEFAULT_DATES;
  if (days <= 2) return 'hour';
  return days <= 62 ? 'day' : days <= 400 ? 'week' : 'month';
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

function readFilters(given: readonly string[], variant: ReportVariant): Record<FilterName, string[]> {
  const filters: Record<FilterName, string[]> = { publisher: [], page_type: [], widget_type: [] };
  const known = variant === 'channel' ? FILTERS : FILTERS.filter((name) => name !== 'publisher');
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
    const all: readonly string[] = name === 'page_type' ? VIEWS : name === 'widget_type' ? DISPLAY_MODES : [];
    for (const one of values) {
      // Other values exist, but one that differs in its letter case or hyphens is a typing mistake.
      const meant = all.find((value) => value === one.toUpperCase().replaceAll(/[\s-]+/g, '_'));
      if (meant !== undefined && meant !== one)
        throw new UsageError(`--filter ${written} is not known: "${one}". Did you mean ${meant}?`);
    }
    filters[name].push(...values);
  }
  return filters;
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

/** Returns the dates of a report; undefined by default. Throws a `UsageError` that says what to write. */
function readDates({ from, to, period: name }: ReportSettings, now: Date): DateRange | undefined {
  if (name !== undefined) {
    if (from !== undefined || to !== undefined) throw new UsageError('Use either --from and --to, or --period.');
    return /^\d/.test(name.trim()) ? lastDays(name, now) : namedPeriod(name, now);
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

function lastDays(text: string, now: Date): DateRange {
  const [, count] = /^(\d{1,5})d(?:ays)?$/i.exec(text.trim()) ?? [];
  const days = Number(count);
  if (!(days >= 1 && days <= MAX_DAYS))
    throw new UsageError(`--period is not a number of days: "${text}". Use something like 7d, 30d or 90d.`);
  return lastDates(dateOf(now.getTime()), days);
}

function namedPeriod(text: string, now: Date): DateRange {
  const wanted = text.trim().toLowerCase().replaceAll('-', '_');
  const name = PERIODS.find((one) => one === wanted);
  if (name) return period(name, { now });
  const near = suggest(text.toLowerCase().replaceAll('_', '-'), PERIOD_NAMES);
  throw new UsageError(`--period is not a known period: "${text}".${near}`);
}

function readDate(text: string, name: string): string {
  if (isDate(text)) return text;
  throw new UsageError(`${name} is not a date: "${text}". Use something like 2026-11-01.`);
}

/** One named report of a file. */
export interface SavedReport {
  readonly name: string;
  readonly title: string;
  readonly settings: ReportSettings;
}

/** A file of reports. */
export interface SavedReports {
  /** The label of amounts, such as EUR; the APIs state none. */
  readonly currency: string | null;
  readonly reports: readonly SavedReport[];
}

const TEXTS = ['variant', 'from', 'to', 'period', 'grain', 'sort', 'limit', 'compare'] as const;
const LISTS = ['by', 'metrics'] as const;
const FIELDS = ['title', ...TEXTS, ...LISTS, 'filter', 'chart'] as const;

/** Reads a file of reports, and checks every one of them as `report` would. Throws a `UsageError` that names the line. */
export function readSavedReports(path: string, option = '--file'): SavedReports {
  const { currency, reports } = openYaml(path, option).fields(['currency', 'reports']);
  return {
    currency: currency?.text() ?? null,
    reports: reports?.entries().map(([name, report]) => readSaved(name, report)) ?? [],
  };
}

/** The file of the current folder that is read where there is one. */
export const USUAL_FILE = 'reports.yaml';

/** Returns the label of amounts in the file of the current folder; null where there is none, or it is not a file of reports. */
export function usualCurrency(): string | null {
  try {
    return existsSync(USUAL_FILE) ? readSavedReports(USUAL_FILE).currency : null;
  } catch {
    // "reports list" says what is wrong with it.
    return null;
  }
}

/** Returns the report of a name. Throws a `UsageError` with the nearest name. */
export function findSaved({ reports }: SavedReports, name: string, path: string): SavedReport {
  const names = reports.map((report) => report.name);
  const found = reports.find((report) => report.name === name);
  if (found) return found;
  throw new UsageError(
    `${path} has no report "${name}".${names.length === 0 ? ' It has none at all.' : suggest(name, names)}`,
  );
}

function readSaved(name: string, report: Setting): SavedReport {
  if (!/^[\w-]{1,60}$/.test(name)) report.fail('is not a name for a report. Use letters, digits and hyphens.');
  const fields = report.fields(FIELDS);
  const texts = Object.fromEntries(TEXTS.map((one) => [one, fields[one]?.text()]));
  const lists = Object.fromEntries(LISTS.map((one) => [one, fields[one]?.texts().join(',')]));
  const filter = fields.filter?.entries().flatMap(([key, value]) => value.list().map((one) => `${key}=${one.text()}`));
  const settings = {
    ...texts,
    ...lists,
    variant: fields.variant?.choice(['channel', 'publisher']) ?? 'channel',
    grain: fields.grain?.choice(['total', 'day', 'week', 'month', 'hour']),
    compare: fields.compare?.choice(['previous', 'year']),
    filter: filter ?? [],
    chart: fields.chart?.choice(['true', 'false']) === 'true',
    output: undefined,
    currency: undefined,
  } as unknown as ReportSettings;
  try {
    readQuery(settings, new Date());
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    // The flag that the message begins with is the field of that name.
    const [, flag = '', rest = error.message] = /^--([a-z]+):? (.*)$/s.exec(error.message) ?? [];
    const field = FIELDS.find((one) => one === flag);
    const at = field && fields[field];
    if (at) at.fail(rest);
    report.fail(`is not a valid report. ${error.message}`);
  }
  return { name, title: fields.title?.text() ?? name, settings };
}
