import { REPORT_MAX_ROWS } from '../../wire/limits.ts';
import type { Report, ReportRow } from '../../wire/reporting.ts';
import type { Queries } from '../database/database.ts';
import type { ReportingSettings } from '../settings/settings.ts';
import {
  metricNotAvailable,
  noDataYet,
  outsideWindow,
  tooManyRows,
  tooManySourceRows,
  type CodedError,
} from './codedErrors.ts';
import { dateOf, startOf, timestamp, type DateRange } from '../../wire/utcDates.ts';
import { countHourlyFacts, findSpan, matchingFacts, type FactsOwner } from './matchingFacts.ts';
import { clippedPeriod } from './clippedPeriod.ts';
import type { ReportRequest } from './parseReportRequest.ts';
import { groupingColumns, reportStatement, SUMMARY_PREFIX, type StatementRow } from './reportStatement.ts';
import { availableWindow, defaultRange, type History } from './availableWindow.ts';
import type { Metric, Variant } from './variant.ts';

/** Maximum facts read for one report unless `source_row_limit` is set: a few seconds of work. */
const SOURCE_MAX_ROWS = 5_000_000;

/** What a report is made from besides the request. */
export interface ReportSource {
  readonly db: Queries;
  readonly owner: FactsOwner;
  readonly settings: ReportingSettings;
  readonly now: Date;
  readonly requestId: string;
}

/** The enabled metrics of a report, in the order of docs/rules.md#metrics-and-money. */
export function enabledMetrics(variant: Variant, settings: ReportingSettings): readonly Metric[] {
  const { enabled_metrics: enabled } = settings;
  return enabled === undefined ? variant.metrics : variant.metrics.filter((metric) => enabled.includes(metric));
}

/** Returns the report, or the first error in this order: the window, the metrics, the data, its limits (docs/rules.md#r2). */
export async function makeReport(
  source: ReportSource,
  query: ReportRequest,
): Promise<{ report: Report } | { refused: CodedError }> {
  const { db, owner, settings, now } = source;
  const { firstDate, latestHour } = await findSpan(db, owner, now);
  const dataThrough = settings.data_through === undefined ? latestHour : new Date(settings.data_through);
  const history: History = {
    today: dateOf(now.getTime()),
    firstDate,
    latestDate: dataThrough && dateOf(dataThrough.getTime()),
    historyFrom: settings.history_from,
    hourlyDates: settings.hourly_dates,
  };
  const window = availableWindow(query.grain, history);
  if (query.range !== undefined && query.range.from < window.from)
    return { refused: outsideWindow(query.range, window) };
  const enabled = enabledMetrics(owner.variant, settings);
  const disabled = query.metrics.filter((metric) => !enabled.includes(metric));
  if (disabled.length > 0) return { refused: metricNotAvailable(disabled, enabled) };
  if (firstDate === undefined) return { refused: noDataYet(owner.variant.name) };

  const range = query.range ?? defaultRange(query.grain, history);
  const facts = matchingFacts(owner, range, query);
  const { sql, params } = reportStatement(facts, query, owner.variant);
  const rows = await db.query<StatementRow>(sql, params);
  const { total_rows: total = 0, source_rows: factsRead = 0 } = rows[0] ?? {};
  const maxSourceRows = settings.source_row_limit ?? SOURCE_MAX_ROWS;
  const isByDay = query.grain !== 'hour';
  // A daily fact sums up at most 24 hourly ones, which are counted only if there could be too many.
  const sourceRows = isByDay && factsRead * 24 > maxSourceRows ? await countHourlyFacts(db, facts) : factsRead;
  if (sourceRows > maxSourceRows) return { refused: tooManySourceRows(maxSourceRows, sourceRows) };
  const maxRows = settings.report_row_limit ?? REPORT_MAX_ROWS;
  if (total > maxRows) return { refused: tooManyRows(maxRows, total) };
  return { report: shape({ rows, total, query, range, dataThrough, requestId: source.requestId }) };
}

interface ReportParts {
  readonly rows: readonly StatementRow[];
  readonly total: number;
  readonly query: ReportRequest;
  readonly range: DateRange;
  readonly dataThrough: Date | undefined;
  readonly requestId: string;
}

function shape({ rows, total, query, range, dataThrough, requestId }: ReportParts): Report {
  const { offset, limit, metrics } = query;
  const data = rows.filter((row) => row.period !== null).map((row) => reportRow(row, query, range));
  return {
    data,
    summary: Object.fromEntries(metrics.map((metric) => [metric, Number(rows[0]?.[SUMMARY_PREFIX + metric] ?? 0)])),
    pagination: { offset, limit, total, has_more: offset + data.length < total },
    meta: {
      timezone: 'UTC',
      data_through: dataThrough ? periodStart(query, dataThrough) : null,
      request_id: requestId,
    },
  };
}

function reportRow(row: StatementRow, { grain, groupBy, metrics }: ReportRequest, range: DateRange): ReportRow {
  const period = clippedPeriod(grain, Number(row.period) * 1000, range);
  return {
    period_start: timestamp(period.start),
    period_end: timestamp(period.end),
    ...Object.fromEntries(groupingColumns(groupBy).map((column) => [column, (row[column] ?? null) as string | null])),
    ...Object.fromEntries(metrics.map((metric) => [metric, Number(row[metric])])),
  };
}

/** The start of the latest available period: an hour for hourly reports, otherwise a day. */
function periodStart({ grain }: ReportRequest, hour: Date): string {
  return timestamp(
    grain === 'hour' ? Math.floor(hour.getTime() / 3_600_000) * 3_600_000 : startOf(dateOf(hour.getTime())),
  );
}
