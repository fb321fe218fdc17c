import * as v from 'valibot';
import { PROBLEMS_MAX, readUuid } from '../../wire/json.ts';
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
import { givenParameters, once, values, wholeNumber } from '../queryFields.ts';

/** Any breakdown column of either report. */
export type Grouping = ChannelGrouping;

/** The differences between the channel report and the publisher report; they share everything else. */
export interface Variant {
  readonly name: 'channel' | 'publisher';
  /** In the order in which a report shows them by default. */
  readonly metrics: readonly Metric[];
  readonly groupings: readonly Grouping[];
  /** Page types whose activity is in no row and no summary (src/network/contract/rules.md#r29). */
  readonly excludedPageTypes: readonly string[];
  readonly maxLimit: number;
}

/** The report on all publishers of a channel. */
export const CHANNEL_REPORT: Variant = {
  name: 'channel',
  metrics: CHANNEL_METRICS,
  groupings: CHANNEL_GROUPINGS,
  excludedPageTypes: ['MODAL'],
  maxLimit: REPORT_LIMIT.channel,
};

/** The report on a single publisher. */
export const PUBLISHER_REPORT: Variant = {
  name: 'publisher',
  metrics: PUBLISHER_METRICS,
  groupings: PUBLISHER_GROUPINGS,
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

/** Only spaces are trimmed: other white space is a control character, which values may not contain. */
const split = v.rawTransform<readonly string[], readonly string[]>(({ dataset, addIssue, NEVER }) => {
  const elements = dataset.value.flatMap((value) => value.split(',')).map((value) => value.replace(/^ +| +$/g, ''));
  if (!elements.includes('')) return elements;
  addIssue({ message: elements.length === 1 ? 'Expected at least one value.' : 'One of the values is empty.' });
  return NEVER;
});

/** A list of distinct known names, in the requested order. */
function choice<T extends string>(allowed: readonly T[], description: string, max = Infinity) {
  const choose = v.rawTransform<readonly string[], readonly T[]>(({ dataset, addIssue }) => {
    const chosen: T[] = [];
    // More than there are names: one of them is wrong or given twice, and is named.
    for (const element of dataset.value.slice(0, allowed.length + 1)) {
      const known = allowed.find((word) => word === element);
      if (known === undefined)
        addIssue({
          message: `The value ${JSON.stringify(element.slice(0, 80))} is unknown. Use some of ${allowed.join(', ')}.`,
        });
      else if (chosen.includes(known)) addIssue({ message: `${known} is given twice.` });
      else chosen.push(known);
    }
    if (chosen.length > max) addIssue({ message: `Expected at most ${max} values.` });
    return chosen;
  });
  const isOne = v.check<readonly string[], string>(
    ({ length }) => length === 1,
    'Give this parameter once, with its values separated by commas.',
  );
  return v.optional(v.pipe(values, isOne, split, choose, v.metadata({ type: 'string', description })));
}

/** A filter's values, each once. They are counted before duplicates are dropped. */
function filter(of: string, wrong: (value: string) => string | undefined) {
  const check = v.rawCheck<readonly string[]>(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { length } = dataset.value;
    if (length > FILTER_MAX_VALUES)
      addIssue({ message: `Expected at most ${FILTER_MAX_VALUES} values; there are ${length}.` });
    const message = dataset.value.map(wrong).find((problem) => problem !== undefined);
    if (message !== undefined) addIssue({ message });
  });
  const description = `Comma-separated filter of at most ${FILTER_MAX_VALUES} ${of}; may be repeated.`;
  const unique = v.transform((elements: readonly string[]) => [...new Set(elements)]);
  return v.optional(v.pipe(values, split, check, unique, v.metadata({ type: 'string', description })));
}

/** Unknown page and widget types are accepted, because new ones may be added (src/network/contract/rules.md#r28). */
function wrongText(value: string): string | undefined {
  if (/\p{Cc}/u.test(value)) return 'A value contains a control character.';
  return [...value].length > FILTER_VALUE_MAX_LENGTH
    ? `A value is longer than ${FILTER_VALUE_MAX_LENGTH} characters.`
    : undefined;
}

/** One of the allowed values. */
function word<const Words extends readonly string[]>(
  allowed: Words,
  about: { default?: Words[number]; description: string },
): v.OptionalSchema<v.GenericSchema<unknown, Words[number]>, undefined> {
  return v.optional(v.pipe(once, v.picklist(allowed, `Expected one of ${allowed.join(', ')}.`), v.metadata(about)));
}

function date(description: string) {
  return v.pipe(
    once,
    v.check(isDate, 'Expected a calendar date, such as 2025-11-20.'),
    v.string(),
    v.metadata({ format: 'date', description }),
  );
}

/** The parameters of a report in the order of their documentation. What is `given` says whether both dates are required. */
function reportQuery(
  { metrics, groupings, maxLimit }: Variant,
  given: Readonly<Record<string, readonly string[]>> = {},
) {
  const from = date('First UTC date, inclusive. Only together with `to`; without both, the latest 7 dates.');
  const to = date('Last UTC date, inclusive; not in the future.');
  return v.object(
    {
      from: given['to'] ? from : v.optional(from),
      to: given['from'] ? to : v.optional(to),
      metrics: choice(metrics, `Comma-separated, in the order of the columns: ${metrics.join(', ')}.`),
      time_grain: word(TIME_GRAINS, {
        default: 'total',
        description: `Periods are UTC; weeks start on Monday. An hourly report covers at most ${HOURLY_MAX_DATES} dates.`,
      }),
      group_by: choice(groupings, `Up to ${GROUP_BY_MAX} of ${groupings.join(', ')}, comma-separated.`, GROUP_BY_MAX),
      sort_order: word(DIRECTIONS, { default: 'desc', description: 'desc: the latest period first.' }),
      page_types: filter('values', wrongText),
      widget_types: filter('values', wrongText),
      offset: wholeNumber(', 0 or more', { min: 0, default: 0 }, 'Add data.length while pagination.has_more is true.'),
      limit: wholeNumber(` from 1 to ${maxLimit}`, { min: 1, ...REPORT_LIMIT, max: maxLimit }, 'Rows per page.'),
      sort_by: v.optional(
        v.pipe(
          once,
          v.string(),
          v.description('period_start, a selected metric or a selected grouping; publisher_name for publisher.'),
        ),
      ),
      sort_direction: word(DIRECTIONS, { description: 'sort_order by default.' }),
      publisher_ids: filter('ids', (value) => (readUuid(value) === undefined ? 'Expected UUIDs.' : undefined)),
    },
    ({ expected }) => `${expected?.slice(1, -1)} is missing. Give both from and to, or neither.`,
  );
}

/** The parameters of a report, as its contract shows them. A request with any other is refused. */
export function reportParameters(
  variant: Variant,
  query: { readonly entries: v.ObjectEntries } = reportQuery(variant),
): v.ObjectSchema<v.ObjectEntries, undefined> {
  const own = Object.entries(query.entries).filter(
    ([name]) => variant.name === 'channel' || !CHANNEL_ONLY.includes(name),
  );
  return v.object(Object.fromEntries(own));
}

const CHANNEL_ONLY: readonly string[] = ['sort_by', 'sort_direction', 'publisher_ids'];

/**
 * Parses a report request, or returns what is wrong with it. All parameters are parsed before dates are compared
 * (src/network/contract/rules.md#r2). `enabled` are the metrics this caller may see; `today` is the UTC date of the network's clock.
 */
export function parseReportRequest(
  url: URL,
  { variant, enabled, today }: { variant: Variant; enabled: readonly Metric[]; today: string },
): { ok: true; query: ReportRequest } | { ok: false; errors: Readonly<Record<string, readonly string[]>> } {
  const errors = new Map<string, string[]>();
  const refuse = (name: string, message: string): unknown => errors.set(name, [...(errors.get(name) ?? []), message]);
  const given = givenParameters(url);
  const schema = reportQuery(variant, given);
  const known = Object.keys(reportParameters(variant, schema).entries);
  const unknown = Object.keys(given).filter((one) => !known.includes(one));
  for (const name of unknown.slice(0, PROBLEMS_MAX)) {
    refuse(name, `This parameter is unknown. Use one of ${known.join(', ')}.`);
    delete given[name];
  }
  const read = v.safeParse(schema, given);
  for (const { path, message } of read.issues ?? []) refuse(String(path?.[0].key), message);
  // By which columns a report can be sorted says its query; where that is wrong, its defaults.
  const [chosen, groups] = [
    v.safeParse(schema.entries.metrics, given['metrics']),
    v.safeParse(schema.entries.group_by, given['group_by']),
  ];
  const columns: readonly SortColumn[] = [
    'period_start',
    ...((chosen.success && chosen.output) || enabled),
    ...((groups.success && groups.output) || []).map((one) => (one === 'publisher' ? 'publisher_name' : one)),
  ];
  const [wanted, another] = given['sort_by'] ?? [];
  const sortBy = columns.find((column) => column === (wanted ?? 'period_start'));
  if (!sortBy && another === undefined) refuse('sort_by', `Expected one of ${columns.join(', ')}.`);
  if (errors.size > 0 || !read.success || !sortBy) return { ok: false, errors: Object.fromEntries(errors) };
  const { from, to, metrics = enabled, time_grain: grain = 'total', sort_order = 'desc', ...rest } = read.output;
  const range = from === undefined || to === undefined ? undefined : { from, to };
  if (range !== undefined) {
    if (range.from > range.to) refuse('from', 'Expected a date that is not after to.');
    if (range.to > today) refuse('to', `Expected a date up to today, ${today} (UTC).`);
    if (grain === 'hour' && countDays(range) > HOURLY_MAX_DATES)
      refuse('to', `time_grain=hour takes at most ${HOURLY_MAX_DATES} dates.`);
  }
  if (errors.size > 0) return { ok: false, errors: Object.fromEntries(errors) };
  const { publisher_ids, page_types, widget_types } = rest;
  const query: ReportRequest = {
    range,
    metrics,
    grain,
    groupBy: rest.group_by ?? [],
    sortOrder: sort_order,
    filters: { publisher_ids: publisher_ids?.map((id) => id.toLowerCase()), page_types, widget_types },
    sortBy,
    sortDirection: rest.sort_direction ?? sort_order,
    offset: rest.offset ?? 0,
    limit: rest.limit ?? REPORT_LIMIT.default,
  };
  return { ok: true, query };
}
