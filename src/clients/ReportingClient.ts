import { REPORT_LIMIT } from '../wire/limits.ts';
import { CHANNEL_REPORT_PATH, PUBLISHER_REPORT_PATH, type Report, type ReportRow } from '../wire/reporting.ts';
import { connect, type ClientOptions } from './connect.ts';
import { ReportChangedError } from './errors.ts';
import { readReport } from './readReport.ts';
import { reportParams, type ReportQuery, type ReportVariant } from './reportQuery.ts';

/** The options of a `ReportingClient`. */
export interface ReportingClientOptions<V extends ReportVariant> extends ClientOptions {
  /** `channel` for a management key, `publisher` for a publisher reporting key. */
  readonly variant: V;
}

/** Options for reading all pages of a report. */
export interface WalkOptions {
  /** Throws a ReportChangedError when total or summary change between pages; true by default. */
  readonly snapshot?: boolean | undefined;
}

/** Client of the Reporting API V2: a channel's report on all its publishers, or one publisher's own report. */
export class ReportingClient<V extends ReportVariant> {
  readonly #call: ReturnType<typeof connect>;
  readonly #path: string;
  readonly #pageLimit: number;

  constructor(options: ReportingClientOptions<V>) {
    const variant: ReportVariant = options.variant;
    if (variant !== 'channel' && variant !== 'publisher')
      throw new TypeError("variant must be 'channel' or 'publisher'.");
    const isChannel = variant === 'channel';
    this.#call = connect(isChannel ? options : { ...options, baseUrl: withApi(options.baseUrl) });
    this.#path = isChannel ? CHANNEL_REPORT_PATH : PUBLISHER_REPORT_PATH;
    this.#pageLimit = REPORT_LIMIT[variant];
  }

  /** Returns one page of a report: 50 rows by default. */
  async report(query: ReportQuery<V> = {} as ReportQuery<V>): Promise<Report> {
    const { json, unexpected } = await this.#call({ method: 'GET', path: this.#path, query: reportParams(query) });
    const report = readReport(json);
    if (!report) throw unexpected('a report');
    return report;
  }

  /** Iterates over the pages of a report, by default with the largest page the network allows. */
  async *pages(
    query: ReportQuery<V> = {} as ReportQuery<V>,
    { snapshot = true }: WalkOptions = {},
  ): AsyncGenerator<Report> {
    let offset = query.offset ?? 0;
    let first: Report | undefined;
    for (;;) {
      const page = await this.report({ ...query, limit: query.limit ?? this.#pageLimit, offset });
      if (snapshot && first && digest(page) !== digest(first)) throw changed(page);
      first ??= page;
      yield page;
      offset += page.data.length;
      if (!page.pagination.has_more) return;
      // The page is empty although more was promised: going on would repeat the same request for ever.
      if (page.data.length === 0) throw changed(page);
    }
  }

  /** Iterates over all rows of a report. */
  async *rows(query: ReportQuery<V> = {} as ReportQuery<V>, options: WalkOptions = {}): AsyncGenerator<ReportRow> {
    for await (const page of this.pages(query, options)) yield* page.data;
  }
}

/** Makes the base URL end in exactly one `/api`, where publisher reporting is mounted. */
function withApi(baseUrl: string): string {
  // `connect` reports a value that is not a string.
  return typeof baseUrl === 'string' ? `${baseUrl.replace(/(\/api)*\/*$/, '')}/api` : baseUrl;
}

/** Returns what must be the same on every page of one report. */
function digest({ pagination, summary }: Report): string {
  return JSON.stringify([pagination.total, summary]);
}

function changed({ meta, pagination }: Report): ReportChangedError {
  return new ReportChangedError(
    `The report changed while its pages were read, at offset ${pagination.offset}. Start again.`,
    {
      status: 200,
      requestId: meta.request_id,
    },
  );
}
