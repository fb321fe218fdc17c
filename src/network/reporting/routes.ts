import { REPORT_MAX_ROWS, DEFAULT_DATES, HOURLY_MAX_DATES } from '../../wire/limits.ts';
import {
  CHANNEL_REPORT_PATH,
  PUBLISHER_REPORT_PATH,
  type Report,
  type ReportRow,
  type TimeGrain,
  type ReportErrorCode,
  type Metric,
} from '../../wire/reporting.ts';
import { addDays, dateOf, nextStart, startOf, timestamp, type DateRange } from '../../wire/utcDates.ts';
import { type NetworkContext, type NetworkRoute, authenticate, surfaceError } from '../context.ts';
import type { Queries } from '../database/database.ts';
import type { ReportingSettings } from '../settings.ts';
import {
  parseReportRequest,
  type ReportRequest,
  CHANNEL_REPORT,
  PUBLISHER_REPORT,
  type Variant,
} from './parseReportRequest.ts';
import {
  countSourceRows,
  findSpan,
  matchingFacts,
  type FactsOwner,
  groupingColumns,
  reportStatement,
  SUMMARY_PREFIX,
  type StatementRow,
} from './reportStatement.ts';

/** Publisher reporting is served under this prefix, in which `{merchant_base_url}` ends (src/network/contract/rules.md#r58). */
const PUBLISHER_PREFIX = '/api';
const V1_PATHS = ['/adnet/reporting/v1/summary/', '/adnet/reporting/v1/publishers/'];

/** Both reports of the Reporting API V2, and what says that there is no V1. None redirects: a redirect would send the key again. */
export const reportingRoutes: readonly NetworkRoute[] = [
  reportRoute(CHANNEL_REPORT_PATH, CHANNEL_REPORT),
  reportRoute(`${PUBLISHER_PREFIX}${PUBLISHER_REPORT_PATH}`, PUBLISHER_REPORT),
  ...V1_PATHS.map((pattern): NetworkRoute => {
    const detail = `Reporting V1 is not available. Use V2: ${CHANNEL_REPORT_PATH}`;
    return { methods: '*', pattern, surface: 'reporting', handler: async () => surfaceError('reporting', 404, detail) };
  }),
];

function reportRoute(pattern: string, variant: Variant): NetworkRoute {
  const handler: NetworkRoute['handler'] = (request, context) => report(request, context, variant);
  return { methods: ['GET'], pattern, surface: 'reporting', handler };
}

async function report(request: Request, context: NetworkContext, variant: Variant): Promise<Response> {
  const isChannel = variant.name === 'channel';
  const caller = await authenticate(request, context, [isChannel ? 'management' : 'publisher_reporting']);
  if (!caller.ok) return surfaceError('reporting', 401, caller.message);
  const id = isChannel ? caller.key.channel_id : caller.key.publisher_id;
  if (id === null) return surfaceError('reporting', 401, 'This key does not belong to a publisher.');

  const [settings, now] = await Promise.all([context.settings(), context.now()]);
  const enabled = enabledMetrics(variant, settings);
  const parsed = parseReportRequest(new URL(request.url), { variant, enabled, today: dateOf(now.getTime()) });
  if (!parsed.ok) return Response.json(parsed.errors, { status: 400 });
  const source = { owner: { variant, id }, settings, now, requestId: context.requestId };
  const made = await context.db.read((db) => makeReport({ db, ...source }, parsed.query));
  return Response.json(made, { status: 'code' in made ? 400 : 200 });
}

/** Maximum facts read for one report unless `source_row_limit` is set: a few seconds of work. */
const SOURCE_MAX_ROWS = 5_000_000;

/** What a report is made from besides the request. */
interface ReportSource {
  readonly db: Queries;
  readonly owner: FactsOwner;
  readonly settings: ReportingSettings;
  readonly now: Date;
  readonly requestId: string;
}

/** The enabled metrics of a report, in the order of src/network/contract/rules.md#metrics-and-money. */
function enabledMetrics(variant: Variant, settings: ReportingSettings): readonly Metric[] {
  const { enabled_metrics: enabled } = settings;
  return enabled === undefined ? variant.metrics : variant.metrics.filter((metric) => enabled.includes(metric));
}

/** Returns the report, or the first error in this order: the window, the metrics, the data, its limits (src/network/contract/rules.md#r2). */
async function makeReport(source: ReportSource, query: ReportRequest): Promise<Report | CodedError> {
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
    return {
      code: 'DATE_RANGE_OUTSIDE_AVAILABLE_WINDOW',
      message: `from is ${query.range.from}, but the history starts on ${window.from}. Use a later date.`,
      available_window: window,
    };
  const enabled = enabledMetrics(owner.variant, settings);
  const disabled = query.metrics.filter((metric) => !enabled.includes(metric));
  if (disabled.length > 0)
    return { code: 'METRIC_NOT_AVAILABLE', unsupported_metrics: disabled, allowed_metrics: enabled };
  if (firstDate === undefined)
    return {
      code: 'REPORTING_DATA_UNAVAILABLE',
      message: `There is no reporting data for this ${owner.variant.name} yet.`,
    };

  const range = query.range ?? defaultRange(query.grain, history);
  const facts = matchingFacts(owner, range, query);
  const maxSourceRows = settings.source_row_limit ?? SOURCE_MAX_ROWS;
  // Counting takes a fraction of what summing up does.
  const sourceRows = await countSourceRows(db, facts, { grain: query.grain, max: maxSourceRows });
  if (sourceRows > maxSourceRows)
    return {
      code: 'REPORTING_SOURCE_ROW_LIMIT_EXCEEDED',
      message: `The report reads ${sourceRows} source rows; the maximum is ${maxSourceRows}. Use a shorter range or a filter.`,
      max_rows: maxSourceRows,
      total_rows: sourceRows,
    };
  const { sql, params } = reportStatement(facts, query, owner.variant);
  const rows = await db.query<StatementRow>(sql, params);
  const total = rows[0]?.total_rows ?? 0;
  const maxRows = settings.report_row_limit ?? REPORT_MAX_ROWS;
  if (total > maxRows)
    return {
      code: 'REPORT_ROW_LIMIT_EXCEEDED',
      message: `The report has ${total} rows; the maximum is ${maxRows}. Use a shorter range, a filter or fewer breakdowns.`,
      max_rows: maxRows,
      total_rows: total,
    };
  return shape({ rows, total, query, range, dataThrough, requestId: source.requestId });
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

/** How many dates a report may reach back unless `history_from` is set. Older activity extends it. */
const HISTORY_DATES = 3 * 366;

/** The history of the owner of a key, as UTC dates. */
interface History {
  readonly today: string;
  /** The dates of its first and its latest available activity. */
  readonly firstDate: string | undefined;
  readonly latestDate: string | undefined;
  /** Settings: the first date of the history, and for how many dates, including today, there is hourly history. */
  readonly historyFrom: string | undefined;
  readonly hourlyDates: number | undefined;
}

/** The dates that a report may cover. Hourly history may be shorter (src/network/contract/rules.md#r48). */
function availableWindow(grain: TimeGrain, history: History): DateRange {
  const { today, firstDate, historyFrom, hourlyDates } = history;
  const reach = addDays(today, 1 - HISTORY_DATES);
  const from = historyFrom ?? earliest(reach, firstDate ?? reach);
  return { from: grain === 'hour' ? latest(from, hourlyStart(today, hourlyDates) ?? from) : from, to: today };
}

/** The default dates: the latest 7 of the history, or 3 for an hourly report (src/network/contract/rules.md#r46). */
function defaultRange(grain: TimeGrain, history: History): DateRange {
  const { today, firstDate, latestDate, historyFrom, hourlyDates } = history;
  const begin = historyFrom ?? firstDate ?? addDays(today, 1 - DEFAULT_DATES);
  const start = earliest(today, grain === 'hour' ? latest(begin, hourlyStart(today, hourlyDates) ?? begin) : begin);
  const to = latest(start, earliest(today, latestDate ?? today));
  return { from: latest(start, addDays(to, 1 - (grain === 'hour' ? HOURLY_MAX_DATES : DEFAULT_DATES))), to };
}

function hourlyStart(today: string, dates: number | undefined): string | undefined {
  return dates === undefined ? undefined : addDays(today, 1 - dates);
}

// Dates as YYYY-MM-DD sort as text.
function earliest(one: string, other: string): string {
  return one < other ? one : other;
}

function latest(one: string, other: string): string {
  return one > other ? one : other;
}

/** In milliseconds. The start belongs to the period, the end does not. */
interface Period {
  readonly start: number;
  readonly end: number;
}

/** The period of a grain that begins at `start`, clipped to the requested range (src/network/contract/rules.md#r21). */
function clippedPeriod(grain: TimeGrain, start: number, requested: DateRange): Period {
  const first = startOf(requested.from);
  const last = startOf(addDays(requested.to, 1));
  if (grain === 'total') return { start: first, end: last };
  return { start: Math.max(start, first), end: Math.min(nextStart(start, grain), last) };
}

/** The body of an error with a code, a 400. */
interface CodedError {
  readonly code: ReportErrorCode;
  readonly [field: string]: unknown;
}
