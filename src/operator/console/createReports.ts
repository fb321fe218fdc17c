import type { ReportingClient } from '../clients/ReportingClient.ts';
import { isSortedByNetwork, readWholeReport, sortRows, type WholeReport } from '../clients/readWholeReport.ts';
import { ReportChangedError } from '../clients/errors.ts';
import { setNewest } from '../../http/setNewest.ts';
import type { Row } from '../reports/comparison.ts';
import type { ReportVariant } from '../reports/reportQuery.ts';
import { queryOfSpec } from '../reports/reportSpec.ts';
import { readState, type ReportState } from '../reports/reportState.ts';
import { groupKeyOf } from '../reports/series.ts';
import { isTextColumn } from '../../wire/reporting.ts';
import { toCsv } from '../../text/toCsv.ts';
import type { ConsoleReport, ConsoleRows } from './protocol.ts';

/** Reads reports and keeps the last ones, so that a page gets only the rows that it shows. */
export interface Reports {
  /** GET report: its first rows, and those of a chart. With `kept`, one that was read before will do. */
  read(params: URLSearchParams, signal: AbortSignal): Promise<ConsoleReport>;
  /**
   * GET report-rows: the rows from `offset` on of the report that was read at `read_at`. The network is never asked: a table
   * that scrolls would read a forgotten report again for each window. Throws a `ReportChangedError` instead.
   */
  rows(params: URLSearchParams): ConsoleRows;
  /** GET report-csv: all rows of a report that a page shows. */
  csv(params: URLSearchParams, signal: AbortSignal): Promise<{ readonly csv: string }>;
}

/** Rows of one response: more than a window shows. */
const WINDOW_ROWS = 100;
/** Maximum number of cached reports: those of a few tabs, each with its funnel. */
const MAX_KEPT = 8;
/** Lines of a chart: more can't be distinguished. */
const MAX_LINES = 6;
/** Bars of a chart, for each metric. */
const MAX_BARS = 12;

interface Kept {
  readonly read_at: number;
  readonly whole: WholeReport;
  /** Whether it changed with every read. */
  readonly isUnsteady: boolean;
  /** Its rows in the order that was requested last: the windows of a page have one order. */
  sorted: { readonly sort: string; readonly rows: readonly Row[] } | undefined;
  /** The highest groups by the metric of a chart. */
  readonly groups: Map<string, readonly Row[]>;
}

/** Creates the reports of one key. */
export function createReports(client: ReportingClient<ReportVariant>, variant: ReportVariant): Reports {
  /** By what the network was asked, the latest one last. */
  const kept = new Map<string, Kept>();
  let lastRead = 0;

  const keyOf = (state: ReportState): string =>
    JSON.stringify([queryOfSpec(state), isSortedByNetwork(state) ? state.sort : '']);

  async function find(state: ReportState, params: URLSearchParams, signal: AbortSignal): Promise<Kept> {
    const known = params.has('kept') ? kept.get(keyOf(state)) : undefined;
    if (known) return known;
    const limit = params.get('limit') ?? '';
    const first = /^\d{1,5}$/.test(limit) ? Number(limit) : undefined;
    let isUnsteady = false;
    const whole = await readWholeReport(client, state, { first, signal, onUnsteady: () => void (isUnsteady = true) });
    lastRead = Math.max(Date.now(), lastRead + 1);
    const report: Kept = { read_at: lastRead, whole, isUnsteady, sorted: undefined, groups: new Map() };
    if (first !== undefined) return report;
    setNewest(kept, [keyOf(state), report], { max: MAX_KEPT });
    return report;
  }

  function rowsOf(report: Kept, state: ReportState): readonly Row[] {
    const { sort } = state;
    if (isSortedByNetwork(state)) return report.whole.rows;
    if (report.sorted?.sort !== sort) report.sorted = { sort, rows: sortRows(report.whole.asRead, sort) };
    return report.sorted.rows;
  }

  return {
    async read(params, signal) {
      const state = readState(params, variant);
      const report = await find(state, params, signal);
      const { whole } = report;
      const rows = rowsOf(report, state);
      const groups = await groupsOf(report, state, signal);
      return {
        read_at: report.read_at,
        rows: rows.slice(0, WINDOW_ROWS),
        count: rows.length,
        isUnsteady: report.isUnsteady,
        groups,
        chart_rows: rows.length <= WINDOW_ROWS ? null : chartRows(whole, { state, groups }),
        totals: whole.totals,
        compared: whole.compared ?? null,
        total: whole.total,
        timezone: whole.meta.timezone,
        data_through: whole.meta.data_through,
      };
    },
    rows(params) {
      const state = readState(params, variant);
      const report = kept.get(keyOf(state));
      const read_at = Number(params.get('read_at'));
      if (report?.read_at !== read_at)
        throw new ReportChangedError('The console no longer has this report.', { status: 409 });
      const offset = Number(params.get('offset')) || 0;
      return { offset, rows: rowsOf(report, state).slice(offset, offset + WINDOW_ROWS) };
    },
    async csv(params, signal) {
      const state = readState(params, variant);
      return { csv: toCsv(rowsOf(await find(state, params, signal), state)) };
    },
  };

  /** The totals of the highest groups: ratios of a group can't be made from its periods. */
  async function groupsOf(
    { whole, groups }: Kept,
    state: ReportState,
    signal: AbortSignal,
  ): Promise<readonly Row[] | null> {
    const { by, grain, chart } = state;
    if (by.length === 0 || grain === 'total' || !whole.metrics.includes(chart)) return null;
    const found = groups.get(chart);
    if (found) return found;
    const spec = { ...state, compare: undefined, grain: 'total', metrics: [chart], sort: `-${chart}` } as const;
    const { rows } = await readWholeReport(client, spec, { first: MAX_LINES, signal });
    const highest = rows.slice(0, MAX_LINES);
    groups.set(chart, highest);
    return highest;
  }
}

/** The rows that a chart draws: those of its groups, the highest by each metric, or all where there is one for each period. */
function chartRows(
  { asRead, metrics }: WholeReport,
  { state: { by, chart }, groups }: { readonly state: ReportState; readonly groups: readonly Row[] | null },
): readonly Row[] {
  if (by.length === 0) return asRead;
  if (groups) {
    const keys = new Set(groups.map((row) => groupKeyOf(row, by)));
    // A line requires one metric, and no comparison.
    const columns = new Set([...Object.keys(asRead[0] ?? {}).filter((name) => isTextColumn(name)), chart]);
    return asRead
      .filter((row) => keys.has(groupKeyOf(row, by)))
      .map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => columns.has(name))) as Row);
  }
  const highest = new Set<Row>();
  for (const metric of metrics) for (const row of sortRows(asRead, `-${metric}`).slice(0, MAX_BARS)) highest.add(row);
  return [...highest];
}
