import { REPORT_LIMIT } from '../../wire/limits.ts';
import type { Report, TimeGrain } from '../../wire/reporting.ts';
import { addDays, dateOf, periodStarts, startOf, type DateRange } from '../../wire/utcDates.ts';
import { ReportChangedError, RowLimitError } from './errors.ts';

/** What a report is read from. */
export interface ReportSource {
  /** All pages of one report. */
  walk(query: object): AsyncGenerator<Report>;
  page(query: object): Promise<Report>;
  /** The ids of the channel's publishers. */
  publishers(): Promise<readonly string[]>;
}

/** What `walkParts` reads of a query. */
export interface PartQuery {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly time_grain?: TimeGrain | undefined;
  readonly group_by?: readonly string[] | undefined;
  readonly publisher_ids?: readonly string[] | undefined;
  readonly sort_by?: string | undefined;
  readonly sort_order?: 'asc' | 'desc' | undefined;
  readonly sort_direction?: 'asc' | 'desc' | undefined;
  readonly offset?: number | undefined;
}

/** `dates` leaves nothing out. Of more than 10,000 publishers, those that were removed are missing: they are in no list. */
export type Split = 'dates' | 'publishers';

/** Publishers of one request: more ids would make a URL that proxies refuse. */
export const IDS_PER_REQUEST = 100;
/** Parts are a little smaller than they would have to be: no two days have the same number of rows. */
const SPARE = 1.1;

/**
 * Yields the pages of a report. One with more rows than the network allows is read in parts: by dates, each of whole periods, and
 * with `split: 'publishers'` a single period by publishers, if these are a breakdown. The pages of all parts have the totals of the whole report; with
 * `snapshot`, throws a `ReportChangedError` when these change meanwhile. Rows are sorted within a part; by time, as a whole.
 */
export async function* walkParts(
  source: ReportSource,
  query: PartQuery,
  { snapshot, split }: { readonly snapshot: boolean; readonly split: Split },
): AsyncGenerator<Report> {
  let refused: RowLimitError;
  let isBegun = false;
  try {
    for await (const page of source.walk(query)) {
      isBegun = true;
      yield page;
    }
    return;
  } catch (error) {
    if (isBegun || query.offset || !(error instanceof RowLimitError)) throw error;
    refused = error;
  }
  const readTotals = (): Promise<Report> => source.page({ ...totalsOf(query), limit: 1 });
  const whole = await readTotals();
  const dates = datesOf(query, whole);
  if (!dates) throw refused;
  let held: Report | undefined;
  let offset = 0;
  for await (const page of readParts(source, { ...query, ...dates }, { refused, split })) {
    if (held) yield held;
    const total = Math.max(refused.total_rows ?? 0, offset + page.data.length);
    const pagination = { ...page.pagination, offset, total, has_more: true };
    held = { ...page, summary: whole.summary, pagination };
    offset += page.data.length;
  }
  if (snapshot && JSON.stringify((await readTotals()).summary) !== JSON.stringify(whole.summary))
    throw new ReportChangedError('The report changed while its parts were read. Start again.', { status: 200 });
  if (held) yield { ...held, pagination: { ...held.pagination, total: offset, has_more: false } };
}

/** The query of one row for all: what `walkParts` takes the totals from. */
export function totalsOf(query: PartQuery): PartQuery {
  return { ...query, group_by: undefined, time_grain: 'total', sort_by: undefined, sort_direction: undefined };
}

/** The dates of a query; those that the network chose where it names none. */
function datesOf({ from, to }: PartQuery, { data: [row] }: Report): DateRange | undefined {
  if (from !== undefined && to !== undefined) return { from, to };
  return row && { from: dateOf(Date.parse(row.period_start)), to: dateOf(Date.parse(row.period_end) - 1) };
}

async function* readParts(
  source: ReportSource,
  query: PartQuery & DateRange,
  { refused, split }: { readonly refused: RowLimitError; readonly split: Split },
): AsyncGenerator<Report> {
  const parts =
    byDates(query, refused) ?? (split === 'publishers' ? await byPublishers(source, query, refused) : undefined);
  // A single period of a report without publishers, or of one publisher.
  if (!parts) throw refused;
  for (const part of parts) {
    const narrower = { ...query, ...part };
    let isBegun = false;
    try {
      for await (const page of source.walk(narrower)) {
        isBegun = true;
        yield page;
      }
    } catch (error) {
      if (isBegun || !(error instanceof RowLimitError)) throw error;
      yield* readParts(source, narrower, { refused: error, split });
    }
  }
}

/** How many parts are needed, as far as the network says. */
function countParts({ total_rows, max_rows }: RowLimitError, most: number): number {
  const needed = total_rows && max_rows ? Math.ceil((total_rows * SPARE) / max_rows) : 2;
  return Math.max(2, Math.min(needed, most));
}

function byDates(query: PartQuery & DateRange, refused: RowLimitError): DateRange[] | undefined {
  const { from, to, time_grain: grain = 'total', sort_by, sort_order, sort_direction } = query;
  const starts = periodStarts({ from, to }, grain === 'hour' ? 'day' : grain).map(dateOf);
  if (starts.length < 2) return undefined;
  const ranges = chunksOf(starts, Math.ceil(starts.length / countParts(refused, starts.length))).map(
    ([first = from], index, all) => ({
      from: first,
      to: all[index + 1]?.[0] ? addDays(all[index + 1]?.[0] ?? to, -1) : to,
    }),
  );
  const isByTime = sort_by === undefined || sort_by === 'period_start';
  return isByTime && (sort_direction ?? sort_order) !== 'asc' ? ranges.toReversed() : ranges;
}

async function byPublishers(
  source: ReportSource,
  query: PartQuery,
  refused: RowLimitError,
): Promise<{ readonly publisher_ids: readonly string[] }[] | undefined> {
  const { group_by, publisher_ids } = query;
  if (!group_by?.includes('publisher')) return undefined;
  const ids = publisher_ids ?? (await readIds(source, query));
  if (ids.length < 2) return undefined;
  const size = Math.min(IDS_PER_REQUEST, Math.ceil(ids.length / countParts(refused, ids.length)));
  return chunksOf(ids, size).map((some) => ({ publisher_ids: some }));
}

/** The publishers with activity, removed ones included; where these are too many for one report, those of the channel's list. */
async function readIds(source: ReportSource, query: PartQuery): Promise<readonly string[]> {
  const ids: string[] = [];
  try {
    for await (const { data } of source.walk({ ...totalsOf(query), group_by: ['publisher'] }))
      for (const row of data) ids.push(String(row['publisher_id']));
    return ids;
  } catch (error) {
    if (!(error instanceof RowLimitError)) throw error;
    return source.publishers();
  }
}

/** Returns a list in parts of at most that size. */
export function chunksOf<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  );
}

/** What each period of a report was when it was read, by its start. It can be stored as JSON. */
export type ReadPeriods = Readonly<Record<string, string>>;

/** Reads what each period is now, and the runs of periods that are not what they were before, in the order of the report. */
export async function findChanged(
  source: ReportSource,
  query: PartQuery,
  before: ReadPeriods,
): Promise<{
  readonly periods: ReadPeriods;
  readonly changed: readonly DateRange[];
  readonly whole: Report | undefined;
}> {
  const { time_grain: grain = 'total', from, to } = query;
  if (grain === 'total' || grain === 'hour' || from === undefined || to === undefined)
    throw new TypeError('changedSince requires from, to, and time_grain day, week or month.');
  const periods: Record<string, string> = {};
  let whole: Report | undefined;
  const plain = { ...query, group_by: undefined, sort_by: undefined, sort_direction: undefined };
  for await (const page of source.walk({ ...plain, limit: REPORT_LIMIT.channel })) {
    whole = page;
    for (const { period_start, period_end: _end, ...metrics } of page.data)
      periods[period_start] = JSON.stringify(metrics);
  }
  const starts = periodStarts({ from, to }, grain);
  const changed: DateRange[] = [];
  for (const [index, start] of starts.entries()) {
    const name = `${dateOf(start)}T00:00:00Z`;
    if (periods[name] === before[name]) continue;
    const end = addDays(dateOf(starts[index + 1] ?? startOf(addDays(to, 1))), -1);
    const last = changed.at(-1);
    if (last && addDays(last.to, 1) === dateOf(start)) changed[changed.length - 1] = { from: last.from, to: end };
    else changed.push({ from: dateOf(start), to: end });
  }
  const isAscending = (query.sort_direction ?? query.sort_order) === 'asc';
  return { periods, changed: isAscending ? changed : changed.toReversed(), whole };
}
