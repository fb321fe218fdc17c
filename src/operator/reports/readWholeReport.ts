import { ReportChangedError } from '../clients/errors.ts';
import type { DateRange } from '../../wire/utcDates.ts';
import type { Row, Totals } from './comparison.ts';

/** All rows of a report, or the first ones. */
export interface WholeReport {
  /** In order; those that only the compared dates have are among them. */
  readonly rows: readonly Row[];
  /** The same rows, those that only the compared dates have after each page. */
  readonly asRead: readonly Row[];
  readonly totals: Totals;
  /** The metrics, in order. */
  readonly metrics: readonly string[];
  /** The dates it is compared with. */
  readonly compared: DateRange | undefined;
  /** Rows of the network's report. */
  readonly total: number;
  readonly meta: { readonly timezone: string; readonly data_through: string | null; readonly request_id: string };
}

/** What `readWholeReport` reads. */
export interface WholeReportOptions extends SortedReport {
  readonly reader: ReportReader;
  /** The query with the API's names, without order and `compare`. */
  readonly query: object;
  /** Reads no more pages than these rows need, where the network sorts. */
  readonly first?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  onProgress?(read: number, total: number): void;
  /** Called when the report never stands still: a row may be missing or twice. */
  onUnsteady?(): void;
}

/** The common part of the two report clients. */
export interface ReportReader {
  pages(query: never, options: { snapshot: boolean; signal: AbortSignal | undefined }): AsyncIterable<object>;
}
interface Page {
  readonly data: readonly Row[];
  readonly missingRows?: readonly Row[];
  readonly summary: object;
  readonly totals: Totals;
  readonly compared?: DateRange;
  readonly pagination: { readonly total: number };
  readonly meta: WholeReport['meta'];
}

/** Times a report is read again when it changes meanwhile; after that, it is read as it comes. */
const REPEATS = 2;
/** Rows of the largest page that both variants allow. */
const PAGE_ROWS = 250;

/** Reads all pages of a report and sorts what the network does not. */
export async function readWholeReport(options: WholeReportOptions): Promise<WholeReport> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await readPages(options, attempt < REPEATS);
    } catch (error) {
      if (!(error instanceof ReportChangedError) || attempt >= REPEATS) throw error;
      if (attempt === REPEATS - 1) options.onUnsteady?.();
    }
  }
}

async function readPages(options: WholeReportOptions, snapshot: boolean): Promise<WholeReport> {
  const { reader, query, compare, sort, isRanking, first = Infinity, signal, onProgress } = options;
  const isSorted = isSortedByNetwork(options);
  const enough = isSorted ? first : Infinity;
  const whole = {
    ...query,
    ...sortParams(options),
    compare,
    ...(enough < PAGE_ROWS && { limit: enough }),
  };
  const rows: Row[] = [];
  let last: Page | undefined;
  for await (const read of reader.pages(whole as never, { snapshot, signal })) {
    last = read as Page;
    rows.push(...last.data, ...(last.missingRows ?? []));
    onProgress?.(rows.length, last.pagination.total);
    if (rows.length >= enough) break;
  }
  if (!last) throw new Error('The network returned no page.');
  const metrics = Object.keys(last.summary);
  const [main] = metrics;
  const order = sort === '' && isRanking && main !== undefined ? `-${main}` : sort;
  return {
    rows: isSorted ? rows : sortRows(rows, order),
    asRead: rows,
    totals: last.totals,
    metrics,
    compared: last.compared,
    total: Math.max(last.pagination.total, rows.length),
    meta: last.meta,
  };
}

/** Which report is sorted, and how. */
interface SortedReport {
  readonly variant: 'channel' | 'publisher';
  /** A column or `METRIC_change`, with `-` before it for the highest first; empty for the latest period first. */
  readonly sort: string;
  readonly compare?: 'previous' | 'year' | undefined;
  /** A breakdown without periods: unsorted, it begins with the highest of its first metric. */
  readonly isRanking?: boolean | undefined;
}

/** Whether the network sorts this report. It sorts neither a publisher's report by metrics nor what only the clients compare. */
export function isSortedByNetwork({ variant, sort, compare, isRanking = false }: SortedReport): boolean {
  return compare === undefined && (sort === '' ? !isRanking : variant === 'channel');
}

/** The parameters that have the network sort. */
function sortParams(report: SortedReport): { sort_by?: string; sort_direction?: 'asc' | 'desc' } {
  const { sort } = report;
  if (sort === '' || !isSortedByNetwork(report)) return {};
  return { sort_by: sort.replace(/^-/, ''), sort_direction: sort.startsWith('-') ? 'desc' : 'asc' };
}

/** Sorts rows that the network did not sort, as it does: empty cells last in both directions, equal rows in their order. */
export function sortRows<R extends Row>(rows: readonly R[], sort: string): readonly R[] {
  const column = sort.replace(/^-/, '') || 'period_start';
  const sign = sort === '' || sort.startsWith('-') ? -1 : 1;
  return rows
    .map((row) => ({ row, key: keyOf(row, column) }))
    .toSorted(({ key: a }, { key: b }) => {
      if (a === b) return 0;
      if (a === null) return 1;
      if (b === null) return -1;
      return a < b ? -sign : sign;
    })
    .map(({ row }) => row);
}

function keyOf(row: Row, column: string): string | number | null {
  if (!column.endsWith('_change')) return row[column] ?? null;
  return row.change?.[column.slice(0, -'_change'.length)]?.difference ?? null;
}
