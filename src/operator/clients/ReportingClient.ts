import { REPORT_LIMIT } from '../../wire/limits.ts';
import {
  readReport,
  CHANNEL_REPORT_PATH,
  PUBLISHER_REPORT_PATH,
  type Report,
  type ReportRow,
} from '../../wire/reporting.ts';
import { addDays, HOUR_MS, startOf } from '../../wire/utcDates.ts';
import { compareTotals, createComparer, type Row, type RowComparer, type Totals } from '../reports/comparison.ts';
import type { ComparedPeriods } from '../reports/period.ts';
import { addHours, endsToday, hoursUntil, withParts } from '../reports/sumHours.ts';
import {
  comparisonOf,
  reportParams,
  type ComparedDates,
  type ReportQuery,
  type ReportVariant,
  type ReportOf,
  type Sound,
} from '../reports/reportQuery.ts';
import { isRanking, queryOfSpec, type ReportSpec } from '../reports/reportSpec.ts';
import { connect, type CallOptions, type ClientOptions } from '../../http/connect.ts';
import type { ErrorKind } from '../../http/apiErrors.ts';
import { ApiError, OPERATOR, ReportChangedError } from './errors.ts';

/** The options of a `ReportingClient`. */
export interface ReportingClientOptions<V extends ReportVariant> extends ClientOptions {
  /** `channel` for a management key, `publisher` for a publisher reporting key. */
  readonly variant: V;
}

/** Options for reading all pages of a report. */
export interface WalkOptions extends CallOptions {
  /** Throws a ReportChangedError when total or summary change between pages; true by default. */
  readonly snapshot?: boolean | undefined;
}

/** Client of the Reporting API V2: a channel's report on all its publishers, or one publisher's own report. */
export class ReportingClient<V extends ReportVariant> {
  readonly #call: ReturnType<typeof connect>;
  readonly #variant: ReportVariant;
  readonly #path: string;
  readonly #pageLimit: number;

  constructor(options: ReportingClientOptions<V>) {
    const variant: ReportVariant = options.variant;
    if (variant !== 'channel' && variant !== 'publisher')
      throw new TypeError("variant must be 'channel' or 'publisher'.");
    this.#variant = variant;
    const isChannel = variant === 'channel';
    this.#call = connect(isChannel ? options : { ...options, networkUrl: withApi(options.networkUrl) }, OPERATOR);
    this.#path = isChannel ? CHANNEL_REPORT_PATH : PUBLISHER_REPORT_PATH;
    this.#pageLimit = REPORT_LIMIT[variant];
  }

  /** Returns one page of a report: 50 rows by default. With `compare`, each row has its counterpart and the change. */
  async report<const Q extends ReportQuery<V> = ReportQuery<V>>(
    query: Q & Sound<V, Q> = {} as Q & Sound<V, Q>,
    { signal, timeout }: CallOptions = {},
  ): Promise<ReportOf<V, Q>> {
    const comparison = comparisonOf(query);
    const page = await this.#page(query, { signal, timeout });
    const comparer = comparison && (await this.#comparer(query, comparison, { signal, timeout }));
    return typed<V, Q>({ page, comparer, isWhole: page.pagination.offset === 0 });
  }

  /** Iterates over the pages of a report, by default with the largest page the network allows. */
  async *pages<const Q extends ReportQuery<V> = ReportQuery<V>>(
    query: Q & Sound<V, Q> = {} as Q & Sound<V, Q>,
    { snapshot = true, signal, timeout }: WalkOptions = {},
  ): AsyncGenerator<ReportOf<V, Q>> {
    const comparison = comparisonOf(query);
    let comparer: ReportComparer | undefined;
    for await (const page of this.#walk(query, { snapshot, signal, timeout })) {
      if (comparison) comparer ??= await this.#comparer(query, comparison, { signal, timeout });
      yield typed<V, Q>({ page, comparer, isWhole: (query.offset ?? 0) === 0 });
    }
  }

  /** Iterates over all rows of a report; with `compare`, missing rows come last. */
  async *rows<const Q extends ReportQuery<V> = ReportQuery<V>>(
    query: Q & Sound<V, Q> = {} as Q & Sound<V, Q>,
    options: WalkOptions = {},
  ): AsyncGenerator<ReportOf<V, Q>['data'][number]> {
    for await (const page of this.pages(query, options)) {
      yield* page.data;
      if ('missingRows' in page) yield* page.missingRows as ReportOf<V, Q>['data'];
    }
  }

  async #page(query: object, options: CallOptions): Promise<Report> {
    const call = { ...options, method: 'GET', path: this.#path, query: reportParams(query) } as const;
    const { json, unexpected } = await this.#call(call);
    const report = readReport(json);
    if (!report) throw unexpected('a report');
    return report;
  }

  async *#walk(query: ReportQuery<V>, { snapshot, ...options }: WalkOptions): AsyncGenerator<Report> {
    let offset = query.offset ?? 0;
    let first: Report | undefined;
    for (;;) {
      const page = await this.#page({ ...query, limit: query.limit ?? this.#pageLimit, offset }, options);
      if (snapshot && first && digest(page) !== digest(first)) throw changed(page);
      first ??= page;
      yield page;
      offset += page.data.length;
      if (!page.pagination.has_more) return;
      // The page is empty although more was promised: going on would repeat the same request forever.
      if (page.data.length === 0) throw changed(page);
    }
  }

  /** Reads the whole report on the dates to compare with. */
  async #comparer(query: ReportQuery<V>, periods: ComparedPeriods, options: CallOptions): Promise<ReportComparer> {
    const { compared } = periods;
    const whole = { ...query, ...compared, offset: 0, limit: undefined };
    const soFar = endsToday(periods) ? await this.#soFar(whole, periods, options) : undefined;
    const { rows, summary } = soFar ?? (await this.#all(whole, options));
    return {
      rows: createComparer(rows, periods),
      summary,
      dates: soFar ? { ...compared, hours: soFar.hours } : compared,
    };
  }

  /** Reads the dates to compare with up to the hour that today has come to; undefined when the network has no such hours. */
  async #soFar(
    query: ReportQuery<V>,
    periods: ComparedPeriods,
    options: CallOptions,
  ): Promise<(Rows & { readonly hours: number }) | undefined> {
    const { dates, compared } = periods;
    const metrics = query.metrics && withParts(query.metrics, this.#variant);
    const read = (change: object): Promise<Rows & Pick<Report, 'meta'>> =>
      this.#all({ ...query, metrics, ...change } as never, options);
    const lastDay = { from: compared.to, time_grain: 'hour' };
    try {
      const byHour = await read(lastDay);
      const ofAll = query.group_by ? await read({ ...lastDay, group_by: undefined }) : byHour;
      const hours = hoursUntil(byHour.meta.data_through, dates.to);
      const end = startOf(compared.to) + hours * HOUR_MS;
      const before = (rows: readonly ReportRow[]): ReportRow[] =>
        rows.filter((row) => Date.parse(row.period_start) < end);
      const whole = compared.from < compared.to ? await read({ to: addDays(compared.to, -1) }) : undefined;
      const names = query.metrics ?? Object.keys(byHour.summary);
      const parts = { hours: before(byHour.rows), hoursOfAll: before(ofAll.rows), whole };
      return { ...addHours({ ...periods, ...parts, metrics: names, variant: this.#variant }), hours };
    } catch (error) {
      // There are too many hours or none that old, or a ratio is enabled without its parts: whole days are compared.
      if (error instanceof ApiError && NO_HOURS.includes(error.kind)) return undefined;
      throw error;
    }
  }

  async #all(query: ReportQuery<V>, options: CallOptions): Promise<Rows & Pick<Report, 'meta'>> {
    const rows: ReportRow[] = [];
    let last: Report | undefined;
    for await (const page of this.#walk(query, { ...options, snapshot: true })) {
      rows.push(...page.data);
      last = page;
    }
    if (!last) throw new Error('The network returned no page.');
    return { rows, summary: last.summary, meta: last.meta };
  }
}

interface ReportComparer {
  readonly rows: RowComparer;
  readonly summary: Report['summary'];
  readonly dates: ComparedDates;
}

interface Rows {
  readonly rows: readonly ReportRow[];
  readonly summary: Report['summary'];
}

/** Why hours can't be read although days can. */
const NO_HOURS: readonly ErrorKind[] = ['too_large', 'outside_history', 'metric_not_available'];

interface TypedPage {
  readonly page: Report;
  readonly comparer: ReportComparer | undefined;
  /** Whether all rows before this page have been compared. */
  readonly isWhole: boolean;
}

/** Returns a page as its query promises it. */
function typed<V extends ReportVariant, Q>({ page, comparer, isWhole }: TypedPage): ReportOf<V, Q> {
  if (!comparer) return { ...page, totals: page.summary } as unknown as ReportOf<V, Q>;
  const data = page.data.map((row) => comparer.rows.compare(row));
  const missingRows = isWhole && !page.pagination.has_more ? comparer.rows.missingRows(page.meta.data_through) : [];
  const totals = compareTotals(page.summary, comparer.summary);
  return { ...page, data, missingRows, compared: comparer.dates, totals } as unknown as ReportOf<V, Q>;
}

/** Makes the base URL end in exactly one `/api`, where publisher reporting is mounted. */
function withApi(networkUrl: string | undefined): string | undefined {
  // `connect` reports a value that is not a string.
  return typeof networkUrl === 'string' ? `${networkUrl.replace(/(\/api)*\/*$/, '')}/api` : networkUrl;
}

/** Returns what must be the same on every page of one report. */
function digest({ pagination, summary }: Report): string {
  return JSON.stringify([pagination.total, summary]);
}

function changed({ meta, pagination }: Report): ReportChangedError {
  return new ReportChangedError(
    `The report changed while its pages were read, at offset ${pagination.offset}. Start again.`,
    { status: 200, requestId: meta.request_id },
  );
}

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
  onProgress?(read: number, total: number): void;
  /** Called when the report changes with every read: a row may be missing or duplicated. */
  onUnsteady?(): void;
}

/** The common part of the two report clients. */
export interface ReportReader {
  pages(query: never, options: { snapshot: boolean; signal: AbortSignal | undefined }): AsyncIterable<object>;
}

/** What is read of a page, with or without a comparison. */
interface Page {
  readonly data: readonly Row[];
  readonly missingRows?: readonly Row[];
  readonly summary: object;
  readonly totals: Totals;
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
  const { first = Infinity, signal, snapshot, onProgress } = options;
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
  for await (const read of reader.pages(whole as never, { snapshot, signal })) {
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
