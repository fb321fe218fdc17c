import { metricsOfRule, reachOf, USUAL_DAYS, type Facts } from './judge.ts';
import { RATIOS } from '../reports/sumHours.ts';
import { SUBJECTS, type By, type ReportRule, type Rules } from './rules.ts';
import type { ChannelClient } from '../clients/ChannelClient.ts';
import {
  ApiError,
  DateRangeError,
  ReportingUnavailableError,
  RowLimitError,
  ValidationError,
} from '../clients/errors.ts';
import { type ReportingClient, readWholeReport } from '../clients/ReportingClient.ts';
import type { Row } from '../reports/comparison.ts';
import type { ChannelMetric } from '../../wire/reporting.ts';
import { REPORT_LIMIT } from '../../wire/limits.ts';
import { addDays, countDays, DAY_MS, dateOf, HOUR_MS, type DateRange } from '../../wire/utcDates.ts';

/** What `readFacts` reads from. */
export interface FactsSource {
  readonly reports: ReportingClient<'channel'>;
  readonly channel: ChannelClient;
  readonly signal?: AbortSignal | undefined;
  onProgress?(text: string): void;
}

/** What is read. */
export interface FactsQuery {
  readonly rules: Rules;
  /** The number of complete days that are judged, the last one included. */
  readonly days: number;
  /** Ids of publishers with an open cause: they are read however small they have become. */
  readonly publishers: readonly string[];
}

/** Facts, and which days they can judge. */
export interface ReadFacts {
  readonly facts: Facts;
  /** The complete days to judge, the earliest first; none when there is no data. */
  readonly days: readonly string[];
  /** Rules that cannot be judged, and why. */
  readonly skipped: readonly { readonly rule: string; readonly why: string }[];
}

/** Publishers of one request: more ids would make a URL that proxies refuse. */
export const IDS_PER_REQUEST = 100;
/** Requests at a time: enough to hide the distance to the network, too few to be a burden. */
const REQUESTS_AT_ONCE = 4;
/** The fewest days from which silence knows what is usual. */
const SHORTEST_USUAL_DAYS = 7;

/** Reads everything that rules need, in few requests: publishers that are too small for every rule are not read by day. */
export async function readFacts(source: FactsSource, query: FactsQuery): Promise<ReadFacts> {
  const { rules } = query.rules;
  const end = await readDataEnd(source);
  const skipped: ReadFacts['skipped'][number][] = [];
  const onReports = rules.filter((rule): rule is ReportRule => {
    if (rule.kind === 'late' || rule.kind === 'pending') return false;
    const missing = metricsOfRule(rule).filter((metric) => end.enabled !== undefined && !end.enabled.includes(metric));
    if (missing.length > 0)
      skipped.push({ rule: rule.name, why: `${missing.join(' and ')} is not enabled for the key` });
    return missing.length === 0;
  });
  const isListed = rules.some(({ kind }) => kind === 'pending') || onReports.some(({ by }) => by === 'publisher');
  const list = isListed ? await readPublishers(source) : undefined;
  const last = end.lastDay;
  const range = last === undefined ? undefined : await readRange(source, { ...query, last, onReports });
  const places = new Map(range && daysOf(range).map((day, place) => [day, place]));
  const groups = new Map<By, Group>();
  if (range)
    for (const by of SUBJECTS) {
      const its = onReports.filter((rule) => rule.by === by);
      if (its.length > 0)
        groups.set(by, await readGroup(source, { by, rules: its, range, places, query, ids: list?.approved ?? [] }));
    }
  const approved = new Set(list?.approved);
  const first = range && last !== undefined ? later(range.from, addDays(last, 1 - query.days)) : undefined;
  return {
    skipped,
    days: first === undefined || last === undefined ? [] : daysOf({ from: first, to: last }),
    facts: {
      from: range?.from ?? '9',
      dataEnd: end.dataEnd,
      subjects: (by) => groups.get(by)?.names ?? new Map(),
      value: (by, id, metric, date) => groups.get(by)?.values.get(metric)?.get(id)?.[places.get(date) ?? -1] ?? 0,
      requests: list?.requests ?? [],
      removed: new Set(
        list ? [...(groups.get('publisher')?.names.keys() ?? [])].filter((id) => !approved.has(id)) : [],
      ),
    },
  };
}

/** How far the data reaches, and which metrics there are. */
export interface DataEnd {
  readonly dataEnd: number | null;
  readonly lastDay: string | undefined;
  /** The metrics of the key; undefined when nothing says so. */
  readonly enabled: readonly string[] | undefined;
}

/** Returns how far the data reaches. The latest hour may still grow, and its day: the last complete day is the one before. */
export async function readDataEnd({ reports, signal }: FactsSource): Promise<DataEnd> {
  try {
    const { meta, summary } = await reports.report({ time_grain: 'hour', limit: 1 }, { signal });
    return endOf(meta.data_through, { length: HOUR_MS, summary });
  } catch (error) {
    if (error instanceof ReportingUnavailableError) return endOf(null, { length: 0, summary: undefined });
    // A network may keep no hours, or allow few rows.
    const isOther = [DateRangeError, ValidationError, RowLimitError].every((kind) => !(error instanceof kind));
    if (isOther) throw error;
    const { meta, summary } = await reports.report({ limit: 1 }, { signal });
    return endOf(meta.data_through, { length: DAY_MS, summary });
  }
}

function endOf(
  through: string | null,
  { length, summary }: { readonly length: number; readonly summary: object | undefined },
): DataEnd {
  const enabled = summary && Object.keys(summary);
  if (through === null) return { dataEnd: null, lastDay: undefined, enabled };
  const start = Date.parse(through);
  return { dataEnd: start + length, lastDay: addDays(dateOf(start), -1), enabled };
}

/** The publishers of the channel, and the requests to add some. */
export interface Listed {
  readonly approved: readonly string[];
  readonly requests: Facts['requests'];
}

/** Reads the whole list of publishers. */
export async function readPublishers({ channel, signal, onProgress }: FactsSource): Promise<Listed> {
  const approved: string[] = [];
  const requests: Facts['requests'][number][] = [];
  for await (const publisher of channel.allPublishers({}, { signal })) {
    const { publisher_remote_id: id, pending_publisher_id, brand_name: name, status, created_at } = publisher;
    if (id !== null && status === 'APPROVED') approved.push(id);
    else if (pending_publisher_id !== null)
      requests.push({ id: pending_publisher_id, name, status, at: Date.parse(created_at) });
    onProgress?.(`Read ${(approved.length + requests.length).toLocaleString('en')} publishers …`);
  }
  return { approved, requests };
}

/** The days that the rules read, cut to the history. */
async function readRange(
  { reports, signal }: FactsSource,
  { rules, days, last, onReports }: FactsQuery & { readonly last: string; readonly onReports: readonly ReportRule[] },
): Promise<DateRange | undefined> {
  const [metric] = onReports.flatMap(metricsOfRule);
  if (metric === undefined) return undefined;
  const reach = Math.max(...onReports.map(reachOf)) + Math.min(rules.holidays.size, 14);
  const range = { from: addDays(last, 1 - days - reach), to: last };
  try {
    await reports.report({ ...range, metrics: [metric as ChannelMetric], limit: 1 }, { signal });
    return range;
  } catch (error) {
    const from = error instanceof DateRangeError ? error.available_window?.from : undefined;
    if (from === undefined || from > last) {
      if (error instanceof ApiError && from === undefined) throw error;
      return undefined;
    }
    return { from: later(from, range.from), to: last };
  }
}

interface Group {
  /** The subjects by their id. */
  readonly names: Map<string, string>;
  /** Metric, then id, then the day of the range: numbers only, for a channel may have a million days of publishers. */
  readonly values: ReadonlyMap<string, Map<string, Float64Array>>;
}

interface GroupQuery {
  readonly by: By;
  readonly rules: readonly ReportRule[];
  readonly range: DateRange;
  /** The days of the range, each with its place. */
  readonly places: ReadonlyMap<string, number>;
  readonly query: FactsQuery;
  /** All publishers of the channel. */
  readonly ids: readonly string[];
}

async function readGroup(source: FactsSource, options: GroupQuery): Promise<Group> {
  const { by, rules, range } = options;
  const metrics = [...new Set(rules.flatMap(metricsOfRule))];
  const group: Group = { names: new Map(), values: new Map(metrics.map((name) => [name, new Map()])) };
  const base = { ...range, metrics, time_grain: 'day', ...(by !== 'channel' && { group_by: [by] }) };
  const parts: readonly { publisher_ids?: readonly string[] }[] =
    by === 'publisher' ? await publisherFilters(source, options) : [{}];
  if (by === 'channel') group.names.set('channel', 'The channel');
  // In this order, whichever response arrives first; and one with an open cause is judged even when it has no row left.
  for (const { publisher_ids = [] } of parts) for (const id of publisher_ids) group.names.set(id, id);
  const began = Date.now();
  let read = 0;
  await forEachOf(parts, async (filters) => {
    const { rows } = await readWholeReport({
      reader: source.reports,
      query: { ...base, ...filters },
      variant: 'channel',
      sort: '',
      signal: source.signal,
    });
    read += 1;
    const left = ((Date.now() - began) / read) * (parts.length - read);
    source.onProgress?.(`Read ${Math.floor((read / parts.length) * 100)} % of the days by ${by}${timeLeft(left)} …`);
    for (const row of rows) put(group, options, row);
  });
  return group;
}

/** Says how long reading still takes; nothing for what is over at once. */
function timeLeft(ms: number): string {
  if (ms < 10_000) return '';
  return ms < 90_000 ? `, ${Math.ceil(ms / 10_000) * 10} s left` : `, ${Math.round(ms / 60_000)} min left`;
}

function put({ names, values }: Group, { by, places }: GroupQuery, row: Row): void {
  const id = by === 'channel' ? 'channel' : String(row[by === 'publisher' ? 'publisher_id' : by] ?? '');
  if (by !== 'channel') names.set(id, by === 'publisher' ? String(row['publisher_name']) : id || '(none)');
  const place = places.get(row.period_start.slice(0, 10));
  if (place === undefined) return;
  for (const [metric, subjects] of values) {
    const days = subjects.get(id) ?? new Float64Array(places.size);
    subjects.set(id, days);
    days[place] = Number(row[metric] ?? 0);
  }
}

/** Works on some items at a time. After a failure nothing more is begun. */
async function forEachOf<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  let hasFailed = false;
  const workers = Array.from({ length: REQUESTS_AT_ONCE }, async () => {
    for (const item of rest) {
      if (hasFailed) return;
      await work(item).catch((error: unknown) => {
        hasFailed = true;
        throw error;
      });
    }
  });
  await Promise.all(workers);
}

/** The publishers that are large enough for one of the rules, and those with an open cause, as filters. */
async function publisherFilters(source: FactsSource, options: GroupQuery): Promise<{ publisher_ids: string[] }[]> {
  const least = new Map<string, number>();
  for (const rule of options.rules) {
    const metric = sizeMetricOf(rule);
    least.set(metric, Math.min(least.get(metric) ?? Infinity, leastTotalOf(rule, options)));
  }
  const found = new Set([...options.query.publishers, ...(await largePublishers(source, { ...options, least }))]);
  // One page each: a network computes the whole report for every page of it, and it could change between two pages.
  const perReport = Math.max(1, Math.min(IDS_PER_REQUEST, Math.floor(REPORT_LIMIT.channel / countDays(options.range))));
  return chunksOf([...found], perReport).map((publisher_ids) => ({ publisher_ids }));
}

/** The metric of which a rule requires a minimum. */
export function sizeMetricOf(rule: ReportRule): string {
  return rule.kind === 'range' ? (RATIOS[rule.metric]?.[1] ?? rule.metric) : rule.metric;
}

/** What a publisher has at least over all days read if a rule can judge it on one of them. */
function leastTotalOf(rule: ReportRule, { range, query }: GroupQuery): number {
  switch (rule.kind) {
    case 'range':
      return rule.minimum;
    case 'change':
      // The median of two or more days is not larger than half of their sum.
      return rule.minimum * Math.min(2, rule.weeks);
    case 'silent': {
      const before =
        query.days > 1
          ? 0
          : Math.min(USUAL_DAYS, countDays(range) - rule.days - Math.min(query.rules.holidays.size, 14));
      return rule.minimum * Math.max(SHORTEST_USUAL_DAYS, before);
    }
  }
}

/** Those with enough of one of the metrics. A channel that is too large for one report is read in parts. */
async function largePublishers(
  { reports, signal }: FactsSource,
  { range, least, ids }: GroupQuery & { readonly least: ReadonlyMap<string, number> },
): Promise<readonly string[]> {
  const found = new Set<string>();
  const base = { ...range, group_by: ['publisher'] } as const;
  try {
    for (const [metric, total] of least) {
      const name = metric as ChannelMetric;
      const query = { ...base, metrics: [name], sort_by: name, sort_direction: 'desc' } as const;
      for await (const { data } of reports.pages(query, { signal, snapshot: false })) {
        const large = data.filter((row) => (row[name] ?? 0) >= total);
        for (const row of large) found.add(row.publisher_id);
        if (large.length < data.length) break;
      }
    }
    return [...found];
  } catch (error) {
    if (!(error instanceof RowLimitError)) throw error;
  }
  const metrics = [...least.keys()] as ChannelMetric[];
  await forEachOf(chunksOf(ids, IDS_PER_REQUEST), async (publisher_ids) => {
    const { data } = await reports.report({ ...base, publisher_ids, metrics, limit: IDS_PER_REQUEST }, { signal });
    for (const row of data)
      if (metrics.some((name) => (row[name] ?? 0) >= (least.get(name) ?? 0))) found.add(row.publisher_id);
  });
  return ids.filter((id) => found.has(id));
}

/** Returns a list in parts of at most that size. */
export function chunksOf<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  );
}

function daysOf(range: DateRange): string[] {
  return [...Array(Math.max(0, countDays(range))).keys()].map((index) => addDays(range.from, index));
}

function later(one: string, other: string): string {
  return one > other ? one : other;
}
