import { randomUUID } from 'node:crypto';
import {
  type ReportingClient,
  isSortedByNetwork,
  readWholeReport,
  sortRows,
  type WholeReport,
} from '../clients/ReportingClient.ts';
import type { Row } from '../reports/comparison.ts';
import { COMPARES } from '../reports/period.ts';
import type { ReportVariant } from '../reports/reportQuery.ts';
import { groupKeyOf } from '../reports/series.ts';
import { oneOf } from '../../wire/json.ts';
import { isTextColumn } from '../../wire/reporting.ts';
import { toCsv } from '../../wire/toCsv.ts';
import type { ConsoleReport } from './protocol.ts';

/** Reads reports and keeps the last ones, so that a page gets only the rows that it shows. */
export interface Reports {
  /** GET report: the rows from `offset` on, and those of a chart. With the id in `known`, the network is not called. */
  read(params: URLSearchParams, signal: AbortSignal): Promise<ConsoleReport>;
  /** GET report-csv: all rows of a report that a page shows. */
  csv(params: URLSearchParams, signal: AbortSignal): Promise<{ readonly csv: string }>;
}

/** Rows of one response: more than a window shows. */
const WINDOW_ROWS = 100;
/** Maximum number of cached reports: those of a few tabs. */
const MAX_KEPT = 4;
/** Lines of a chart: more can't be distinguished. */
const MAX_LINES = 6;
/** Bars of a chart, for each metric. */
const MAX_BARS = 12;

const TEXTS = ['from', 'to', 'time_grain'];
const LISTS = ['metrics', 'group_by', 'page_types', 'widget_types', 'publisher_ids'];

interface Kept {
  readonly id: string;
  /** The request to the network. */
  readonly asked: string;
  readonly whole: WholeReport;
  /** Its rows in the order that was requested last: the windows of a page have one order. */
  sorted: { readonly sort: string; readonly rows: readonly Row[] } | undefined;
  /** The highest groups by the metric of a chart. */
  readonly groups: Map<string, readonly Row[]>;
}

/** Creates the reports of one key. */
export function createReports(client: ReportingClient<ReportVariant>, variant: ReportVariant): Reports {
  const kept = new Map<string, Kept>();

  async function find(params: URLSearchParams, signal: AbortSignal): Promise<Kept> {
    const sorting = sortingOf(params, variant);
    const query = queryOf(params);
    const asked = JSON.stringify([query, sorting.compare, isSortedByNetwork(sorting) ? sorting.sort : '']);
    const known = kept.get(params.get('known') ?? '');
    if (known?.asked === asked) return known;
    const limit = params.get('limit') ?? '';
    const first = /^\d{1,5}$/.test(limit) ? Number(limit) : undefined;
    const whole = await readWholeReport({ reader: client, query, ...sorting, first, signal });
    const report: Kept = { id: randomUUID(), asked, whole, sorted: undefined, groups: new Map() };
    if (first === undefined) kept.set(report.id, report);
    for (const id of [...kept.keys()].slice(0, -MAX_KEPT)) kept.delete(id);
    return report;
  }

  function rowsOf(report: Kept, params: URLSearchParams): readonly Row[] {
    const sorting = sortingOf(params, variant);
    const { sort } = sorting;
    if (isSortedByNetwork(sorting)) return report.whole.rows;
    if (report.sorted?.sort !== sort) report.sorted = { sort, rows: sortRows(report.whole.asRead, sort) };
    return report.sorted.rows;
  }

  return {
    async read(params, signal) {
      const report = await find(params, signal);
      const { whole } = report;
      const rows = rowsOf(report, params);
      const offset = Math.min(Number(params.get('offset')) || 0, rows.length);
      const groups = await groupsOf(report, params, signal);
      return {
        id: report.id,
        rows: rows.slice(offset, offset + WINDOW_ROWS),
        offset,
        count: rows.length,
        groups,
        // Each window would repeat them.
        chart_rows: offset > 0 || rows.length <= WINDOW_ROWS ? null : chartRows(whole, { params, groups }),
        totals: whole.totals,
        compared: whole.compared ?? null,
        total: whole.total,
        timezone: whole.meta.timezone,
        data_through: whole.meta.data_through,
      };
    },
    async csv(params, signal) {
      return { csv: toCsv(rowsOf(await find(params, signal), params)) };
    },
  };

  /** The totals of the highest groups: ratios of a group can't be made from its periods. */
  async function groupsOf(
    { whole, groups }: Kept,
    params: URLSearchParams,
    signal: AbortSignal,
  ): Promise<readonly Row[] | null> {
    const chart = params.get('chart') ?? '';
    const hasLines = params.get('group_by') && params.get('time_grain') !== 'total' && whole.metrics.includes(chart);
    if (!hasLines || params.has('offset')) return null;
    const found = groups.get(chart);
    if (found) return found;
    const { rows } = await readWholeReport({
      reader: client,
      query: { ...queryOf(params), time_grain: 'total', metrics: [chart] },
      variant,
      sort: `-${chart}`,
      first: MAX_LINES,
      signal,
    });
    const highest = rows.slice(0, MAX_LINES);
    groups.set(chart, highest);
    return highest;
  }
}

function sortingOf(
  params: URLSearchParams,
  variant: ReportVariant,
): { variant: ReportVariant; sort: string; compare: 'previous' | 'year' | undefined } {
  return { variant, sort: params.get('sort') ?? '', compare: oneOf(COMPARES, params.get('compare')) };
}

/** Unknown parameters are left out; the network validates the rest. */
function queryOf(params: URLSearchParams): Record<string, unknown> {
  const query: Record<string, unknown> = {};
  for (const name of TEXTS) if (params.get(name)) query[name] = params.get(name);
  for (const name of LISTS) if (params.get(name)) query[name] = params.get(name)?.split(',');
  return query;
}

/** The rows that a chart draws: those of its groups, the highest by each metric, or all where there is one for each period. */
function chartRows(
  { asRead, metrics }: WholeReport,
  { params, groups }: { params: URLSearchParams; groups: readonly Row[] | null },
): readonly Row[] {
  const by = params.get('group_by')?.split(',') ?? [];
  if (by.length === 0) return asRead;
  if (groups) {
    const keys = new Set(groups.map((row) => groupKeyOf(row, by)));
    // A line requires one metric, and no comparison.
    const columns = new Set([
      ...Object.keys(asRead[0] ?? {}).filter((name) => isTextColumn(name)),
      params.get('chart'),
    ]);
    return asRead
      .filter((row) => keys.has(groupKeyOf(row, by)))
      .map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => columns.has(name))) as Row);
  }
  const highest = new Set<Row>();
  for (const metric of metrics) for (const row of sortRows(asRead, `-${metric}`).slice(0, MAX_BARS)) highest.add(row);
  return [...highest];
}
