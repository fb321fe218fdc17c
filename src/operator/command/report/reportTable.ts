import { safeText } from '../../../cli/output/displayWidth.ts';
import type { Cell, Column, Table } from '../../../cli/output/table.ts';
import { formatChange, formatMetric } from './formatMetric.ts';
import { formatPeriod, isOpen } from './formatPeriod.ts';
import type { FlatRow, WholeReport } from './readWholeReport.ts';
import type { Wanted } from './readQuery.ts';

/** Returns the metrics of a report, in order. */
export function metricsOf({ summary }: WholeReport): string[] {
  return Object.keys(summary);
}

/** Returns a report as a table: one row turns into a list of its metrics, which fits every terminal. */
export function reportTable(report: WholeReport, wanted: Wanted): Table {
  const isList = wanted.grain === 'total' && wanted.by.length === 0;
  return isList ? metricList(report) : rowTable(report, wanted);
}

function metricList({ totals, summary, compared }: WholeReport): Table {
  return {
    columns: [
      { header: 'METRIC' },
      { header: 'VALUE', isNumber: true },
      ...(compared ? [BEFORE, { header: 'CHANGE', isNumber: true }] : []),
    ],
    rows: Object.keys(summary).map((name) => [
      name,
      { text: formatMetric(name, totals[name]), tone: 'strong' },
      ...(compared ? [formatMetric(name, beforeOf(totals, name)), formatChange(name, totals)] : []),
    ]),
  };
}

const BEFORE: Column = { header: 'BEFORE', isNumber: true };

function rowTable(report: WholeReport, wanted: Wanted): Table {
  const { flat, totals, compared } = report;
  const metrics = metricsOf(report);
  const hasPeriod = wanted.grain !== 'total';
  // What was asked for is cut rather than left out.
  const rankOf = (name: string): number => (wanted.metrics ? 0 : rank(name));
  const columns: Column[] = [
    ...(hasPeriod ? [{ header: 'PERIOD (UTC)', isFixed: true }] : []),
    ...wanted.by.map((name) => ({ header: name.toUpperCase() })),
    ...metrics.flatMap((name, index): Column[] => [
      { header: name, isNumber: true, rank: rankOf(name) },
      ...(compared
        ? [
            { header: 'before', isNumber: true, rank: 100 + index },
            { header: 'change', isNumber: true, rank: rankOf(name) },
          ]
        : []),
    ]),
  ];
  const cellsOf = (row: FlatRow): Cell[] =>
    metrics.flatMap((name): Cell[] => [
      formatMetric(name, row[name]),
      ...(compared
        ? [{ text: formatMetric(name, beforeOf(row, name)), tone: 'dim' as const }, formatChange(name, row)]
        : []),
    ]);
  const leading = (hasPeriod ? 1 : 0) + wanted.by.length;
  return {
    columns,
    rows: flat.map((row) => [
      ...(hasPeriod ? [periodCell(row, wanted)] : []),
      ...wanted.by.map((name) => groupCell(row, name)),
      ...cellsOf(row),
    ]),
    footer: [...Array.from({ length: leading }, (_, index) => (index === 0 ? 'Total' : '')), ...cellsOf(totals)],
  };
}

/** Periods that are not over yet are marked: their change is not the last word. */
function periodCell(row: FlatRow, { grain }: Wanted): string {
  const text = formatPeriod(String(row['period_start']), String(row['period_end']), grain);
  return isOpen(row) ? `${text} *` : text;
}

/** Returns the value of a breakdown; a dash for activity that has none. */
export function groupCell(row: FlatRow, grouping: string): string {
  const value = row[columnOf(grouping)];
  return typeof value === 'string' ? safeText(value) : '–';
}

/** A breakdown by publisher has a column for the name. */
function columnOf(grouping: string): string {
  return grouping === 'publisher' ? 'publisher_name' : grouping;
}

function beforeOf(row: FlatRow, name: string): unknown {
  // No row means no activity, which is zero.
  return row[`${name}_before`] ?? 0;
}

/** What people look at first; the others give way on a narrow terminal. */
const FIRST = ['clicks', 'impressions', 'channel_payout', 'publisher_payout', 'ctr', 'conversions', 'cvr'];

function rank(metric: string): number {
  const place = FIRST.indexOf(metric);
  return place < 0 ? FIRST.length : place;
}
