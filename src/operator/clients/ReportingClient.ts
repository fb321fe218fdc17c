import { REPORT_LIMIT } from '../../wire/limits.ts';
import {
  readReport,
  CHANNEL_REPORT_PATH,
  PUBLISHER_REPORT_PATH,
  type CsvColumn,
  type Report,
  type ReportRow,
} from '../../wire/reporting.ts';
import { addDays, HOUR_MS, startOf } from '../../wire/utcDates.ts';
import { compareTotals, createComparer, type RowComparer } from '../reports/comparison.ts';
import type { ComparedPeriods } from '../reports/period.ts';
import { addHours, endsToday, hoursUntil, withParts } from '../reports/sumHours.ts';
import {
  columnsOf,
  comparisonOf,
  dateTexts,
  reportParams,
  type ComparedDates,
  type ReportQuery,
  type ReportVariant,
  type ReportOf,
} from '../reports/reportQuery.ts';
import { ChannelClient } from './ChannelClient.ts';
import {
  findChanged,
  walkParts,
  type PartQuery,
  type ReadPeriods,
  type ReportSource,
  type Split,
} from './walkParts.ts';
import { pause } from '../../http/pause.ts';
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
  /**
   * Reads a report with more rows than the network allows in parts: by `dates`, or by dates and `publishers`. Of more than
   * 10,000 publishers, removed ones are left out. `publishers` by default for `rows`; `pages` reads no parts by default.
   */
  readonly split?: Split | false | undefined;
  /** Milliseconds to wait between two calls; 0 by default. */
  readonly pace?: number | undefined;
}

/** Options for reading all rows of a report. */
export interface RowsOptions extends WalkOptions {
  /** The `periods` of an earlier walk, or `{}`: only periods whose totals are not what they were are read. */
  readonly changedSince?: ReadPeriods | undefined;
}

/** All rows of a report, and what is known about them: from the first row on, or at the end of a report without rows. */
export type ReportRows<Row, Totals> = AsyncGenerator<Row> & {
  /** The network's totals of all rows. */
  readonly totals?: Totals;
  readonly meta?: Report['meta'];
  /** The columns of the rows, for `toCsv`. */
  readonly columns?: readonly CsvColumn<Row>[];
  /** What each period was when it was read, for `changedSince` of the next walk; only with that option. */
  readonly periods?: ReadPeriods;
};

/** Client of the Reporting API V2: a channel's report on all its publishers, or one publisher's own report. */
export class ReportingClient<V extends ReportVariant> {
  readonly #call: ReturnType<typeof connect>;
  readonly #variant: ReportVariant;
  readonly #path: string;
  readonly #pageLimit: number;
  readonly #channel: () => ChannelClient;
  /** When the last call of a paced walk ended. */
  #lastCall = 0;

  constructor(options: ReportingClientOptions<V>) {
    const variant: ReportVariant = options.variant;
    if (variant !== 'channel' && variant !== 'publisher')
      throw new TypeError("variant must be 'channel' or 'publisher'.");
    this.#variant = variant;
    const isChannel = variant === 'channel';
    this.#call = connect(isChannel ? options : { ...options, networkUrl: withApi(options.networkUrl) }, OPERATOR);
    this.#path = isChannel ? CHANNEL_REPORT_PATH : PUBLISHER_REPORT_PATH;
    this.#pageLimit = REPORT_LIMIT[variant];
    // A management key opens both APIs.
    this.#channel = () => new ChannelClient(options);
  }

  /** Returns one page of a report: 50 rows by default. With `compare`, each row has its counterpart and the change. */
  async report<const Q extends ReportQuery<V> = ReportQuery<V>>(
    query: Q = {} as Q,
    { signal, timeout }: CallOptions = {},
  ): Promise<ReportOf<V, Q>> {
    const comparison = comparisonOf(query);
    const page = await this.#page(query, { signal, timeout });
    const comparer =
      comparison && (await this.#comparer(query, comparison, { signal, timeout, pace: 0, split: false }));
    return typed<V, Q>({ page, comparer, isWhole: page.pagination.offset === 0, query });
  }

  /** Iterates over the pages of a report, by default with the largest page the network allows. */
  async *pages<const Q extends ReportQuery<V> = ReportQuery<V>>(
    query: Q = {} as Q,
    options: WalkOptions = {},
  ): AsyncGenerator<ReportOf<V, Q>> {
    yield* this.#pages(query, options);
  }

  async *#pages<Q extends ReportQuery<V>>(
    query: Q,
    { snapshot = true, split = false, pace = 0, signal, timeout, changedSince }: RowsOptions,
    onPeriods?: (periods: ReadPeriods) => void,
  ): AsyncGenerator<ReportOf<V, Q>> {
    const comparison = comparisonOf(query);
    const call = { signal, timeout };
    let comparer: ReportComparer | undefined;
    const source = this.#source({ snapshot, pace, ...call });
    const dated = { ...query, ...dateTexts(query) } as PartQuery;
    const ranges = changedSince === undefined ? undefined : await findChanged(source, dated, changedSince);
    if (ranges) onPeriods?.(ranges.periods);
    for (const range of ranges?.changed ?? [{}]) {
      const part = { ...dated, ...range };
      for await (const read of split ? walkParts(source, part, { snapshot, split }) : source.walk(part)) {
        if (comparison) comparer ??= await this.#comparer(query, comparison, { split, pace, ...call });
        const page = ranges?.whole ? { ...read, summary: ranges.whole.summary } : read;
        yield typed<V, Q>({ page, comparer, isWhole: (query.offset ?? 0) === 0, query });
      }
    }
    // Nothing has changed: the head of the report is all that there is.
    if (ranges?.whole && ranges.changed.length === 0)
      yield typed<V, Q>({ page: { ...ranges.whole, data: [] }, comparer, isWhole: false, query });
  }

  /** Iterates over all rows of a report, however many there are; with `compare`, missing rows come last. */
  rows<const Q extends ReportQuery<V> = ReportQuery<V>>(
    query: Q = {} as Q,
    options: RowsOptions = {},
  ): ReportRows<ReportOf<V, Q>['data'][number], ReportOf<V, Q>['totals']> {
    const pages = this.#pages(query, { split: 'publishers', ...options }, (periods) =>
      Object.assign(rows, { periods }),
    );
    const rows: ReportRows<ReportOf<V, Q>['data'][number], ReportOf<V, Q>['totals']> = read();
    return rows;

    async function* read(): AsyncGenerator<ReportOf<V, Q>['data'][number]> {
      for await (const page of pages) {
        const { totals, meta, columns } = page;
        Object.assign(rows, { totals, meta, columns });
        yield* page.data;
        if ('missingRows' in page) yield* page.missingRows as ReportOf<V, Q>['data'];
      }
    }
  }

  #source({ snapshot, pace, ...call }: Paced & { readonly snapshot: boolean }): ReportSource {
    return {
      walk: (query) => this.#walk(query as ReportQuery<V>, { snapshot, pace, ...call }),
      page: (query) => this.#paced(query, { pace, ...call }),
      publishers: async () => {
        const ids: string[] = [];
        for await (const { publisher_remote_id: id } of this.#channel().allPublishers({ status: 'APPROVED' }, call))
          if (id !== null) ids.push(id);
        return ids;
      },
    };
  }

  /** Reads a page after the pace, unless it is the first one. */
  async #paced(query: object, { pace, ...call }: Paced): Promise<Report> {
    if (pace > 0) await pause(Math.max(0, this.#lastCall + pace - Date.now()), call.signal);
    try {
      return await this.#page(query, call);
    } finally {
      this.#lastCall = Date.now();
    }
  }

  async #page(query: object, options: CallOptions): Promise<Report> {
    const call = { ...options, method: 'GET', path: this.#path, query: reportParams(query) } as const;
    const { json, unexpected } = await this.#call(call);
    const report = readReport(json);
    if (!report) throw unexpected('a report');
    return report;
  }

  async *#walk(
    query: ReportQuery<V>,
    { snapshot, ...options }: Paced & { readonly snapshot: boolean },
  ): AsyncGenerator<Report> {
    let offset = query.offset ?? 0;
    let first: Report | undefined;
    for (;;) {
      const page = await this.#paced({ ...query, limit: query.limit ?? this.#pageLimit, offset }, options);
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
  async #comparer(query: ReportQuery<V>, periods: ComparedPeriods, options: Compared): Promise<ReportComparer> {
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
    options: Compared,
  ): Promise<(Rows & { readonly hours: number }) | undefined> {
    const { dates, compared } = periods;
    const metrics = query.metrics && withParts(query.metrics, this.#variant);
    // The hours of one day are the largest part, and dates can't make them smaller.
    const split = options.split && 'publishers';
    const read = (change: object): Promise<Rows & Pick<Report, 'meta'>> =>
      this.#all({ ...query, metrics, ...change } as never, { ...options, split });
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

  async #all(query: ReportQuery<V>, { split, ...options }: Compared): Promise<Rows & Pick<Report, 'meta'>> {
    const rows: ReportRow[] = [];
    let last: Report | undefined;
    const source = this.#source({ snapshot: true, ...options });
    for await (const page of split
      ? walkParts(source, query as PartQuery, { snapshot: true, split })
      : source.walk(query)) {
      rows.push(...page.data);
      last = page;
    }
    if (!last) throw new Error('The network returned no page.');
    return { rows, summary: last.summary, meta: last.meta };
  }
}

/** How a walk calls. */
interface Paced extends CallOptions {
  readonly pace: number;
}

interface Compared extends Paced {
  readonly split: Split | false;
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
  readonly query: object;
}

/** Returns a page as its query promises it. */
function typed<V extends ReportVariant, Q>({ page, comparer, isWhole, query }: TypedPage): ReportOf<V, Q> {
  const columns = columnsOf(query, Object.keys(page.summary));
  if (!comparer) return { ...page, columns, totals: page.summary } as unknown as ReportOf<V, Q>;
  const data = page.data.map((row) => comparer.rows.compare(row));
  const missingRows = isWhole && !page.pagination.has_more ? comparer.rows.missingRows(page.meta.data_through) : [];
  const totals = compareTotals(page.summary, comparer.summary);
  return { ...page, columns, data, missingRows, compared: comparer.dates, totals } as unknown as ReportOf<V, Q>;
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
