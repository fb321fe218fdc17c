import { flattenRow, period, ReportChangedError, type DateRange } from '../../../clients.ts';
import type { Connection } from '../connection.ts';
import type { Progress } from '../../../cli/output/progress.ts';
import { findPublisherId } from '../findPublisherId.ts';
import type { Wanted } from './readQuery.ts';

/** A row with plain cells: a comparison is columns beside each metric, such as `clicks_before`. */
export type FlatRow = Readonly<Record<string, unknown>>;

/** A whole report. */
export interface WholeReport {
  /** The rows as the clients return them, in order. */
  readonly rows: readonly object[];
  readonly flat: readonly FlatRow[];
  /** The rows without `--limit`, for a chart: a period that was not printed is not zero. */
  readonly drawn: readonly FlatRow[];
  readonly totals: FlatRow;
  readonly summary: object;
  /** Rows before `--limit`. */
  readonly total: number;
  readonly dates: DateRange | undefined;
  readonly compared: DateRange | undefined;
  readonly meta: { readonly timezone: string; readonly data_through: string | null; readonly request_id: string };
}

/** What `readWholeReport` needs. */
export interface ReadOptions {
  readonly connection: Connection;
  readonly wanted: Wanted;
  /** Whether the dates must be known, for a chart. */
  readonly needsDates: boolean;
  readonly progress: Progress;
  note(line: string): void;
}

/** The common part of the two report clients. */
interface Reader {
  pages(query: object, options: { snapshot: boolean }): AsyncIterable<ReportPage>;
  report(query: object): Promise<ReportPage>;
}
interface ReportPage {
  readonly data: readonly object[];
  readonly gone?: readonly object[];
  readonly summary: object;
  readonly totals: object;
  readonly compared?: DateRange;
  readonly pagination: { readonly total: number };
  readonly meta: WholeReport['meta'];
}

/** Times a report is read again when it changes meanwhile; after that, it is read as it comes. */
const REPEATS = 2;

/** Reads all rows of a report. */
export async function readWholeReport(options: ReadOptions): Promise<WholeReport> {
  const { connection, wanted, needsDates, note } = options;
  const reader: Reader = wanted.variant === 'channel' ? connection.channelReport() : connection.publisherReport();
  const publisher_ids = await publisherIds(connection, wanted.filters.publisher);
  const filters = {
    publisher_ids,
    page_types: listed(wanted.filters.page_type),
    widget_types: listed(wanted.filters.widget_type),
  };
  const dates =
    wanted.dates ?? (needsDates || wanted.compare ? await defaultDates(reader, { ...filters, ...wanted }) : undefined);
  const query = {
    ...filters,
    ...dates,
    time_grain: wanted.grain,
    group_by: listed(wanted.by),
    metrics: wanted.metrics,
    compare: wanted.compare,
    ...serverSort(wanted),
  };
  for (let attempt = 0; ; attempt++) {
    try {
      const report = await readPages({ ...options, reader, query, snapshot: attempt < REPEATS });
      return { ...report, dates };
    } catch (error) {
      if (!(error instanceof ReportChangedError) || attempt >= REPEATS) throw error;
      if (attempt === REPEATS - 1) note('The report changes while it is read; a row may be missing or twice.');
    }
  }
}

/** Returns the ids of publishers that are given by id or by name; undefined without any. */
async function publisherIds(connection: Connection, given: readonly string[]): Promise<readonly string[] | undefined> {
  if (given.length === 0) return undefined;
  const ids: string[] = [];
  for (const text of given)
    ids.push(await findPublisherId(connection.channel(), { text, option: '--filter publisher' }));
  return ids;
}

async function readPages({
  reader,
  query,
  wanted,
  snapshot,
  progress,
  needsDates,
}: ReadOptions & { reader: Reader; query: object; snapshot: boolean }): Promise<Omit<WholeReport, 'dates'>> {
  const rows: object[] = [];
  let last: ReportPage | undefined;
  const isSorted = isServerSorted(wanted);
  const mayStop = isSorted && !needsDates;
  const limit = mayStop && wanted.limit !== undefined && wanted.limit < 250 ? { limit: wanted.limit } : {};
  for await (const page of reader.pages({ ...query, ...limit }, { snapshot })) {
    rows.push(...page.data, ...(page.gone ?? []));
    last = page;
    progress.step(`Read ${rows.length.toLocaleString('en')} of ${page.pagination.total.toLocaleString('en')} rows …`);
    if (mayStop && wanted.limit !== undefined && rows.length >= wanted.limit) break;
  }
  if (!last) throw new Error('The network returned no page.');
  const sorted = isSorted ? rows : sortRows(rows, wanted);
  const kept = sorted.slice(0, wanted.limit);
  return {
    rows: kept,
    flat: kept.map(flattenRow),
    drawn: sorted.map(flattenRow),
    totals: flattenRow(last.totals),
    summary: last.summary,
    total: Math.max(last.pagination.total, sorted.length),
    compared: last.compared,
    meta: last.meta,
  };
}

/** The network sorts before it pages, so the first rows need no further page. Other sorts read everything. */
function isServerSorted({ variant, compare, sort, grain, by }: Wanted): boolean {
  const isDefault = sort === undefined && !(grain === 'total' && by.length > 0);
  return compare === undefined && (isDefault || (variant === 'channel' && sort !== undefined));
}

function serverSort(wanted: Wanted): object {
  const { sort, variant } = wanted;
  if (!sort || variant !== 'channel' || wanted.compare !== undefined) return {};
  return { sort_by: sort.column, sort_direction: sort.isDescending ? 'desc' : 'asc' };
}

/** Sorts here what the network cannot sort. A breakdown without dates has its largest rows first. */
function sortRows(rows: readonly object[], { sort, grain, by, metrics }: Wanted): readonly object[] {
  const first = metrics?.[0] ?? Object.keys(rows[0] ?? {}).find((name) => typeof valueOf(rows[0], name) === 'number');
  const isBreakdown = grain === 'total' && by.length > 0;
  // Rows that are gone came last; they belong to their periods.
  const usual = isBreakdown && first !== undefined ? first : 'period_start';
  const order = sort ?? { column: usual, isDescending: true };
  const sign = order.isDescending ? -1 : 1;
  const keyed = rows.map((row) => ({ row, key: sortKey(row, order.column) }));
  return keyed
    .toSorted(({ key: a }, { key: b }) => {
      if (a === b) return 0;
      // Empty cells are last in both directions, as the network sorts them.
      if (a === null || a === undefined) return 1;
      if (b === null || b === undefined) return -1;
      return a < b ? -sign : sign;
    })
    .map(({ row }) => row);
}

function sortKey(row: object, column: string): string | number | null | undefined {
  if (!column.endsWith('_change')) return valueOf(row, column);
  const change: unknown = (row as { change?: unknown }).change;
  const metric = (change as Readonly<Record<string, { difference?: number }>> | undefined)?.[
    column.slice(0, -'_change'.length)
  ];
  return metric?.difference;
}

function valueOf(row: object | undefined, name: string): string | number | null | undefined {
  return (row as Readonly<Record<string, string | number | null>> | undefined)?.[name];
}

/** The dates that the network uses when a report names none: those of a total row. */
async function defaultDates(reader: Reader, { grain }: Wanted): Promise<DateRange> {
  const { data } = await reader.report({ limit: 1, time_grain: grain === 'hour' ? 'hour' : 'total' });
  const row = flattenRow(data[0] ?? {});
  const [start, end] = [row['period_start'], row['period_end']];
  if (typeof start !== 'string' || typeof end !== 'string') return period('last_7_days');
  const to = new Date(Date.parse(end) - 1).toISOString().slice(0, 10);
  return { from: grain === 'hour' ? to : start.slice(0, 10), to };
}

function listed(names: readonly string[]): readonly string[] | undefined {
  return names.length === 0 ? undefined : names;
}
