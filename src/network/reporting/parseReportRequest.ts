import { readUuid } from '../../wire/json.ts';
import {
  FILTER_MAX_VALUES,
  FILTER_VALUE_MAX_LENGTH,
  GROUP_BY_MAX,
  HOURLY_MAX_DATES,
  REPORT_LIMIT,
} from '../../wire/limits.ts';
import {
  CHANNEL_GROUPINGS,
  CHANNEL_METRICS,
  PUBLISHER_GROUPINGS,
  PUBLISHER_METRICS,
  TIME_GRAINS,
  type ChannelGrouping,
  type Metric,
  type TimeGrain,
} from '../../wire/reporting.ts';
import { countDays, isDate, type DateRange } from '../../wire/utcDates.ts';
import type { Part } from '../contract/operation.ts';
import { REPORT_PARAMETERS } from '../contract/reporting.ts';

/** Any breakdown column of either report. */
export type Grouping = ChannelGrouping;

/** The differences between the channel report and the publisher report; they share everything else. */
export interface Variant {
  readonly name: 'channel' | 'publisher';
  /** In the order in which a report shows them by default. */
  readonly metrics: readonly Metric[];
  readonly groupings: readonly Grouping[];
  readonly parameters: readonly string[];
  /** Page types whose activity is in no row and no summary (src/network/contract/rules.md#r29). */
  readonly excludedPageTypes: readonly string[];
  readonly maxLimit: number;
}

const nameOf = (part: Part): string => String(part['name']);

/** The report on all publishers of a channel. */
export const CHANNEL_REPORT: Variant = {
  name: 'channel',
  metrics: CHANNEL_METRICS,
  groupings: CHANNEL_GROUPINGS,
  parameters: REPORT_PARAMETERS.channel.map(nameOf),
  excludedPageTypes: ['MODAL'],
  maxLimit: REPORT_LIMIT.channel,
};

/** The report on a single publisher. */
export const PUBLISHER_REPORT: Variant = {
  name: 'publisher',
  metrics: PUBLISHER_METRICS,
  groupings: PUBLISHER_GROUPINGS,
  parameters: REPORT_PARAMETERS.publisher.map(nameOf),
  excludedPageTypes: ['ORDER_TRACKING', 'MODAL'],
  maxLimit: REPORT_LIMIT.publisher,
};

/** The direction in which a column is sorted. */
type Direction = 'asc' | 'desc';
/** The filters of a report: a row must match one value of each filter. */
interface Filters {
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

type SortColumn = 'period_start' | 'publisher_name' | 'page_type' | 'widget_type' | 'widget_id' | Metric;

const DIRECTIONS = ['asc', 'desc'] as const;

/**
 * Parses a report request, or returns what is wrong with it. All parameters are parsed before dates are compared
 * (src/network/contract/rules.md#r2). `enabled` are the metrics this caller may see; `today` is the UTC date of the network's clock.
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
    sortBy: read.word('sort_by', ['period_start', ...metrics, ...groupBy.map(sortColumn)], 'period_start'),
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

/** Unknown page and widget types are accepted, because new ones may be added (src/network/contract/rules.md#r28). */
function wrongFilterText(value: string): string | undefined {
  if (/\p{Cc}/u.test(value)) return 'A value contains a control character.';
  return [...value].length > FILTER_VALUE_MAX_LENGTH
    ? `A value is longer than ${FILTER_VALUE_MAX_LENGTH} characters.`
    : undefined;
}

function sortColumn(grouping: Grouping): SortColumn {
  return grouping === 'publisher' ? 'publisher_name' : grouping;
}

function checkDates(
  read: ParameterReader,
  { range, grain, today }: { range: DateRange; grain: TimeGrain; today: string },
): void {
  if (range.from > range.to) read.refuse('from', 'Expected a date that is not after to.');
  if (range.to > today) read.refuse('to', `Expected a date up to today, ${today} (UTC).`);
  if (grain === 'hour' && countDays(range) > HOURLY_MAX_DATES) {
    read.refuse('to', `time_grain=hour takes at most ${HOURLY_MAX_DATES} dates.`);
  }
}

/** What is wrong with each parameter, as the response body: `{ param: [messages] }`. */
type FieldErrors = Readonly<Record<string, readonly string[]>>;

type ParameterReader = ReturnType<typeof readParameters>;

/** Returns a reader of the URL's parameters, which collects what is wrong with them. Every one that is not `known` is refused. */
function readParameters(url: URL, known: readonly string[]) {
  const problems = new Map<string, string[]>();
  for (const name of url.searchParams.keys()) {
    if (!known.includes(name) && !problems.has(name))
      refuse(name, `This parameter is unknown. Use one of ${known.join(', ')}.`);
  }

  function refuse(name: string, message: string): void {
    problems.set(name, [...(problems.get(name) ?? []), message]);
  }

  /** The values of a parameter; none if it is unknown and so refused already. */
  function given(name: string): readonly string[] {
    return known.includes(name) ? url.searchParams.getAll(name) : [];
  }

  /** The only value of a parameter; `undefined` if it is missing or invalid. */
  function scalar(name: string): string | undefined {
    const values = given(name);
    if (values.length > 1) refuse(name, 'Give this parameter once.');
    return values.length === 1 ? values[0] : undefined;
  }

  return {
    refuse,
    scalar,
    has: (name: string) => url.searchParams.has(name),
    /** The errors so far; `undefined` if there are none. */
    errors: (): FieldErrors | undefined => (problems.size > 0 ? Object.fromEntries(problems) : undefined),
    /** One of the allowed values, or the default. */
    word<T extends string>(name: string, allowed: readonly T[], otherwise: T): T {
      const text = scalar(name);
      const found = allowed.find((word) => word === text);
      if (text !== undefined && found === undefined) refuse(name, `Expected one of ${allowed.join(', ')}.`);
      return found ?? otherwise;
    },
    /** A whole number in digits, or the default. */
    integer(name: string, { min, max, otherwise }: { min: number; max: number; otherwise: number }): number {
      const text = scalar(name);
      if (text === undefined) return otherwise;
      const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
      if (value >= min && value <= max) return value;
      refuse(
        name,
        max === Number.MAX_SAFE_INTEGER
          ? `Expected a whole number, ${min} or more.`
          : `Expected a whole number from ${min} to ${max}.`,
      );
      return otherwise;
    },
    /** The elements of a comma-separated list. With `repeatable` the parameter may be given several times. */
    list(name: string, { repeatable = false } = {}): readonly string[] | undefined {
      const values = given(name);
      if (values.length === 0) return undefined;
      if (values.length > 1 && !repeatable) {
        refuse(name, 'Give this parameter once, with its values separated by commas.');
        return undefined;
      }
      // Only spaces are trimmed: other white space is a control character, which values may not contain.
      const elements = values.flatMap((value) => value.split(',')).map((value) => value.replace(/^ +| +$/g, ''));
      if (!elements.includes('')) return elements;
      refuse(name, elements.length === 1 ? 'Expected at least one value.' : 'One of the values is empty.');
      return undefined;
    },
  };
}
