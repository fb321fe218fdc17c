import { HOURLY_MAX_DATES } from '../limits.ts';
import type { PublisherGrouping, PublisherMetric, ReportRow } from '../reporting.ts';
import { addDays, type DateRange } from '../utcDates.ts';
import {
  AUDIT_GROUPINGS,
  AUDITED_METRICS,
  compareCounts,
  DEFINITIONS,
  type AuditedMetric,
  type AuditGrouping,
  type AuditRow,
  type CountedRow,
} from './compareCounts.ts';
import { explainDifference, type AuditExplanation } from './explainDifference.ts';

/** What a relay's ledger has for some dates. */
export interface Counted {
  readonly rows: readonly CountedRow[];
  /** What could not be read, in sentences for people. */
  readonly problems: readonly string[];
}

/** One report of the network: all its rows. */
export interface AuditReportQuery {
  readonly dates: DateRange;
  readonly grain: 'hour' | 'day';
  readonly groupBy: readonly PublisherGrouping[];
  readonly metrics: readonly PublisherMetric[];
}

export interface AuditReport {
  readonly rows: readonly ReportRow[];
  /** The latest period of the network's data, as its grain has it; `null` if there is none. */
  readonly dataThrough: string | null;
}

export interface AuditRequest {
  readonly ledger: Counted;
  /** Reads a publisher's report, all pages of it. */
  readReport(query: AuditReportQuery): Promise<AuditReport>;
  readonly dates: DateRange;
  readonly grain: 'hour' | 'day';
  readonly by: readonly AuditGrouping[];
  /** A share: 0.005 is 0.5 %. */
  readonly tolerance: number;
  /** Periods that end later are open. */
  readonly now: number;
  /** The first hour that is compared, for a ledger that is younger than the dates; by the hour only. */
  readonly since?: string | undefined;
}

/** What `offerlet audit --json` prints. */
export interface Audit extends DateRange {
  readonly grain: 'hour' | 'day';
  readonly by: readonly AuditGrouping[];
  readonly tolerance: number;
  /** The latest hour of the network's data, or its day if it has no hourly reports; `null` if it has none. */
  readonly data_through: string | null;
  /** Whether no count differs by more than the tolerance. Periods that are not over yet are left out. */
  readonly within: boolean;
  readonly totals: readonly AuditRow[];
  readonly rows: readonly AuditRow[];
  /** The hours that differ, of the days that do. */
  readonly hours: readonly AuditRow[];
  readonly definitions: Readonly<Partial<Record<AuditedMetric, string>>>;
  readonly explanations: readonly AuditExplanation[];
  /** What could not be read or compared. */
  readonly problems: readonly string[];
}

/** Days whose hours are compared: the latest that differ. Each costs a report. */
const DAYS_MAX = 9;

/** Reads the network's report and compares the relay's counts with it. */
export async function makeAudit(request: AuditRequest): Promise<Audit> {
  const { ledger, dates, grain, by, tolerance, now, since } = request;
  const ours = ledger.rows;
  const problems = [...ledger.problems];
  const groupBy = by.map((name) => AUDIT_GROUPINGS[name]);
  const report = await readChunks(request, { dates, grain, groupBy, metrics: AUDITED_METRICS });
  let { dataThrough } = report;
  if (grain === 'day') {
    // A day may have arrived in part, which only an hourly report says.
    const last = { from: dates.to, to: dates.to };
    const query = { dates: last, grain: 'hour', groupBy: [], metrics: ['clicks'] } as const;
    const hourly = await request.readReport(query).catch(() => undefined);
    dataThrough = hourly?.dataThrough ?? (dataThrough && `${dataThrough.slice(0, 10)}T23:00:00Z`);
  }
  const judged = { tolerance, dataThrough, now };
  const theirs = since === undefined ? report.rows : report.rows.filter(({ period_start }) => period_start >= since);
  const comparison = compareCounts({ ours, theirs, grain, by, ...judged });
  const wrong = comparison.rows.filter(isWrong);
  const days = [...new Set(wrong.map(({ period_start }) => period_start?.slice(0, 10) ?? ''))].slice(0, DAYS_MAX);
  const hours: AuditRow[] = [];
  for (const day of grain === 'day' ? days : []) {
    try {
      const one = { from: day, to: day };
      const hourly = await request.readReport({ dates: one, grain: 'hour', groupBy: [], metrics: AUDITED_METRICS });
      const own = ours.filter(({ hour }) => hour.startsWith(day));
      const compared = compareCounts({ ours: own, theirs: hourly.rows, grain: 'hour', by: [], ...judged });
      hours.push(...compared.rows.filter(isWrong));
    } catch {
      problems.push(`The network has no hourly report for ${day}, so its hours could not be compared.`);
    }
  }
  const definitions = Object.fromEntries(
    comparison.totals.flatMap(({ metric, verdict }) => {
      const definition = verdict === 'ok' ? undefined : DEFINITIONS[metric];
      return definition === undefined ? [] : [[metric, definition]];
    }),
  );
  return {
    ...dates,
    grain,
    by,
    tolerance,
    data_through: dataThrough,
    within: wrong.length === 0 && !comparison.totals.some(isWrong),
    ...comparison,
    hours,
    definitions,
    explanations: explainDifference({ comparison, ours, dataThrough }),
    problems,
  };
}

/** Whether two counts differ by more than is tolerated, in a period that is over. */
export function isWrong({ verdict }: AuditRow): boolean {
  return verdict !== 'ok' && verdict !== 'open';
}

/** Reads a report of any length: one by the hour covers a few dates only. */
async function readChunks({ readReport }: AuditRequest, query: AuditReportQuery): Promise<AuditReport> {
  if (query.grain === 'day') return readReport(query);
  const rows: ReportRow[] = [];
  let dataThrough: string | null = null;
  const { from, to } = query.dates;
  for (let start = from; start <= to; start = addDays(start, HOURLY_MAX_DATES)) {
    const end = addDays(start, HOURLY_MAX_DATES - 1);
    const report = await readReport({ ...query, dates: { from: start, to: end < to ? end : to } });
    for (const row of report.rows) rows.push(row);
    dataThrough = report.dataThrough ?? dataThrough;
  }
  return { rows, dataThrough };
}
