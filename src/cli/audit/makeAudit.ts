import {
  AUDIT_GROUPINGS,
  AUDITED_METRICS,
  compareCounts,
  DEFINITIONS,
  type AuditedMetric,
  type AuditGrouping,
  type AuditRow,
} from '../../wire/audit/compareCounts.ts';
import { explainDifference, type AuditExplanation } from '../../wire/audit/explainDifference.ts';
import type { LedgerCounts } from '../../relay.ts';
import type { DateRange } from '../../wire/utcDates.ts';
import { readPublisherReport, type ReportSource } from './readPublisherReport.ts';

export interface AuditRequest {
  readonly ledger: LedgerCounts;
  readonly source: ReportSource;
  readonly dates: DateRange;
  readonly grain: 'hour' | 'day';
  readonly by: readonly AuditGrouping[];
  /** A share: 0.005 is 0.5 %. */
  readonly tolerance: number;
  readonly now: number;
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

/** Days whose hours are compared: the latest that differ. Each three cost a report. */
const DAYS_MAX = 9;

/** Reads the network's report and compares the relay's counts with it. */
export async function makeAudit(request: AuditRequest): Promise<Audit> {
  const { ledger, source, dates, grain, by, tolerance, now } = request;
  const ours = ledger.rows;
  const problems = [...ledger.problems];
  const groupBy = by.map((name) => AUDIT_GROUPINGS[name]);
  const report = await readPublisherReport(source, { dates, grain, groupBy, metrics: AUDITED_METRICS });
  let { dataThrough } = report;
  if (grain === 'day') {
    // A day may have arrived in part, which only an hourly report says.
    const last = { from: dates.to, to: dates.to };
    const hourly = await readPublisherReport(source, {
      dates: last,
      grain: 'hour',
      groupBy: [],
      metrics: ['clicks'],
    }).catch(() => undefined);
    dataThrough = hourly?.dataThrough ?? (dataThrough && `${dataThrough.slice(0, 10)}T23:00:00Z`);
  }
  const judged = { tolerance, dataThrough, now };
  const comparison = compareCounts({ ours, theirs: report.rows, grain, by, ...judged });
  const wrong = comparison.rows.filter(isWrong);
  const days = [...new Set(wrong.map(({ period_start }) => period_start?.slice(0, 10) ?? ''))].slice(0, DAYS_MAX);
  const hours: AuditRow[] = [];
  for (const day of grain === 'day' ? days : []) {
    try {
      const one = { from: day, to: day };
      const theirs = await readPublisherReport(source, {
        dates: one,
        grain: 'hour',
        groupBy: [],
        metrics: AUDITED_METRICS,
      });
      const own = ours.filter(({ hour }) => hour.startsWith(day));
      const compared = compareCounts({ ours: own, theirs: theirs.rows, grain: 'hour', by: [], ...judged });
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

function isWrong({ verdict }: AuditRow): boolean {
  return verdict !== 'ok' && verdict !== 'open';
}
