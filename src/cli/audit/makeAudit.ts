import { HOURLY_MAX_DATES } from '../../wire/limits.ts';
import type { ReportRow } from '../../wire/reporting.ts';
import { addDays, type DateRange } from '../../wire/utcDates.ts';
import {
  AUDIT_GROUPINGS,
  AUDITED_METRICS,
  compareCounts,
  DEFINITIONS,
  type AuditedMetric,
  type AuditGrouping,
  type AuditRow,
} from './compareCounts.ts';
import { explainDifference, INCOMPLETE, type AuditExplanation } from './explainDifference.ts';
import {
  AuditReportError,
  readAuditReport,
  type AuditReport,
  type AuditReportQuery,
  type ReadAuditPage,
} from './readAuditReport.ts';
import { readCounted, type ReadableLedger } from './readCounted.ts';

export interface AuditRequest {
  readonly ledger: ReadableLedger;
  readonly readPage: ReadAuditPage;
  readonly dates: DateRange;
  readonly grain: 'hour' | 'day';
  readonly by: readonly AuditGrouping[];
  /** A share: 0.005 is 0.5 %. */
  readonly tolerance: number;
  readonly now: number;
  /** Whether hours are compared of which both counts may have a part only: the current one, and the ledger's first one. */
  readonly partial?: boolean | undefined;
}

/** What `offerlet audit --json` prints. */
export interface Audit extends DateRange {
  readonly grain: 'hour' | 'day';
  readonly by: readonly AuditGrouping[];
  readonly tolerance: number;
  /** The first hour that is compared, if the ledger began later than the dates; otherwise `null`. */
  readonly begins: string | null;
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

/** Compares what a relay counted with the network's report. Resolves to `undefined` when the ledger has no counts at all. */
export async function makeAudit(request: AuditRequest): Promise<Audit | undefined> {
  const { dates, grain, by, tolerance, partial = false } = request;
  const counted = await readCounted(request.ledger, { dates, now: request.now, hasFirstHour: partial });
  if (!counted) return undefined;
  const { rows: ours, begins } = counted;
  const problems = [...counted.problems];
  const isYounger = begins !== null && begins >= `${addDays(dates.to, 1)}T00:00:00Z`;
  const report = isYounger ? { rows: [], dataThrough: null } : await readTheirs(request, begins);
  const { rows: theirs, dataThrough } = report;
  const judged = { tolerance, dataThrough, now: partial ? Infinity : request.now };
  const comparison = compareCounts({ ours, theirs, grain, by, ...judged });
  const days =
    grain === 'hour'
      ? []
      : [...new Set(comparison.rows.filter(isWrong).map(({ period_start }) => period_start?.slice(0, 10) ?? ''))];
  const hours: AuditRow[] = [];
  for (const day of days.slice(0, DAYS_MAX)) {
    try {
      const hourly = await readHours(request, { day, groupBy: [], begins });
      const own = ours.filter(({ hour }) => hour.startsWith(day));
      const compared = compareCounts({ ours: own, theirs: hourly, grain: 'hour', by: [], ...judged });
      hours.push(...compared.rows.filter(isWrong));
    } catch (error) {
      if (error instanceof AuditReportError) throw error;
      problems.push(`The network has no hourly report for ${day}, so its hours could not be compared.`);
    }
  }
  if (days.length > DAYS_MAX)
    problems.push(
      `${days.length} days differ; the hours of the latest ${DAYS_MAX} were compared. --grain hour has all.`,
    );
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
    begins,
    data_through: dataThrough,
    within: ![...comparison.rows, ...comparison.totals].some(isWrong),
    ...comparison,
    hours,
    definitions,
    explanations: explainDifference({ comparison, ours, problems: counted.problems }),
    problems,
  };
}

/** Whether two counts differ by more than is tolerated, in a period that is over. */
export function isWrong({ verdict }: AuditRow): boolean {
  return verdict !== 'ok' && verdict !== 'open';
}

/** Reads the network's report from the hour in which the ledger begins. */
async function readTheirs(request: AuditRequest, begins: string | null): Promise<AuditReport> {
  const { dates, grain, by, readPage } = request;
  const groupBy = by.map((name) => AUDIT_GROUPINGS[name]);
  const from = begins?.slice(0, 10) ?? dates.from;
  const query = { dates: { from, to: dates.to }, grain, groupBy, metrics: AUDITED_METRICS };
  if (grain === 'hour') {
    const { rows, dataThrough } = await readChunks(readPage, query);
    return { rows: since(rows, begins), dataThrough };
  }
  const { rows, dataThrough } = await readAuditReport(readPage, query);
  // A day may have arrived in part, which only an hourly report says.
  const last = { ...query, dates: { from: dates.to, to: dates.to }, grain: 'hour', groupBy: [] } as const;
  const hourly = await readAuditReport(readPage, last).catch(rethrowReportError);
  const through = hourly?.dataThrough ?? (dataThrough && `${dataThrough.slice(0, 10)}T23:00:00Z`);
  if (begins === null || begins.endsWith('T00:00:00Z')) return { rows, dataThrough: through };
  // Of the day on which the ledger began, its hours count.
  const start = `${from}T00:00:00Z`;
  const first = await readHours(request, { day: from, groupBy, begins });
  return {
    rows: [...rows.filter((row) => row.period_start > start), ...first.map((row) => ({ ...row, period_start: start }))],
    dataThrough: through,
  };
}

async function readHours(
  { readPage }: AuditRequest,
  {
    day,
    groupBy,
    begins,
  }: Pick<AuditReportQuery, 'groupBy'> & { readonly day: string; readonly begins: string | null },
): Promise<readonly ReportRow[]> {
  const dates = { from: day, to: day };
  const { rows } = await readAuditReport(readPage, { dates, grain: 'hour', groupBy, metrics: AUDITED_METRICS });
  return since(rows, begins);
}

function since(rows: readonly ReportRow[], begins: string | null): readonly ReportRow[] {
  return begins === null ? rows : rows.filter(({ period_start }) => period_start >= begins);
}

function rethrowReportError(error: unknown): undefined {
  if (error instanceof AuditReportError) throw error;
}

/** Reads a report by the hour of any length: each covers a few dates only. */
async function readChunks(readPage: ReadAuditPage, query: AuditReportQuery): Promise<AuditReport> {
  const rows: ReportRow[] = [];
  let dataThrough: string | null = null;
  const { from, to } = query.dates;
  for (let start = from; start <= to; start = addDays(start, HOURLY_MAX_DATES)) {
    const end = addDays(start, HOURLY_MAX_DATES - 1);
    const report = await readAuditReport(readPage, { ...query, dates: { from: start, to: end < to ? end : to } });
    for (const row of report.rows) rows.push(row);
    dataThrough = report.dataThrough ?? dataThrough;
  }
  return { rows, dataThrough };
}

/** What an audit has found, in the words of the command and of the console. */
export interface AuditDescription {
  readonly kind: 'good' | 'neutral' | 'late' | 'bad';
  /** A sentence without its full stop. */
  readonly title: string;
  /** What was compared: from when on, how far the network's data reach, what is left out. */
  readonly facts: readonly string[];
}

/** Describes an audit. `spell` writes the beginning of an hour. */
export function describeAudit(audit: Audit, spell: (hour: string) => string): AuditDescription {
  const { begins, data_through: through, tolerance, rows, grain } = audit;
  const isYounger = begins !== null && rows.length === 0;
  const facts = [
    begins !== null && !isYounger && `from ${spell(begins)}, when the ledger began`,
    !isYounger && (through === null ? 'the network has no data yet' : `data through ${spell(through)}`),
    `tolerance ${Math.round(tolerance * 1e6) / 1e4} %`,
    rows.some(({ verdict }) => verdict === 'open') && `the current ${grain} is not over and left out`,
  ].filter((fact) => fact !== false);
  if (isYounger)
    return { kind: 'neutral', title: `The ledger began later, and is complete from ${spell(begins)} on`, facts };
  const wrong = rows.filter(isWrong);
  if (!audit.within)
    return wrong.length > 0 && wrong.every(({ verdict }) => verdict === 'late')
      ? { kind: 'late', title: INCOMPLETE, facts }
      : { kind: 'bad', title: 'The counts differ', facts };
  if (audit.problems.length > 0)
    return { kind: 'neutral', title: 'Nothing differs, but parts of the ledger are missing', facts };
  if (rows.length === 0) return { kind: 'neutral', title: 'Nothing was counted', facts };
  if (rows.every(({ verdict }) => verdict === 'open'))
    return { kind: 'neutral', title: 'There is nothing to compare yet', facts };
  return { kind: 'good', title: 'Both counts agree', facts };
}
