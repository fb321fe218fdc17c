import {
  FILTER_MAX_VALUES,
  FILTER_VALUE_MAX_LENGTH,
  GROUP_BY_MAX,
  HOURLY_MAX_DATES,
  REPORT_LIMIT,
} from '../../wire/limits.ts';
import { TIME_GRAINS, type TimeGrain } from '../../wire/reporting.ts';
import { countDates, isDate } from './dates.ts';
import { readParameters, type FieldErrors, type ParameterReader } from './readParameters.ts';
import type { DateRange } from './clippedPeriod.ts';
import type { Grouping, Metric, Variant } from './variant.ts';

/** Which way a column is sorted. */
export type Direction = 'asc' | 'desc';
/** The filters of a report: values inside one are alternatives, filters narrow each other (R25). */
export interface Filters {
  readonly publisher_ids?: readonly string[] | undefined;
  readonly page_types?: readonly string[] | undefined;
  readonly widget_types?: readonly string[] | undefined;
}

/** What was asked, checked against everything that needs no database. */
export interface ReportRequest {
  /** `undefined` when neither `from` nor `to` was given. */
  readonly range: DateRange | undefined;
  /** As asked or, when nothing was asked, what is enabled; may hold metrics that are disabled. */
  readonly metrics: readonly Metric[];
  readonly grain: TimeGrain;
  readonly groupBy: readonly Grouping[];
  readonly filters: Filters;
  /** The first sort column and its direction; `period_start` unless asked otherwise. */
  readonly sortBy: SortColumn;
  readonly sortDirection: Direction;
  /** How `period_start` is sorted where it is not the first column. */
  readonly sortOrder: Direction;
  readonly offset: number;
  readonly limit: number;
}

export type SortColumn = 'period_start' | 'publisher_name' | 'page_type' | 'widget_type' | 'widget_id' | Metric;

const DIRECTIONS = ['asc', 'desc'] as const;
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/**
 * The query of a report, or what is wrong with it. The shape of every parameter is checked before any date is compared
 * with another (R2). `enabled` are the metrics that this caller may see, `today` is the UTC date of the network's clock.
 */
export function parseReportRequest(
  url: URL,
  { variant, enabled, today }: { variant: Variant; enabled: readonly Metric[]; today: string },
): { ok: true; query: ReportRequest } | { ok: false; errors: FieldErrors } {
  const read = readParameters(url, variant.parameters);
  const range = readRange(read);
  const asked = readChoice(read, 'metrics', variant.metrics);
  const metrics = asked ?? variant.metrics.filter((metric) => enabled.includes(metric));
  const grain = read.word('time_grain', TIME_GRAINS, 'total');
  const groupBy = readChoice(read, 'group_by', variant.groupings) ?? [];
  if (groupBy.length > GROUP_BY_MAX) read.refuse('group_by', `At most ${GROUP_BY_MAX} values.`);
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
  if (from.given && !to.given) read.refuse('to', 'Give to together with from, or neither.');
  if (to.given && !from.given) read.refuse('from', 'Give from together with to, or neither.');
  return from.date === undefined || to.date === undefined ? undefined : { from: from.date, to: to.date };
}

function readDate(read: ParameterReader, name: string): { given: boolean; date: string | undefined } {
  const text = read.scalar(name);
  if (text === undefined || isDate(text)) return { given: read.has(name), date: text };
  read.refuse(name, 'Expected a date that exists, as YYYY-MM-DD.');
  return { given: true, date: undefined };
}

/** A list of distinct known names, in the order in which they were asked for. */
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
        `Unknown value ${JSON.stringify(element.slice(0, 80))}; expected some of ${allowed.join(', ')}.`,
      );
    else if (chosen.includes(known)) read.refuse(name, `${known} is given twice.`);
    else chosen.push(known);
  }
  return chosen;
}

function readFilters(read: ParameterReader): Filters {
  return {
    publisher_ids: readFilter(read, 'publisher_ids', (value) =>
      UUID.test(value) ? undefined : 'Expected UUIDs.',
    )?.map((id) => id.toLowerCase()),
    page_types: readFilter(read, 'page_types', wrongFilterText),
    widget_types: readFilter(read, 'widget_types', wrongFilterText),
  };
}

/** Values are counted before duplicates are dropped (R25). */
function readFilter(
  read: ParameterReader,
  name: string,
  wrong: (value: string) => string | undefined,
): readonly string[] | undefined {
  const values = read.list(name, { repeatable: true });
  if (values === undefined) return undefined;
  if (values.length > FILTER_MAX_VALUES)
    read.refuse(name, `At most ${FILTER_MAX_VALUES} values; these are ${values.length}.`);
  const problem = values.map(wrong).find((message) => message !== undefined);
  if (problem !== undefined) read.refuse(name, problem);
  return [...new Set(values)];
}

/** Unknown page and widget types are no error: tomorrow's may be asked for today (R28). */
function wrongFilterText(value: string): string | undefined {
  if (/\p{Cc}/u.test(value)) return 'A value holds a control character.';
  return [...value].length > FILTER_VALUE_MAX_LENGTH
    ? `A value is longer than ${FILTER_VALUE_MAX_LENGTH} characters.`
    : undefined;
}

/** Only what is in the rows can be sorted by (R31). */
function readSortBy(read: ParameterReader, selected: readonly Exclude<SortColumn, 'period_start'>[]): SortColumn {
  return read.word('sort_by', ['period_start', ...selected], 'period_start');
}

function checkDates(
  read: ParameterReader,
  { range, grain, today }: { range: DateRange; grain: TimeGrain; today: string },
): void {
  if (range.from > range.to) read.refuse('from', 'from is after to.');
  if (range.to > today) read.refuse('to', `to is in the future: today is ${today} (UTC).`);
  if (grain === 'hour' && countDates(range.from, range.to) > HOURLY_MAX_DATES) {
    read.refuse('to', `time_grain=hour takes at most ${HOURLY_MAX_DATES} dates.`);
  }
}
