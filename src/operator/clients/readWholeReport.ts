import { ReportChangedError } from './errors.ts';
import type { Split } from './walkParts.ts';
import type { Row, Totals } from '../reports/comparison.ts';
import type { ComparedDates } from '../reports/reportQuery.ts';
import { isRanking, queryOfSpec, type ReportSpec } from '../reports/reportSpec.ts';

/** All rows of a report, or the first ones. */
export interface WholeReport {
  /** In order; those that only the compared dates have are among them. */
  readonly rows: readonly Row[];
  /** The same rows, those that only the compared dates have after each page. */
  readonly asRead: readonly Row[];
  readonly totals: Totals;
  /** The metrics, in order. */
  readonly metrics: readonly string[];
  /** The columns of the rows as CSV. */
  readonly columns: readonly string[];
  /** The dates it is compared with. */
  readonly compared: ComparedDates | undefined;
  /** Rows of the network's report. */
  readonly total: number;
  readonly meta: { readonly timezone: string; readonly data_through: string | null; readonly request_id: string };
}

/** How `readWholeReport` reads. */
export interface WholeReportOptions {
  /** Reads no more pages than these rows need, where the network sorts. */
  readonly first?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Reads a report with more rows than the network allows in parts. */
  readonly split?: Split | undefined;
  onProgress?(read: number, total: number): void;
  /** Called when the report changes with every read: a row may be missing or duplicated. */
  onUnsteady?(): void;
}

/** The common part of the two report clients. */
export interface ReportReader {
  pages(
    query: never,
    options: { snapshot: boolean; split: Split | false; signal: AbortSignal | undefined },
  ): AsyncIterable<object>;
}

/** What is read of a page, with or without a comparison. */
interface Page {
  readonly data: readonly Row[];
  readonly missingRows?: readonly Row[];
  readonly summary: object;
  readonly totals: Totals;
  readonly columns: readonly string[];
  readonly compared?: ComparedDates;
  readonly pagination: { readonly total: number };
  readonly meta: WholeReport['meta'];
}

/** Times a report is read again when it changes meanwhile; after that, it is read as it comes. */
const REPEATS = 2;
/** Rows of the largest page that both variants allow. */
const PAGE_ROWS = 250;

/** Reads all pages of a report and sorts what the network does not. */
export async function readWholeReport(
  reader: ReportReader,
  spec: ReportSpec,
  options: WholeReportOptions = {},
): Promise<WholeReport> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await readPages(reader, spec, { ...options, snapshot: attempt < REPEATS });
    } catch (error) {
      if (!(error instanceof ReportChangedError) || attempt >= REPEATS) throw error;
      if (attempt === REPEATS - 1) options.onUnsteady?.();
    }
  }
}

async function readPages(
  reader: ReportReader,
  spec: ReportSpec,
  options: WholeReportOptions & { readonly snapshot: boolean },
): Promise<WholeReport> {
  const { first = Infinity, signal, snapshot, split = false, onProgress } = options;
  const { sort } = spec;
  const isSorted = isSortedByNetwork(spec);
  const enough = isSorted ? first : Infinity;
  const whole = {
    ...queryOfSpec(spec),
    ...(isSorted &&
      sort !== '' && { sort_by: sort.replace(/^-/, ''), sort_direction: sort.startsWith('-') ? 'desc' : 'asc' }),
    ...(enough < PAGE_ROWS && { limit: enough }),
  };
  const rows: Row[] = [];
  let last: Page | undefined;
  for await (const read of reader.pages(whole as never, { snapshot, split, signal })) {
    last = read as Page;
    rows.push(...last.data, ...(last.missingRows ?? []));
    onProgress?.(rows.length, last.pagination.total);
    if (rows.length >= enough) break;
  }
  if (!last) throw new Error('The network returned no page.');
  const metrics = Object.keys(last.summary);
  const order = sort === '' && isRanking(spec) ? `-${metrics[0]}` : sort;
  return {
    rows: isSorted ? rows : sortRows(rows, order),
    asRead: rows,
    totals: last.totals,
    metrics,
    columns: last.columns,
    compared: last.compared,
    total: Math.max(last.pagination.total, rows.length),
    meta: last.meta,
  };
}

/** Whether the network sorts this report. It sorts neither a publisher's report by metrics nor what only the clients compare. */
export function isSortedByNetwork(spec: ReportSpec): boolean {
  return spec.compare === undefined && (spec.sort === '' ? !isRanking(spec) : spec.variant === 'channel');
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
