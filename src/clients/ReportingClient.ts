import { REPORT_LIMIT } from '../wire/limits.ts';
import { CHANNEL_REPORT_PATH, PUBLISHER_REPORT_PATH, type Report, type ReportRow } from '../wire/reporting.ts';
import { connect, type ClientOptions } from './connect.ts';
import { ReportChangedError } from './errors.ts';
import { readReport } from './readReport.ts';
import { reportParams, type ReportQuery, type ReportVariant } from './reportQuery.ts';

/** What a reporting client needs. */
export interface ReportingClientOptions<V extends ReportVariant> extends ClientOptions {
  /** `channel` with a management key, `publisher` with a publisher reporting key. */
  readonly variant: V;
}

/** How pages are walked. */
export interface WalkOptions {
  /** Stop with a ReportChangedError when total or summary change between pages; true unless given. */
  readonly snapshot?: boolean | undefined;
}

/** The Reporting API V2, for a channel on all its publishers or for one publisher on itself. */
export class ReportingClient<V extends ReportVariant> {
  readonly #call: ReturnType<typeof connect>;
  readonly #path: string;
  readonly #pageLimit: number;

  constructor(options: ReportingClientOptions<V>) {
    const variant: ReportVariant = options.variant;
    if (variant !== 'channel' && variant !== 'publisher')
      throw new TypeError("variant must be 'channel' or 'publisher'");
    const isChannel = variant === 'channel';
    this.#call = connect(isChannel ? options : { ...options, baseUrl: withApi(options.baseUrl) });
    this.#path = isChannel ? CHANNEL_REPORT_PATH : PUBLISHER_REPORT_PATH;
    this.#pageLimit = REPORT_LIMIT[variant];
  }

  /** One page of a report: 50 rows unless `limit` says otherwise. */
  async report(query: ReportQuery<V> = {} as ReportQuery<V>): Promise<Report> {
    const { json, unreadable } = await this.#call({ method: 'GET', path: this.#path, query: reportParams(query) });
    const report = readReport(json);
    if (!report) throw unreadable('a report');
    return report;
  }

  /** Page after page of a report, each as large as the network allows unless `limit` says otherwise. */
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
      // More was promised and nothing came: going on would ask the same question for ever.
      if (page.data.length === 0) throw changed(page);
    }
  }

  /** Row after row of a report, whatever number of pages it has. */
  async *rows(query: ReportQuery<V> = {} as ReportQuery<V>, options: WalkOptions = {}): AsyncGenerator<ReportRow> {
    for await (const page of this.pages(query, options)) yield* page.data;
  }
}

/** The base of publisher reporting ends in exactly one /api, whether or not the merchant wrote it. */
function withApi(baseUrl: string): string {
  // What is no string goes on as it is: `connect` says what to write instead.
  return typeof baseUrl === 'string' ? `${baseUrl.replace(/(\/api)*\/*$/, '')}/api` : baseUrl;
}

/** What stays the same on every page of one report. */
function digest({ pagination, summary }: Report): string {
  return JSON.stringify([pagination.total, summary]);
}

function changed({ meta, pagination }: Report): ReportChangedError {
  return new ReportChangedError(`The report changed while it was read, at offset ${pagination.offset}: start again`, {
    status: 200,
    requestId: meta.request_id,
  });
}
