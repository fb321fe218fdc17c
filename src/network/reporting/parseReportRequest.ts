import {
  FILTER_MAX_VALUES,
  FILTER_VALUE_MAX_LENGTH,
  GROUP_BY_MAX,
  HOURLY_MAX_DATES,
  REPORT_LIMIT,
} from '../../wire/limits.ts';
import { TIME_GRAINS, type TimeGrain } from '../../wire/reporting.ts';
import { readUuid } from '../database/readUuid.ts';
import { countDays, isDate, type DateRange } from '../../wire/utcDates.ts';
import { readParameters, type FieldErrors, type ParameterReader } from './readParameters.ts';
import type { Grouping, Metric, Variant } from './variant.ts';

/** The direction in which a column is sorted. */
export type Direction = 'asc' | 'desc';
/** The filters of a report: a row must match one value of each filter. */
export interface Filters {
  readonly publisher_ids?: readonly string[] | undefined;
  readonly page_types?: readonly string[] | undefined;
  readonly widget_types?: readonly string[] | undefined;
}

/** A report request, checked as far as possible without the database. */
export interface ReportRequest {
  /** `undefined` if neither `from` nor `to` is given. */
  readonly range: DateRange | undefined;
  /** The requested metrics, which may be disabled; by default all enabled ones. */
  readonly metrics: readonly Metric[];
  readonly grain: TimeGrain;
  readonly groupBy: readonly Grouping[];
  readonly filters: Filters;
  /** The first sort column; `period_start` by default. */
  readonly sortBy: SortColumn;
  readonly sortDirection: Direction;
  /** The direction of `period_start` if it is not the first column. */
  readonly sortOrder: Direction;
  readonly offset: number;
  readonly limit: number;
}

export type SortColumn = 'period_start' | 'publisher_name' | 'page_type' | 'widget_type' | 'widget_id' | Metric;

const DIRECTIONS = ['asc', 'desc'] as const;

/**
 * Parses a report request, or returns what is wrong with it. All parameters are parsed before dates are compared
 * (docs/rules.md#r2). `enabled` are the metrics this caller may see; `today` is the UTC date of the network's clock.
 */
export function parseReportRequest(
  url: URL,
  { variant, enabled, today }: { variant: Variant; enabled: readonly Metric[]; today: string },
): { ok: true; query: ReportRequest } | { ok: false; errors: FieldErrors } {
  const read = readParameters(url, variant.parameters);
  const range = readRange(read);
  const metrics =
    readChoice(read, 'metrics', variant.metrics) ?? variant.metrics.filter((metric) => enabled.includes(metric));
  const grain = read.word('time_grain', TIME_GRAINS, 'total');
  const groupBy = readChoice(read, 'group_by', variant.groupings) ?? [];
  if (groupBy.length > GROUP_BY_MAX) read.refuse('group_by', `Expected at most ${GROUP_BY_MAX} values.`);
  const sortOrder = read.word('sort_order', DIRECTIONS, 'desc');
  const query: ReportRequest = {
    range,
    metrics,
    grain,
    groupBy,
    sortOrder,
    filters: readFilters(read),
    sortBy: readSortBy(read, [...metrics, ...groupBy.map((name) => (name === 'publisher' ? 'publisher_name' : name))]),
    sortDirection: read.word('sort_direction', DIRECTIONS, sortOrder),
    offset: read.integer('offset', { min: 0, max: Number.MAX_SAFE_INTEGER, otherwise: 0 }),
    limit: read.integer('limit', { min: 1, max: variant.maxLimit, otherwise: REPORT_LIMIT.default }),
  };
  if (read.errors() === undefined && range !== undefined) checkDates(read, { range, grain, today });
  const errors = read.errors();
  return errors === undefined ? { ok: true, query } : { ok: false, errors };
}

function readRange(read: ParameterReader): DateRange | undefined {
  const from = readDate(read, 'from');
  const to = readDate(read, 'to');
  if (from.given && !to.given) read.refuse('to', 'to is missing. Give both from and to, or neither.');
  if (to.given && !from.given) read.refuse('from', 'from is missing. Give both from and to, or neither.');
  return from.date === undefined || to.date === undefined ? undefined : { from: from.date, to: to.date };
}

function readDate(read: ParameterReader, name: string): { given: boolean; date: string | undefined } {
  const text = read.scalar(name);
  if (text === undefined || isDate(text)) return { given: read.has(name), date: text };
  read.refuse(name, 'Expected a calendar date, such as 2025-11-20.');
  return { given: true, date: undefined };
}

/** A list of distinct known names, in the requested order. */
function readChoice<T extends string>(
  read: ParameterReader,
  name: string,
  allowed: readonly T[],
): readonly T[] | undefined {
  const elements = read.list(name);
  if (elements === undefined) return undefined;
  const chosen: T[] = [];
  for (const element of elements) {
    const known = allowed.find((word) => word === element);
    if (known === undefined)
      read.refuse(
        name,
        `The value ${JSON.stringify(element.slice(0, 80))} is unknown. Use some of ${allowed.join(', ')}.`,
      );
    else if (chosen.includes(known)) read.refuse(name, `${known} is given twice.`);
    else chosen.push(known);
  }
  return chosen;
}

function readFilters(read: ParameterReader): Filters {
  return {
    publisher_ids: readFilter(read, 'publisher_ids', (value) =>
      readUuid(value) === undefined ? 'Expected UUIDs.' : undefined,
    )?.map((id) => id.toLowerCase()),
    page_types: readFilter(read, 'page_types', wrongFilterText),
    widget_types: readFilter(read, 'widget_types', wrongFilterText),
  };
}

/** Values are counted before duplicates are dropped. */
function readFilter(
  read: ParameterReader,
  name: string,
  wrong: (value: string) => string | undefined,
): readonly string[] | undefined {
  const values = read.list(name, { repeatable: true });
  if (values === undefined) return undefined;
  if (values.length > FILTER_MAX_VALUES)
    read.refuse(name, `Expected at most ${FILTER_MAX_VALUES} values; there are ${values.length}.`);
  const problem = values.map(wrong).find((message) => message !== undefined);
  if (problem !== undefined) read.refuse(name, problem);
  return [...new Set(values)];
}

/** Unknown page and widget types are accepted, because new ones may be added (docs/rules.md#r28). */
function wrongFilterText(value: string): string | undefined {
  if (/\p{Cc}/u.test(value)) return 'A value contains a control character.';
  return [...value].length > FILTER_VALUE_MAX_LENGTH
    ? `A value is longer than ${FILTER_VALUE_MAX_LENGTH} characters.`
    : undefined;
}

/** A report can be sorted by its own columns only. */
function readSortBy(read: ParameterReader, selected: readonly Exclude<SortColumn, 'period_start'>[]): SortColumn {
  return read.word('sort_by', ['period_start', ...selected], 'period_start');
}

function checkDates(
  read: ParameterReader,
  { range, grain, today }: { range: DateRange; grain: TimeGrain; today: string },
): void {
  if (range.from > range.to) read.refuse('from', 'from is after to.');
  if (range.to > today) read.refuse('to', `to is in the future: today is ${today} (UTC).`);
  if (grain === 'hour' && countDays(range) > HOURLY_MAX_DATES) {
    read.refuse('to', `time_grain=hour takes at most ${HOURLY_MAX_DATES} dates.`);
  }
}
