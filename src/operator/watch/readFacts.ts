import { isDeepStrictEqual } from 'node:util';
import { datesOfRule, metricsOfRule, reachOf, windowsOf, type Facts } from './judge.ts';
import { RATIOS } from '../reports/sumHours.ts';
import { SUBJECTS, type By, type ReportRule, type Rules } from './rules.ts';
import type { ChannelClient } from '../clients/ChannelClient.ts';
import { DateRangeError, ReportingUnavailableError, RowLimitError, ValidationError } from '../clients/errors.ts';
import { chunksOf, IDS_PER_REQUEST } from '../clients/walkParts.ts';
import { type ReportingClient } from '../clients/ReportingClient.ts';
import { readWholeReport } from '../clients/readWholeReport.ts';
import { forEach } from '../clients/forEach.ts';
import { EVERYTHING, NO_FILTERS, type ReportSpec } from '../reports/reportSpec.ts';
import type { ChannelMetric } from '../../wire/reporting.ts';
import { REPORT_LIMIT } from '../../wire/limits.ts';
import { addDays, countDays, DAY_MS, dateOf, HOUR_MS, type DateRange } from '../../wire/utcDates.ts';

/** What `readFacts` reads from. */
export interface FactsSource {
  readonly reports: ReportingClient<'channel'>;
  readonly channel: ChannelClient;
  readonly signal?: AbortSignal | undefined;
  /** What was read before: days that have not changed since are not read again. */
  readonly memory?: WatchMemory | undefined;
  onProgress?(text: string): void;
}

/** Keeps what `readFacts` read last. Begins empty. */
export interface WatchMemory {
  read?: {
    readonly rules: readonly ReportRule[];
    readonly channel: Group;
    readonly publishers: Group;
    /** The publishers whose days were read. */
    readonly ids: readonly string[];
  };
}

/** What is read. */
export interface FactsQuery {
  readonly rules: Rules;
  /** The number of complete days that are judged, the last one included. */
  readonly days: number;
  /** Publishers with an open cause: they are read however small they have become. Removed ones have no other name. */
  readonly publishers: readonly Named[];
}

interface Named {
  readonly id: string;
  readonly name: string;
}

/** Facts, and which days they can judge. */
export interface ReadFacts {
  readonly facts: Facts;
  /** The complete days to judge, the earliest first; none when there is no data. */
  readonly days: readonly string[];
  /** Rules that cannot be judged, and why. */
  readonly skipped: readonly { readonly rule: string; readonly why: string }[];
}

/** The fewest days from which silence knows what is usual. */
const SHORTEST_USUAL_DAYS = 7;

/** Reads everything that rules need, in few requests. */
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
  const channel = last === undefined ? undefined : await readChannel(source, { ...query, last, onReports });
  const groups = new Map<By, Group>();
  if (channel)
    for (const by of SUBJECTS) {
      const its = onReports.filter((rule) => rule.by === by);
      if (by === 'channel') groups.set(by, channel);
      else if (its.length > 0 && by === 'publisher' && list)
        groups.set(by, await readPublisherGroup(source, { ...query, its, channel, list }));
      else if (its.length > 0) {
        const group = createGroup(by, channel.range, its);
        await readDays(source, group, { period: channel.range });
        groups.set(by, group);
      }
    }
  const days = [...(channel?.places.keys() ?? [])];
  return {
    skipped,
    days: days.slice(-query.days),
    facts: {
      from: channel?.range.from ?? '9',
      dataEnd: end.dataEnd,
      subjects: (by) => groups.get(by)?.names ?? new Map(),
      value: (by, id, metric, date) => valueIn(groups.get(by), id, metric, date),
      sum: (by, id, metric, dates) => {
        const windows = groups.get(by)?.windows;
        return windows && (windows.get(dates.join())?.get(id)?.[metric] ?? 0);
      },
      requests: list?.requests ?? [],
      removed: new Set(
        list ? [...(groups.get('publisher')?.names.keys() ?? [])].filter((id) => !list.approved.has(id)) : [],
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
    return toDataEnd(meta.data_through, { length: HOUR_MS, summary });
  } catch (error) {
    if (error instanceof ReportingUnavailableError) return toDataEnd(null, { length: 0, summary: undefined });
    // A network may keep no hours, or allow few rows.
    const isOther = [DateRangeError, ValidationError, RowLimitError].every((kind) => !(error instanceof kind));
    if (isOther) throw error;
    const { meta, summary } = await reports.report({ limit: 1 }, { signal });
    return toDataEnd(meta.data_through, { length: DAY_MS, summary });
  }
}

function toDataEnd(
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
  /** Names by id. */
  readonly approved: ReadonlyMap<string, string>;
  readonly requests: Facts['requests'];
}

/** Reads the whole list of publishers. */
export async function readPublishers({ channel, signal, onProgress }: FactsSource): Promise<Listed> {
  const approved = new Map<string, string>();
  const requests: Facts['requests'][number][] = [];
  for await (const publisher of channel.allPublishers({}, { signal })) {
    const { publisher_remote_id: id, pending_publisher_id, brand_name: name, status, created_at } = publisher;
    if (id !== null && status === 'APPROVED') approved.set(id, name);
    else if (pending_publisher_id !== null)
      requests.push({ id: pending_publisher_id, name, status, at: Date.parse(created_at) });
    onProgress?.(`Read ${(approved.size + requests.length).toLocaleString('en')} publishers …`);
  }
  return { approved, requests };
}

/** What was read by one breakdown. */
interface Group {
  readonly by: By;
  readonly range: DateRange;
  /** The days of the range, each with its place. */
  readonly places: ReadonlyMap<string, number>;
  /** The subjects by their id. */
  readonly names: Map<string, string>;
  /** Metric, then id, then the day of the range: numbers only, for a channel may have a million days of publishers. */
  readonly values: ReadonlyMap<string, Map<string, Float64Array>>;
  /** Joined dates, then id, then metric: read as one where only one day is judged. */
  readonly windows?: Windows;
}
type Windows = ReadonlyMap<string, ReadonlyMap<string, Record<string, number>>>;

function createGroup(by: By, range: DateRange, rules: readonly ReportRule[]): Group {
  const places = new Map(Array.from({ length: countDays(range) }, (_, place) => [addDays(range.from, place), place]));
  const metrics = new Set(rules.flatMap(metricsOfRule));
  return { by, range, places, names: new Map(), values: new Map([...metrics].map((name) => [name, new Map()])) };
}

function valueIn(group: Group | undefined, id: string, metric: string, date: string): number {
  return group?.values.get(metric)?.get(id)?.[group.places.get(date) ?? -1] ?? 0;
}

function put({ places, values }: Group, row: { id: string; date: string; value(metric: string): number }): void {
  const place = places.get(row.date);
  if (place === undefined) return;
  for (const [metric, subjects] of values) {
    const days = subjects.get(row.id) ?? new Float64Array(places.size);
    subjects.set(row.id, days);
    days[place] = row.value(metric);
  }
}

/** Reads some days of a breakdown, of some publishers or of all. */
async function readDays(
  { reports, signal }: FactsSource,
  group: Group,
  { period, publisher = [] }: { readonly period: DateRange; readonly publisher?: readonly string[] },
): Promise<void> {
  const { by, names, values } = group;
  const spec: ReportSpec = {
    ...EVERYTHING,
    period,
    grain: 'day',
    by: by === 'channel' ? [] : [by],
    metrics: [...values.keys()],
    filters: { ...NO_FILTERS, publisher },
  };
  const { rows } = await readWholeReport(reports, spec, { signal });
  for (const row of rows) {
    const id = by === 'channel' ? by : String(row[by === 'publisher' ? 'publisher_id' : by] ?? '');
    if (by !== 'channel') names.set(id, by === 'publisher' ? String(row['publisher_name']) : id || '(none)');
    put(group, { id, date: row.period_start.slice(0, 10), value: (metric) => Number(row[metric] ?? 0) });
  }
}

/** Reads the days of the channel as a whole, cut to its history. */
async function readChannel(
  source: FactsSource,
  { rules, days, last, onReports }: FactsQuery & { readonly last: string; readonly onReports: readonly ReportRule[] },
): Promise<Group | undefined> {
  if (onReports.length === 0) return undefined;
  const reach = Math.max(...onReports.map(reachOf)) + Math.min(rules.holidays.size, 14);
  const wanted = addDays(last, 1 - days - reach);
  async function read(from: string): Promise<Group> {
    const group = createGroup('channel', { from, to: last }, onReports);
    group.names.set('channel', 'The channel');
    await readDays(source, group, { period: group.range });
    return group;
  }
  try {
    return await read(wanted);
  } catch (error) {
    const first = error instanceof DateRangeError ? error.available_window?.from : undefined;
    if (first === undefined) throw error;
    return first > last ? undefined : read(first > wanted ? first : wanted);
  }
}

interface PublishersQuery {
  readonly rules: readonly ReportRule[];
  readonly channel: Group;
  readonly list: Listed;
  /** Publishers with an open cause. */
  readonly open: readonly Named[];
}

/** One day is judged by a few sums, of which the network needs one row for each publisher; many days by all of their days. */
async function readPublisherGroup(
  source: FactsSource,
  {
    its: rules,
    days,
    rules: { holidays },
    publishers: open,
    channel,
    list,
  }: FactsQuery & { readonly its: readonly ReportRule[]; readonly channel: Group; readonly list: Listed },
): Promise<Group> {
  if (days > 1 || source.memory) return readByPublisher(source, { rules, channel, list, open });
  const names = new Map([...open.map(({ id, name }) => [id, name] as const), ...list.approved]);
  const wanted = new Map<string, { readonly dates: readonly string[]; readonly metrics: Set<string> }>();
  for (const rule of rules) {
    const { from, to: day } = channel.range;
    const dates = datesOfRule(rule, { day, from, holidays });
    for (const window of dates ? windowsOf(rule, dates) : []) {
      const one = wanted.get(window.join()) ?? { dates: window, metrics: new Set() };
      wanted.set(window.join(), one);
      for (const metric of metricsOfRule(rule)) one.metrics.add(metric);
    }
  }
  const windows = new Map<string, Map<string, Record<string, number>>>();
  let done = 0;
  await forEach([...wanted], async ([key, { dates, metrics }]) => {
    const sums = new Map<string, Record<string, number>>();
    windows.set(key, sums);
    for (const period of runsOf(dates)) {
      const spec = { ...EVERYTHING, period, by: ['publisher'], metrics: [...metrics] };
      const { rows } = await readWholeReport(source.reports, spec, { signal: source.signal, split: 'publishers' });
      for (const row of rows) {
        const sum = sums.get(String(row['publisher_id'])) ?? {};
        sums.set(String(row['publisher_id']), sum);
        for (const metric of metrics) sum[metric] = (sum[metric] ?? 0) + Number(row[metric] ?? 0);
      }
    }
    done += 1;
    source.onProgress?.(`Read ${done} of ${wanted.size} sums by publisher …`);
  });
  return { ...createGroup('publisher', channel.range, rules), names, windows };
}

/** The ranges of consecutive dates in a list, whatever its order. */
function runsOf(dates: readonly string[]): readonly DateRange[] {
  const runs: { from: string; to: string }[] = [];
  for (const date of dates.toSorted()) {
    const last = runs.at(-1);
    if (last && addDays(last.to, 1) === date) last.to = date;
    else runs.push({ from: date, to: date });
  }
  return runs;
}

/** Reads the days of publishers. A day on which the channel as a whole is what it was is not read again. */
async function readByPublisher(source: FactsSource, query: PublishersQuery): Promise<Group> {
  const { rules, channel, list, open } = query;
  const read = source.memory?.read;
  const before = read && isDeepStrictEqual(read.rules, rules) ? read : undefined;
  const group = createGroup('publisher', channel.range, rules);
  const metrics = [...group.values.keys()];
  for (const { id, name } of open) group.names.set(id, name);
  for (const [id, name] of list.approved) group.names.set(id, name);
  const total = (of: Group | undefined, day: string): string =>
    metrics.map((metric) => valueIn(of, 'channel', metric, day)).join();
  const isChanged = (day: string): boolean =>
    before?.channel.places.has(day) !== true || total(before.channel, day) !== total(channel, day);
  const changed = [...group.places.keys()].filter(isChanged);
  const [from, to] = [changed[0], changed.at(-1)];
  const stale = from === undefined || to === undefined ? undefined : { from, to };
  const known = before?.ids.filter((id) => group.names.has(id)) ?? [];
  for (const date of group.places.keys())
    if (!stale || date < stale.from || date > stale.to)
      for (const id of known)
        put(group, { id, date, value: (metric) => valueIn(before?.publishers, id, metric, date) });
  const ids = new Set([...known, ...open.map(({ id }) => id), ...(stale ? await largePublishers(source, query) : [])]);
  for (const id of known) ids.delete(id);
  const parts = [...(stale ? split(stale, known) : []), ...split(channel.range, [...ids])];
  let done = 0;
  await forEach(parts, async (part) => {
    await readDays(source, group, part);
    done += 1;
    source.onProgress?.(`Read ${Math.floor((done / parts.length) * 100)} % of the days by publisher …`);
  });
  if (source.memory) source.memory.read = { rules, channel, publishers: group, ids: [...known, ...ids] };
  return group;
}

/** One page each: a network computes the whole report for every page of it, and it could change between two pages. */
function split(period: DateRange, ids: readonly string[]): readonly { period: DateRange; publisher: string[] }[] {
  const perReport = Math.max(1, Math.min(IDS_PER_REQUEST, Math.floor(REPORT_LIMIT.channel / countDays(period))));
  return chunksOf(ids, perReport).map((publisher) => ({ period, publisher }));
}

/** The metric of which a rule requires a minimum. */
function sizeMetricOf(rule: ReportRule): string {
  return rule.kind === 'range' ? (RATIOS[rule.metric]?.[1] ?? rule.metric) : rule.metric;
}

/** Those that are large enough for one of the rules on one of the days. */
async function largePublishers(
  source: FactsSource,
  { rules, channel: { range }, list }: PublishersQuery,
): Promise<readonly string[]> {
  const metrics = [...new Set(rules.map(sizeMetricOf))] as ChannelMetric[];
  const leastOf = ({ kind, minimum }: ReportRule): number =>
    kind === 'silent' ? minimum * SHORTEST_USUAL_DAYS : minimum;
  const large = new Set<string>();
  await forEach(chunksOf([...list.approved.keys()], IDS_PER_REQUEST), async (publisher_ids) => {
    const query = { ...range, group_by: ['publisher'], publisher_ids, metrics, limit: IDS_PER_REQUEST } as const;
    const { data } = await source.reports.report(query, { signal: source.signal });
    for (const row of data)
      if (rules.some((rule) => (row[sizeMetricOf(rule) as ChannelMetric] ?? 0) >= leastOf(rule)))
        large.add(row.publisher_id);
  });
  return [...list.approved.keys()].filter((id) => large.has(id));
}
