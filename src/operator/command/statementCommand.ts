import { existsSync } from 'node:fs';
import { type Options, OUTPUT } from '../../cli/command.ts';
import { safeText } from '../../cli/output/terminal.ts';
import { formatOf, inFile, textOf, writeFile, type Cell, type Printable } from '../../cli/output/print.ts';
import { EXIT, ExitError, UsageError } from '../../cli/ExitError.ts';
import { readSavedReports, USUAL_FILE } from './readQuery.ts';
import { momentOf, periodOf, plural, rangeOf, valueOf } from '../reports/format.ts';
import { openStatement } from '../statements/openStatement.ts';
import {
  allLines,
  isMonth,
  metricsChanged,
  PAYOUT,
  statementOf,
  statementRows,
  type Statement,
  type StatementChange,
} from '../statements/statement.ts';
import { monthStart, dateOf, startOf } from '../../wire/utcDates.ts';
import { operatorCommand } from './operatorCommand.ts';
import { findPublisherId } from './publisherCommands.ts';

const OPTIONS = {
  month: { kind: 'text', value: 'MONTH', about: 'The month, such as 2026-10; the last month by default.' },
  publisher: { kind: 'text', value: 'ID', about: 'Only one publisher, by id or name.' },
  folder: {
    kind: 'text',
    value: 'FOLDER',
    completes: 'file',
    about: 'Keeps the statement as MONTH.json once the month is complete, and compares with it from then on.',
  },
  currency: { kind: 'text', value: 'LABEL', about: 'The label of amounts, such as EUR; by default that of --file.' },
  file: {
    kind: 'text',
    value: 'FILE',
    completes: 'file',
    about: 'The file with saved reports that names the currency; reports.yaml where there is one.',
  },
  output: OUTPUT,
} as const satisfies Options;

/** `offerlet-operator statement`: what each publisher earned the channel in a month. */
export const statementCommand = operatorCommand({
  summary: 'Prints the payout of a month by publisher, and freezes it when the month is complete.',
  options: OPTIONS,
  examples: [
    {
      call: 'offerlet-operator statement --month 2026-10 --folder statements',
      does: 'October, frozen in statements/2026-10.json',
    },
    {
      call: 'offerlet-operator statement --folder statements --csv > payout.csv',
      does: 'Last month, for a spreadsheet',
    },
  ],
  async run({ settings, terminal, connection, progress }) {
    const month = settings.month ?? monthStart(dateOf(Date.now()), -1).slice(0, 7);
    if (!isMonth(month)) throw new UsageError(`--month is not a month: "${month}". Use something like 2026-10.`);
    const currency = settings.currency ?? currencyOf(settings.file);
    const channel = connection.channel();
    const publisher =
      settings.publisher === undefined
        ? undefined
        : await findPublisherId(channel, { text: settings.publisher, option: '--publisher' });
    const statement = await openStatement({
      source: { reports: connection.channelReport(), channel, onProgress: (text) => progress.step(text) },
      month,
      network: connection.url.replace(/\/+$/, ''),
      folder: settings.folder,
      currency: currency ?? null,
    });
    progress.end();
    const shown = publisher === undefined ? statement : statementOf(statement, publisher.id);
    if (publisher !== undefined && allLines(shown).length === 0)
      throw new ExitError(`The publisher had no activity in ${month}.`, EXIT.notFound);
    const format = formatOf(settings);
    const look = settings.output === undefined ? terminal : inFile(terminal);
    const text = textOf(printableOf(shown), { format, terminal: look });
    if (settings.output === undefined) terminal.write(text);
    else writeFile(settings.output, text);
    for (const line of remarksOn(shown, settings.folder)) terminal.note(line);
  },
});

/** The file in the current folder is read where there is one; one that is named must be there. */
function currencyOf(file: string | undefined): string | null {
  if (file === undefined && !existsSync(USUAL_FILE)) return null;
  return readSavedReports(file ?? USUAL_FILE).currency;
}

function printableOf(statement: Statement): Printable {
  const { metrics, changes, totals, totals_now, currency } = statement;
  const now = new Map(changes.map((change) => [change.publisher_id, change]));
  const all = allLines(statement);
  const label = currency === null ? '' : ` (${safeText(currency)})`;
  // The payout without its name: the table is about it.
  const changed = (before: StatementChange['before'], after: StatementChange['now'] = before): Cell => {
    const texts = metricsChanged(metrics, { before, now: after })
      .toReversed()
      .map(({ metric, difference }) => {
        const amount = `${difference > 0 ? '+' : ''}${valueOf(metric, difference)}`;
        return metric === PAYOUT ? amount : `${amount} ${metric}`;
      });
    return texts.length === 0 ? '' : { text: texts.join(', '), tone: 'accent' };
  };
  return {
    json: statement,
    csv: statementRows(statement),
    table: () => ({
      columns: [
        { header: 'PUBLISHER' },
        ...metrics.map((name) => ({ header: name === PAYOUT ? `${name}${label}` : name, isNumber: true })),
        ...(changes.length > 0 ? [{ header: 'changed since', isNumber: true }] : []),
      ],
      rows: all.map((line) => [
        safeText(line.publisher_name),
        ...metrics.map((name) => valueOf(name, line.values[name] ?? 0)),
        ...(changes.length > 0 ? [changed(line.values, now.get(line.publisher_id)?.now)] : []),
      ]),
      footer: [
        'Total',
        ...metrics.map((name) => valueOf(name, totals[name] ?? 0)),
        ...(changes.length > 0 ? [changed(totals, totals_now)] : []),
      ],
    }),
  };
}

function remarksOn(
  { month, frozen_at, isComplete, through, changes }: Statement,
  folder: string | undefined,
): string[] {
  const name = periodOf(startOf(`${month}-01`), 'month');
  if (frozen_at !== null)
    return [
      `${name}, frozen on ${momentOf(frozen_at)}.${changes.length === 0 ? ' Nothing has changed since.' : ` Late events changed ${plural(changes.length, 'publisher')} since; the statement has the figures from then.`}`,
    ];
  if (!isComplete)
    return [
      `${name} is not complete: ${through === null ? 'there is no data yet' : `the last complete day is ${rangeOf({ from: through, to: through })}`}. These figures will still change.`,
    ];
  return folder === undefined ? [`${name} is complete, but not frozen. Use --folder to keep it.`] : [];
}
