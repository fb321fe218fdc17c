import { EXIT, ExitError } from '../../program/ExitError.ts';
import { columnsThatFit, renderTable, type Printable, type Table } from '../../program/print.ts';
import { safeText } from '../../program/terminal.ts';
import type { TimeGrain } from '../../wire/reporting.ts';
import { dateOf, type DateRange } from '../../wire/utcDates.ts';
import { AuthError, DateRangeError } from '../clients/errors.ts';
import { readWholeReport } from '../clients/readWholeReport.ts';
import type { Row } from '../reports/comparison.ts';
import { comparedText, plural, rangeText } from '../reports/format.ts';
import { comparedDates, datesOf, period, isUnfinished } from '../reports/period.ts';
import { datesOfSpec, FILTER_NAMES, FILTERS } from '../reports/reportSpec.ts';
import { explainFailure } from './explainFailure.ts';
import type { Connection } from './connection.ts';
import { operatorCommand, type CommandContext } from './operatorCommand.ts';
import { findPublisherId, type NamedPublisher } from './publisherCommands.ts';
import { readQuery, REPORT_OPTIONS, type RequestedReport } from './readQuery.ts';
import { funnelPrintable, funnelTable } from './funnelTable.ts';
import { reportTable, type PrintedReport } from './reportTable.ts';

/** `offerlet-operator report`: a report of the channel or of one publisher, as a table, CSV or JSON. */
export const reportCommand = operatorCommand({
  summary: 'Prints a report of the channel or of one publisher.',
  options: REPORT_OPTIONS,
  examples: [
    {
      call: 'offerlet-operator report --period 30d --grain day --metrics clicks,ctr',
      does: 'Clicks of the last 30 days, day by day',
    },
    {
      call: 'offerlet-operator report --period last-week --by publisher --compare previous --sort clicks_change',
      does: 'Whose clicks fell most last week',
    },
    {
      call: 'offerlet-operator report --period 28d --funnel',
      does: 'How many loads become displays, clicks and payout',
    },
    {
      call: 'offerlet-operator report --period last-month --by publisher,page_type --output november.csv',
      does: 'A spreadsheet',
    },
  ],
  run: runReport,
});

type ReportContext = CommandContext<typeof REPORT_OPTIONS>;

async function runReport(context: ReportContext): Promise<void> {
  const { settings, terminal, connection, progress, print } = context;
  const query = readQuery(settings, new Date());
  const report = await readReport(query, context).catch((error: unknown) => {
    if (error instanceof AuthError) throw withVariantHint(error, query, connection.keySource);
    throw error instanceof DateRangeError ? (comparedTooEarly(error, query) ?? error) : error;
  });
  const table = settings.funnel ? funnelTable(report) : reportTable(report);
  const { output, json, csv } = settings;
  if (output !== undefined || json || csv) {
    print({ ...(settings.funnel ? funnelPrintable(report) : printableOf(report)), table: () => table });
    if (output !== undefined) terminal.note(`Wrote ${plural(report.printed.length, 'row')} to ${output}.`);
    return;
  }
  progress.end();
  terminal.note(captionOf(report));
  terminal.write(renderTable(table, terminal));
  for (const line of remarksOn(report, table, terminal.width)) terminal.note(line);
}

async function readReport(
  query: RequestedReport,
  { settings, terminal, connection, progress }: ReportContext,
): Promise<PrintedReport> {
  const { variant, grain, limit } = query;
  const reader = variant === 'channel' ? connection.channelReport() : connection.publisherReport();
  const publishers = await findPublishers(connection, query.filters.publisher);
  const filters = { ...query.filters, publisher: publishers.map(({ id }) => id) };
  const period = query.period ?? (query.compare && (await defaultDates(reader, grain)));
  const report = await readWholeReport(
    reader,
    { ...query, period, filters },
    {
      first: limit,
      split: 'dates',
      onProgress: (read, total) =>
        progress.step(`Read ${read.toLocaleString('en')} of ${total.toLocaleString('en')} rows …`),
      onUnsteady: () => terminal.note('The report changes while it is read; a row may be missing or twice.'),
    },
  );
  const dates = period && datesOfSpec({ period });
  const currency = settings.currency ?? null;
  return { ...report, query, filters, publishers, dates, currency, printed: report.rows.slice(0, limit) };
}

/** Finds publishers that are given by id or by name. */
async function findPublishers(connection: Connection, given: readonly string[]): Promise<readonly NamedPublisher[]> {
  const found: NamedPublisher[] = [];
  for (const text of given)
    found.push(await findPublisherId(connection.channel(), { text, option: '--filter publisher' }));
  return found;
}

/** The dates that the network uses when a report names none: those of a total row. */
async function defaultDates(
  reader: { report(query: object): Promise<{ readonly data: readonly object[] }> },
  grain: TimeGrain,
): Promise<DateRange> {
  const { data } = await reader.report({ limit: 1, time_grain: grain === 'hour' ? 'hour' : 'total' });
  const [row] = data as readonly Row[];
  if (!row) return period('last_7_days');
  const { from, to } = rangeOfRows([row]);
  return { from: grain === 'hour' ? to : from, to };
}

function printableOf(report: PrintedReport): Omit<Printable, 'table'> {
  const { query, printed, totals, metrics, total, dates, compared, meta } = report;
  const summary = Object.fromEntries(metrics.map((name) => [name, totals[name] ?? 0]));
  return {
    json: {
      variant: query.variant,
      ...dates,
      time_grain: query.grain,
      filters: Object.fromEntries(
        FILTER_NAMES.flatMap((name) =>
          report.filters[name].length === 0 ? [] : [[FILTERS[name], report.filters[name]]],
        ),
      ),
      ...(report.currency !== null && { currency: report.currency }),
      data: printed,
      totals: compared ? totals : summary,
      ...(compared && { compared }),
      pagination: { offset: 0, limit: printed.length, total, has_more: printed.length < total },
      meta,
    },
    csv: { rows: printed, columns: report.columns },
  };
}

function captionOf({ query, dates, compared, meta, printed, publishers, filters }: PrintedReport): string {
  const range = dates ?? (printed.length > 0 ? rangeOfRows(printed) : undefined);
  const parts = [
    ...(range ? [rangeText(range) + (compared ? ` against ${comparedText(compared, query)}` : '')] : []),
    meta.timezone,
    ...(meta.data_through === null
      ? []
      : [`data through ${meta.data_through.slice(0, 16).replace('T', ' ').replace(' 00:00', '')}`]),
  ];
  const only = [
    ...publishers.map(({ id, name }) => safeText(name ?? id)),
    ...filters.page_type,
    ...filters.widget_type,
  ];
  return `${parts.join(', ')}${only.length > 0 ? `; only ${only.map((one) => safeText(one)).join(', ')}` : ''}`;
}

function rangeOfRows(rows: readonly Row[]): DateRange {
  const from = rows.map((row) => row.period_start).reduce((one, other) => (one < other ? one : other), '9');
  const end = rows.map((row) => row.period_end).reduce((one, other) => (one > other ? one : other), '');
  return { from: from.slice(0, 10), to: dateOf(Date.parse(end) - 1) };
}

function remarksOn(report: PrintedReport, table: Table, width: number | undefined): string[] {
  const { query, rows, printed, total, compared, metrics, meta } = report;
  const isList = query.grain === 'total' && query.by.length === 0;
  const remarks = [];
  if (rows.length === 0) remarks.push('There was no activity.');
  if (rows.some((row) => isUnfinished(row, meta.data_through))) {
    if (query.grain !== 'total') remarks.push('* Not over yet: the last numbers are still to come.');
    else if (compared && compared.hours === undefined)
      remarks.push('Today is not over yet, but the days compared with are.');
  }
  if (printed.length < total && !isList)
    remarks.push(
      `The first ${printed.length === 1 ? 'row' : plural(printed.length, 'row')} of ${total.toLocaleString('en')}; the total is that of all.`,
    );
  const kept = columnsThatFit(table, width);
  const hidden = table.columns.filter(
    (column, index) => !kept.includes(index) && !['before', 'change'].includes(column.header),
  );
  if (hidden.length > 0)
    remarks.push(
      `Too narrow for ${hidden.length} of ${plural(metrics.length, 'metric')}. Choose with --metrics, or use --csv.`,
    );
  if (compared && rows.length > 0 && printed.every(({ counterpart }) => counterpart === null))
    remarks.push(`There was no activity in the dates compared with, ${rangeText(compared)}.`);
  return remarks;
}

function withVariantHint(error: AuthError, { variant }: RequestedReport, keySource: string): ExitError {
  const { message, exitCode, code, hint } = explainFailure(error, keySource);
  const more =
    variant === 'channel'
      ? 'With a publisher reporting key, use --variant publisher.'
      : 'With a management key, use --variant channel.';
  return new ExitError(message, exitCode, { code, hint: `${hint} ${more}` });
}

/** The dates are fine, but those that they are compared with begin before the history does. */
function comparedTooEarly({ available_window }: DateRangeError, query: RequestedReport): ExitError | undefined {
  const { period, compare } = query;
  if (!period || !compare || !available_window || datesOf(period).from < available_window.from) return undefined;
  return new ExitError(
    `The dates to compare with, ${rangeText(comparedDates(period, compare))}, begin before the history does, on ${available_window.from}. Use later or fewer dates, or leave out --compare.`,
    EXIT.failed,
  );
}
