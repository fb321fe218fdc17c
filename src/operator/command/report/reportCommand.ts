import { AuthError, comparedDates, DateRangeError } from '../../../clients.ts';
import { EXIT, ExitError } from '../../../cli/ExitError.ts';
import { explainFailure } from '../explainFailure.ts';
import { operatorCommand, type Work } from '../operatorCommand.ts';
import { textOf, type Printable } from '../../../cli/output/print.ts';
import { columnsThatFit } from '../../../cli/output/table.ts';
import { writeFile } from '../../../cli/output/writeFile.ts';
import { UsageError } from '../../../cli/UsageError.ts';
import { drawChart } from './chart/drawChart.ts';
import { formatRange, isOpen } from './formatPeriod.ts';
import { readQuery, type Wanted } from './readQuery.ts';
import { readWholeReport, type WholeReport } from './readWholeReport.ts';
import { REPORT_OPTIONS } from './reportOptions.ts';
import { metricsOf, reportTable } from './reportTable.ts';

/** `offerlet report`: a report of the channel or of one publisher, as a table, a chart, CSV or JSON. */
export const reportCommand = operatorCommand({
  summary: 'Prints a report of the channel or of one publisher.',
  options: REPORT_OPTIONS,
  examples: [
    {
      call: 'offerlet report --last 30d --grain day --metrics clicks,ctr --chart',
      does: 'Clicks of the last 30 days, as a chart',
    },
    {
      call: 'offerlet report --period last-week --by publisher --compare previous --sort clicks_change',
      does: 'Whose clicks fell most last week',
    },
    {
      call: 'offerlet report --period last-month --by publisher,page_type --output november.csv',
      does: 'A spreadsheet',
    },
  ],
  run: runReport,
});

async function runReport({ settings, terminal, connection, progress }: Work<typeof REPORT_OPTIONS>): Promise<void> {
  const format = formatOf(settings);
  if (settings.chart && (format.json || format.csv))
    throw new UsageError('--chart draws for people. Leave out --json, --csv, or the name of the --output file.');
  const wanted = readQuery(settings, new Date());
  const report = await readWholeReport({
    connection,
    wanted,
    needsDates: settings.chart,
    progress,
    note: terminal.note,
  }).catch((error: unknown) => {
    if (error instanceof AuthError) throw withVariantHint(error, wanted);
    throw error instanceof DateRangeError ? (comparedTooEarly(error, wanted) ?? error) : error;
  });
  progress.end();
  const printable = printableOf(report, wanted);
  if (settings.output !== undefined) {
    const plain = { width: undefined, hasColor: false, hasUnicode: terminal.hasUnicode };
    const chart = settings.chart ? drawChart({ report, wanted, terminal: plain, now: new Date() }) : '';
    writeFile(settings.output, chart + textOf(printable, { format, terminal: plain }));
    return terminal.note(`Wrote ${counted(report.rows.length, 'row')} to ${settings.output}.`);
  }
  if (format.json || format.csv) return terminal.write(textOf(printable, { format, terminal }));
  terminal.note(captionOf(report));
  if (settings.chart) terminal.write(`${drawChart({ report, wanted, terminal, now: new Date() })}\n`);
  terminal.write(textOf(printable, { format, terminal }));
  for (const line of remarksOn(report, { wanted, printable, width: terminal.width })) terminal.note(line);
}

function formatOf({ json, csv, output = '' }: { json: boolean; csv: boolean; output?: string | undefined }): {
  json: boolean;
  csv: boolean;
} {
  const isGiven = json || csv;
  return { json: isGiven ? json : /\.json$/i.test(output), csv: isGiven ? csv : /\.csv$/i.test(output) };
}

function printableOf(report: WholeReport, wanted: Wanted): Printable {
  const { rows, flat, summary, totals, total, dates, compared, meta } = report;
  const [first] = flat;
  return {
    json: {
      variant: wanted.variant,
      ...dates,
      time_grain: wanted.grain,
      data: rows,
      summary,
      totals,
      ...(compared && { compared }),
      pagination: { offset: 0, limit: rows.length, total, has_more: rows.length < total },
      meta,
    },
    csv: { rows, columns: first ? Object.keys(first) : emptyColumns(report, wanted) },
    table: () => reportTable(report, wanted),
  };
}

/** The header of a CSV without rows. */
function emptyColumns({ summary }: WholeReport, { by }: Wanted): string[] {
  const groups = by.flatMap((name) => (name === 'publisher' ? ['publisher_id', 'publisher_name'] : [name]));
  return ['period_start', 'period_end', ...groups, ...Object.keys(summary)];
}

function captionOf({ dates, compared, meta, flat }: WholeReport): string {
  const range = dates ?? rangeOf(flat);
  const parts = [
    ...(range ? [formatRange(range) + (compared ? ` against ${formatRange(compared)}` : '')] : []),
    meta.timezone,
    ...(meta.data_through === null
      ? []
      : [`data through ${meta.data_through.slice(0, 16).replace('T', ' ').replace(' 00:00', '')}`]),
  ];
  return parts.join(', ');
}

function rangeOf(flat: WholeReport['flat']): { from: string; to: string } | undefined {
  const starts = flat.map((row) => String(row['period_start'])).toSorted();
  const ends = flat.map((row) => String(row['period_end'])).toSorted();
  const [from, end] = [starts[0], ends.at(-1)];
  if (from === undefined || end === undefined) return undefined;
  return { from: from.slice(0, 10), to: new Date(Date.parse(end) - 1).toISOString().slice(0, 10) };
}

function remarksOn(
  report: WholeReport,
  { wanted, printable, width }: { wanted: Wanted; printable: Printable; width: number | undefined },
): string[] {
  const { rows, total, compared, flat, drawn } = report;
  const remarks = [];
  if (rows.length === 0) remarks.push('There was no activity.');
  if (drawn.some((row) => isOpen(row))) {
    if (wanted.grain !== 'total') remarks.push('* Not over yet: the last numbers are still to come.');
    else if (compared) remarks.push('Today is not over yet, but the days compared with are.');
  }
  if (rows.length < total)
    remarks.push(
      `The first ${counted(rows.length, 'row')} of ${total.toLocaleString('en')}; the total is that of all.`,
    );
  const table = printable.table();
  const kept = columnsThatFit(table, width);
  const hidden = table.columns.filter(
    (column, index) => !kept.includes(index) && !['before', 'change'].includes(column.header),
  );
  if (hidden.length > 0)
    remarks.push(
      `Too narrow for ${hidden.length} of ${counted(metricsOf(report).length, 'metric')}. Choose with --metrics, or use --csv.`,
    );
  const gap = compared && gapIn(drawn, wanted);
  if (gap !== undefined) remarks.push(gap);
  else if (compared && rows.length > 0 && flat.every(isNew))
    remarks.push(`There was no activity in the dates compared with, ${formatRange(compared)}.`);
  return wanted.grain === 'total' && wanted.by.length === 0
    ? remarks.filter((line) => !line.startsWith('The first'))
    : remarks;
}

function isNew(row: WholeReport['flat'][number]): boolean {
  return Object.entries(row).every(([name, value]) => !name.endsWith('_before') || value === null);
}

function withVariantHint(error: AuthError, { variant }: Wanted): ExitError {
  const { message, exitCode } = explainFailure(error);
  const hint =
    variant === 'channel'
      ? 'With a publisher reporting key, use --variant publisher.'
      : 'With a management key, use --variant channel.';
  return new ExitError(`${message} ${hint}`, exitCode);
}

/** The dates are fine, but those that they are compared with begin before the history does. */
function comparedTooEarly({ available_window }: DateRangeError, wanted: Wanted): ExitError | undefined {
  const { dates, compare, grain } = wanted;
  if (!dates || !compare || !available_window || dates.from < available_window.from) return undefined;
  return new ExitError(
    `The dates to compare with, ${formatRange(comparedDates(dates, compare, grain))}, begin before the history does, on ${available_window.from}. Use later or fewer dates, or leave out --compare.`,
    EXIT.failed,
  );
}

/** How much of the earlier period has rows: a network that has no history there returns none. */
function gapIn(drawn: WholeReport['drawn'], { grain, by }: Wanted): string | undefined {
  const missing = drawn.filter(isNew).length;
  if (grain === 'total' || by.length > 0 || missing < drawn.length / 4) return undefined;
  return `${missing} of ${counted(drawn.length, 'period')} had no activity in the dates compared with: the history may not reach back that far.`;
}

function counted(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
}
