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
import { type NetworkContext, type NetworkRoute, authenticate } from '../context.ts';
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

/** Both reports of the Reporting API V2, and clear errors for similar paths. None redirects: a redirect would send the key again. */
export const reportingRoutes: readonly NetworkRoute[] = [
  reportRoute(CHANNEL_REPORT_PATH, CHANNEL_REPORT),
  reportRoute(`${PUBLISHER_PREFIX}${PUBLISHER_REPORT_PATH}`, PUBLISHER_REPORT),
  ...[CHANNEL_REPORT_PATH, `${PUBLISHER_PREFIX}${PUBLISHER_REPORT_PATH}`].map((path) =>
    notFoundRoute(withoutSlash(path), `There is nothing at this path. Add a slash at the end: ${path}`),
  ),
  ...V1_PATHS.flatMap((path) => [path, withoutSlash(path)]).map((path) =>
    notFoundRoute(path, `Reporting V1 is not available. Use V2: ${CHANNEL_REPORT_PATH}`),
  ),
];

function reportRoute(pattern: string, variant: Variant): NetworkRoute {
  return {
    pattern,
    methods: '*',
    surface: 'reporting',
    async handler(request, context) {
      if (request.method !== 'GET') {
        return respond(context, 405, { detail: `${request.method} is not allowed. Use GET.` }, { allow: 'GET' });
      }
      return report(request, context, variant);
    },
  };
}

async function report(request: Request, context: NetworkContext, variant: Variant): Promise<Response> {
  const caller = await authenticate(request, context, [
    variant.name === 'channel' ? 'management' : 'publisher_reporting',
  ]);
  if (!caller.ok) return respond(context, 401, { detail: caller.message });
  const id = variant.name === 'channel' ? caller.key.channel_id : caller.key.publisher_id;
  if (id === null) return respond(context, 401, { detail: 'This key does not belong to a publisher.' });

  const [settings, now] = await Promise.all([context.settings(), context.now()]);
  const enabled = enabledMetrics(variant, settings);
  const parsed = parseReportRequest(new URL(request.url), { variant, enabled, today: dateOf(now.getTime()) });
  if (!parsed.ok) return respond(context, 400, parsed.errors);
  const source = { owner: { variant, id }, settings, now, requestId: context.requestId };
  const made = await context.db.read((db) => makeReport({ db, ...source }, parsed.query));
  return 'report' in made ? respond(context, 200, made.report) : respond(context, 400, made.refused);
}

function notFoundRoute(pattern: string, detail: string): NetworkRoute {
  return {
    pattern,
    methods: '*',
    surface: 'reporting',
    handler: async (_request, context) => respond(context, 404, { detail }),
  };
}

function respond(
  context: NetworkContext,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json(body, {
    status,
    headers: { 'x-request-id': context.requestId, 'cache-control': 'no-store', ...headers },
  });
}

function withoutSlash(path: string): string {
  return path.slice(0, -1);
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
async function makeReport(
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
  const maxSourceRows = settings.source_row_limit ?? SOURCE_MAX_ROWS;
  // Counting takes a fraction of what summing up does.
  const sourceRows = await countSourceRows(db, facts, { grain: query.grain, max: maxSourceRows });
  if (sourceRows > maxSourceRows) return { refused: tooManySourceRows(maxSourceRows, sourceRows) };
  const { sql, params } = reportStatement(facts, query, owner.variant);
  const rows = await db.query<StatementRow>(sql, params);
  const total = rows[0]?.total_rows ?? 0;
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

/** The body of an error with a code. Its status is always 400. */
interface CodedError {
  readonly code: ReportErrorCode;
  readonly [field: string]: unknown;
}

/** A documented metric is disabled for this caller (src/network/contract/rules.md#r13). */
function metricNotAvailable(unsupported: readonly Metric[], allowed: readonly Metric[]): CodedError {
  return { code: 'METRIC_NOT_AVAILABLE', unsupported_metrics: unsupported, allowed_metrics: allowed };
}

/** The range starts before the history. */
function outsideWindow(requested: DateRange, available: DateRange): CodedError {
  return {
    code: 'DATE_RANGE_OUTSIDE_AVAILABLE_WINDOW',
    message: `from is ${requested.from}, but the history starts on ${available.from}. Use a later date.`,
    available_window: { from: available.from, to: available.to },
  };
}

/** The owner of the key has never had any activity. */
function noDataYet(owner: 'channel' | 'publisher'): CodedError {
  return { code: 'REPORTING_DATA_UNAVAILABLE', message: `There is no reporting data for this ${owner} yet.` };
}

/** The report has too many rows before paging. */
function tooManyRows(max: number, total: number): CodedError {
  return {
    code: 'REPORT_ROW_LIMIT_EXCEEDED',
    message: `The report has ${total} rows; the maximum is ${max}. Use a shorter range, a filter or fewer breakdowns.`,
    max_rows: max,
    total_rows: total,
  };
}

/** The report would read too many facts. */
function tooManySourceRows(max: number, total: number): CodedError {
  return {
    code: 'REPORTING_SOURCE_ROW_LIMIT_EXCEEDED',
    message: `The report reads ${total} source rows; the maximum is ${max}. Use a shorter range or a filter.`,
    max_rows: max,
    total_rows: total,
  };
}
