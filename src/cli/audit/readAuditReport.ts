import { isCount } from '../../wire/json.ts';
import { REPORT_LIMIT } from '../../wire/limits.ts';
import type { PublisherGrouping, PublisherMetric, Report, ReportRow } from '../../wire/reporting.ts';
import { addDays, type DateRange } from '../../wire/utcDates.ts';

/** One report of the network. */
export interface AuditReportQuery {
  readonly dates: DateRange;
  readonly grain: 'hour' | 'day';
  readonly groupBy: readonly PublisherGrouping[];
  readonly metrics: readonly PublisherMetric[];
}

/** One page of it. */
export interface AuditPageQuery extends AuditReportQuery {
  readonly offset: number;
  readonly limit: number;
}

/** Reads a page of a publisher's report; `undefined` from a network that has never had data for this publisher. */
export type ReadAuditPage = (query: AuditPageQuery) => Promise<Report | undefined>;

export interface AuditReport {
  readonly rows: readonly ReportRow[];
  /** The latest period of the network's data, as its grain has it; `null` if there is none. */
  readonly dataThrough: string | null;
}

/** A report, or a ledger, that cannot be compared. The message is one sentence or two. */
export class AuditReportError extends Error {
  override name = 'AuditReportError';
}

/** Pages and rows of one report: a month by the hour in 300 groups, and networks that send small pages. */
const PAGES_MAX = 100;
const ROWS_MAX = 250_000;

/** Reads all pages of a report. Throws an `AuditReportError` for one without an end, or with numbers that are not counts. */
export async function readAuditReport(readPage: ReadAuditPage, query: AuditReportQuery): Promise<AuditReport> {
  const rows: ReportRow[] = [];
  const places = new Map<string, number>();
  let dataThrough: string | null = null;
  for (let pages = 1; ; pages++) {
    const offset = rows.length;
    const page = await readPage({ ...query, offset, limit: REPORT_LIMIT.publisher });
    if (!page) return { rows, dataThrough };
    const { data, pagination, meta } = page;
    if (pagination.offset !== offset)
      throw new AuditReportError(
        `The network's report has no order: rows from ${offset} on were requested, and it returned those from ${pagination.offset} on.`,
      );
    for (const row of data) {
      const place = rows.push(row);
      const problem = findProblem(row, query) ?? repeats(row, place);
      if (problem !== undefined)
        throw new AuditReportError(`Row ${place} of the network's report by the ${query.grain} ${problem}.`);
    }
    dataThrough = meta.data_through ?? dataThrough;
    if (!pagination.has_more) return { rows, dataThrough };
    if (data.length === 0 || data.length < Math.min(pagination.limit, REPORT_LIMIT.publisher))
      throw new AuditReportError(
        `The network's report has a gap: after ${data.length} rows of a page of ${pagination.limit}, it says that there are more.`,
      );
    if (rows.length > ROWS_MAX || pages >= PAGES_MAX)
      throw new AuditReportError(
        `The network's report has no end: after ${rows.length.toLocaleString('en')} rows on ${pages} pages, it says that there are more.`,
      );
  }

  function repeats(row: ReportRow, place: number): string | undefined {
    const key = JSON.stringify([row.period_start, ...query.groupBy.map((name) => row[name])]);
    const before = places.get(key);
    places.set(key, place);
    return before === undefined ? undefined : `repeats row ${before}`;
  }
}

function findProblem(row: ReportRow, { dates, grain, metrics }: AuditReportQuery): string | undefined {
  const { period_start: start } = row;
  if (!(start >= dates.from && start < addDays(dates.to, 1)))
    return `begins at ${start}, which is not within ${dates.from} to ${dates.to}`;
  if (!start.endsWith(grain === 'day' ? 'T00:00:00Z' : ':00:00Z'))
    return `begins at ${start}, which is not the beginning of a UTC ${grain}`;
  const metric = metrics.find((name) => !isCount(row[name] ?? 0));
  return metric && `(${start}) has ${metric} ${row[metric]}, which is not a count`;
}
