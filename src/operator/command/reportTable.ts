import { safeText } from '../../program/terminal.ts';
import type { Cell, Column, Table } from '../../program/print.ts';
import type { NamedPublisher } from './publisherCommands.ts';
import type { RequestedReport } from './readQuery.ts';
import type { Row, Totals } from '../reports/comparison.ts';
import { changeText, isMoney, newsOf, sortablePeriod, valueText } from '../reports/format.ts';
import type { WholeReport } from '../clients/readWholeReport.ts';
import { isUnfinished } from '../reports/period.ts';
import type { ReportSpec } from '../reports/reportSpec.ts';
import type { DateRange } from '../../wire/utcDates.ts';

/** A report in the form in which it is printed. */
export interface PrintedReport extends WholeReport {
  readonly query: RequestedReport;
  readonly dates: DateRange | undefined;
  /** The filters, with publishers by their ids, and those publishers. */
  readonly filters: ReportSpec['filters'];
  readonly publishers: readonly NamedPublisher[];
  /** The label of amounts; null when nothing names it. */
  readonly currency: string | null;
  /** The rows without those that `--limit` leaves out. */
  readonly printed: readonly Row[];
}

/** Returns a report as a table: one row turns into a list of its metrics, which fits every terminal. */
export function reportTable(report: PrintedReport): Table {
  const isList = report.query.grain === 'total' && report.query.by.length === 0;
  return isList ? metricList(report) : rowTable(report);
}

function metricList({ totals, metrics, compared, currency }: PrintedReport): Table {
  return {
    columns: [
      { header: 'METRIC' },
      { header: 'VALUE', isNumber: true },
      ...(compared
        ? [
            { header: 'BEFORE', isNumber: true },
            { header: 'CHANGE', isNumber: true },
          ]
        : []),
    ],
    rows: metrics.map((name) => [
      titleOf(name, currency),
      { text: metricText(name, totals), tone: 'strong' },
      ...(compared ? [beforeText(name, totals), changeCell(name, totals)] : []),
    ]),
  };
}

function rowTable({ totals, metrics, compared, meta, query, printed, currency }: PrintedReport): Table {
  const hasPeriod = query.grain !== 'total';
  // Requested columns are cut rather than left out.
  const rankOf = (name: string): number => (query.metrics ? 0 : rank(name));
  const columns: Column[] = [
    ...(hasPeriod ? [{ header: 'PERIOD (UTC)', isFixed: true }] : []),
    ...query.by.map((name) => ({ header: name.toUpperCase() })),
    ...metrics.flatMap((name, index): Column[] => [
      { header: titleOf(name, currency), isNumber: true, rank: rankOf(name) },
      ...(compared
        ? [
            { header: 'before', isNumber: true, rank: 100 + index },
            { header: 'change', isNumber: true, rank: rankOf(name) },
          ]
        : []),
    ]),
  ];
  const cellsOf = (row: Row | Totals): Cell[] =>
    metrics.flatMap((name): Cell[] => [
      metricText(name, row),
      ...(compared ? [{ text: beforeText(name, row), tone: 'dim' as const }, changeCell(name, row, query.sort)] : []),
    ]);
  const leading = (hasPeriod ? 1 : 0) + query.by.length;
  return {
    columns,
    rows: printed.map((row) => [
      ...(hasPeriod ? [periodCell(row, query, meta.data_through)] : []),
      ...query.by.map((name) => groupCell(row, name)),
      ...cellsOf(row),
    ]),
    footer: [...Array.from({ length: leading }, (_, index) => (index === 0 ? 'Total' : '')), ...cellsOf(totals)],
  };
}

/** The name of a metric, with the label of its amounts. */
function titleOf(name: string, currency: string | null): string {
  return currency !== null && isMoney(name) ? `${name} (${safeText(currency)})` : name;
}

/** Periods that are not over yet are marked: their change is not the last word. */
function periodCell(row: Row, { grain }: RequestedReport, dataThrough: string | null): string {
  const text = sortablePeriod(row.period_start, row.period_end, grain);
  return isUnfinished(row, dataThrough) ? `${text} *` : text;
}

/** Returns the value of a breakdown; a dash for activity that has none. */
function groupCell(row: Row, grouping: string): string {
  const value = row[grouping === 'publisher' ? 'publisher_name' : grouping];
  return typeof value === 'string' ? safeText(value) : '–';
}

/** Returns a metric of a row for people. */
function metricText(name: string, row: Row | Totals): string {
  const value = row[name];
  return typeof value === 'number' ? valueText(name, value) : '–';
}

/** Returns the metric of the counterpart; no row means no activity, which is zero. */
function beforeText(name: string, { counterpart }: Row | Totals): string {
  return valueText(name, Number(counterpart?.[name] ?? 0));
}

/** Returns the change of a metric, with the tone of its news. */
export function changeCell(name: string, { change, counterpart }: Row | Totals, sort = ''): Exclude<Cell, string> {
  const changed = change?.[name];
  const before = counterpart?.[name];
  const known = typeof before === 'number' ? before : undefined;
  const text = changeText(changed, known).replace('−', '-');
  if (!changed || text === '') return { text: '–' };
  // What the rows are sorted by is in the table.
  const isOrder = sort.replace(/^-/, '') === `${name}_change` && changed.points === null;
  const amount = `${changed.difference > 0 ? '+' : ''}${valueText(name, changed.difference)}`;
  return { text: isOrder ? `${amount} (${text})` : text, tone: newsOf(name, changed, known) };
}

/** What people look at first; the others give way on a narrow terminal. */
const FIRST = ['clicks', 'impressions', 'channel_payout', 'publisher_payout', 'ctr', 'conversions', 'cvr'];

function rank(metric: string): number {
  const place = FIRST.indexOf(metric);
  return place < 0 ? FIRST.length : place;
}
