import type { DateRange } from '../../../clients.ts';
import { DEFAULT_DATES, GROUP_BY_MAX, HOURLY_MAX_DATES } from '../../../wire/limits.ts';
import {
  CHANNEL_GROUPINGS,
  CHANNEL_METRICS,
  PUBLISHER_GROUPINGS,
  PUBLISHER_METRICS,
  TIME_GRAINS,
  type TimeGrain,
} from '../../../wire/reporting.ts';
import { didYouMean, suggest } from '../../../wire/didYouMean.ts';
import type { SettingsOf } from '../../../cli/options.ts';
import { UsageError } from '../../../cli/UsageError.ts';
import { readDates } from './readDates.ts';
import type { REPORT_OPTIONS } from './reportOptions.ts';

/** A report, as the command line asks for it. */
export interface Wanted {
  readonly variant: 'channel' | 'publisher';
  readonly dates: DateRange | undefined;
  readonly grain: TimeGrain;
  readonly by: readonly string[];
  /** Undefined: all that are enabled. */
  readonly metrics: readonly string[] | undefined;
  readonly filters: Readonly<Record<FilterName, readonly string[]>>;
  readonly sort: { readonly column: string; readonly isDescending: boolean } | undefined;
  readonly limit: number | undefined;
  readonly compare: 'previous' | 'year' | undefined;
}

export type FilterName = 'publisher' | 'page_type' | 'widget_type';
const FILTERS: readonly FilterName[] = ['publisher', 'page_type', 'widget_type'];
const DAY_MS = 86_400_000;

/** Reads what a report shall contain. Throws a `UsageError` that says what to write, with the nearest known name. */
export function readQuery(settings: SettingsOf<typeof REPORT_OPTIONS>, now: Date): Wanted {
  const { variant, compare } = settings;
  const dates = readDates(settings, now);
  const grain = settings.grain ?? (settings.chart && settings.by === undefined ? grainFor(dates) : 'total');
  if (grain === 'hour' && dates && daysIn(dates) > HOURLY_MAX_DATES)
    throw new UsageError(
      `--grain hour is limited to ${HOURLY_MAX_DATES} days, and these are ${daysIn(dates)}. Use --last 3d, or --grain day.`,
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
  const days = dates ? daysIn(dates) : DEFAULT_DATES;
  if (days <= 2) return 'hour';
  return days <= 62 ? 'day' : days <= 400 ? 'week' : 'month';
}

interface Names {
  readonly channel: readonly string[];
  readonly publisher: readonly string[];
}
const METRICS: Names = { channel: CHANNEL_METRICS, publisher: PUBLISHER_METRICS };
const GROUPINGS: Names = { channel: CHANNEL_GROUPINGS, publisher: PUBLISHER_GROUPINGS };

interface NamesOptions {
  readonly source: string;
  readonly variant: 'channel' | 'publisher';
  readonly known: Names;
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

function readFilters(given: readonly string[], variant: 'channel' | 'publisher'): Record<FilterName, string[]> {
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
    filters[name].push(...values);
  }
  return filters;
}

function readSort(text: string | undefined, wanted: Omit<Wanted, 'sort' | 'limit'>): Wanted['sort'] {
  if (text === undefined) return undefined;
  const isDescending = text.startsWith('-');
  const name = text.replace(/^[-+]/, '');
  const metrics = wanted.metrics ?? METRICS[wanted.variant];
  const columns = [
    'period_start',
    ...wanted.by.map((one) => (one === 'publisher' ? 'publisher_name' : one)),
    ...metrics,
  ];
  const known = [...columns, ...(wanted.compare ? metrics.map((metric) => `${metric}_change`) : [])];
  const column = name === 'publisher' ? 'publisher_name' : name;
  if (known.includes(column)) return { column, isDescending };
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

function daysIn({ from, to }: DateRange): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
}
