import { OUTPUT, type Options } from '../../program/command.ts';
import { EXIT, ExitError, UsageError } from '../../program/ExitError.ts';
import type { Printable, Table } from '../../program/print.ts';
import { safeText } from '../../program/terminal.ts';
import { dateOf, monthStart, startOf } from '../../wire/utcDates.ts';
import { PAYOUT, readStatement, statementCsv, type Statement } from '../operations/readStatement.ts';
import { periodText, rangeText, valueText } from '../reports/format.ts';
import { operatorCommand } from './operatorCommand.ts';
import { findPublisherId } from './publisherCommands.ts';
import { CURRENCY } from './readQuery.ts';

const OPTIONS = {
  month: { kind: 'text', value: 'MONTH', about: 'The month, such as 2026-10; the last month by default.' },
  publisher: { kind: 'text', value: 'ID', about: 'Only one publisher, by id or name.' },
  currency: CURRENCY,
  output: OUTPUT,
} as const satisfies Options;

/** `offerlet-operator statement`: what each publisher earned the channel in a month. */
export const statementCommand = operatorCommand({
  summary: 'Prints what each publisher earned the channel in a month.',
  options: OPTIONS,
  examples: [
    { call: 'offerlet-operator statement --month 2026-10', does: 'October' },
    { call: 'offerlet-operator statement --csv > payout.csv', does: 'Last month, for a spreadsheet' },
  ],
  async run({ settings, terminal, connection, progress, print }) {
    const month = settings.month ?? monthStart(dateOf(Date.now()), -1).slice(0, 7);
    if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month))
      throw new UsageError(`--month is not a month: "${month}". Use something like 2026-10.`);
    const today = dateOf(Date.now());
    if (`${month}-01` > today) throw new UsageError(`--month is in the future: ${month}. Today is ${today} (UTC).`);
    const channel = connection.channel();
    const publisher =
      settings.publisher === undefined
        ? undefined
        : await findPublisherId(channel, { text: settings.publisher, option: '--publisher' });
    const source = { reports: connection.channelReport(), channel, onProgress: progress.step };
    const statement = await readStatement(source, month);
    const currency = settings.currency ?? null;
    const one = publisher && statement.data.filter(({ publisher_id }) => publisher_id === publisher.id);
    if (one?.length === 0) throw new ExitError(`The publisher had no activity in ${month}.`, EXIT.notFound);
    print(one ? printableOfOne({ ...statement, data: one }, currency) : printableOf(statement, currency));
    terminal.note(`Amounts are what ${safeText(statement.channel)} is paid, not what its publishers are paid.`);
    const { rounding } = statement;
    if (!one && rounding !== 0)
      terminal.note(
        `The lines add up to ${valueText(PAYOUT, (statement.totals[PAYOUT] ?? 0) - rounding)}, ${valueText(PAYOUT, Math.abs(rounding))} ${rounding > 0 ? 'less' : 'more'} than the total: each amount is rounded.`,
      );
    if (!statement.is_complete) terminal.note(`${incompleteText(statement)} These figures will still change.`);
  },
});

function printableOf(statement: Statement, currency: string | null): Printable {
  const { metrics: _metrics, ...json } = statement;
  return {
    json: { ...json, currency },
    csv: statementCsv(statement, currency),
    table: () => tableOf(statement, currency),
  };
}

/** One line has no total but its own. */
function printableOfOne(statement: Statement, currency: string | null): Printable {
  const { metrics, rounding: _rounding, ...json } = statement;
  const totals = Object.fromEntries(metrics.map((name) => [name, Number(statement.data[0]?.[name] ?? 0)]));
  const { rows, columns } = statementCsv(statement, currency);
  return {
    json: { ...json, totals, rounding: 0, currency },
    csv: { rows: rows.slice(0, -1), columns },
    table: () => ({ ...tableOf(statement, currency), footer: undefined }),
  };
}

function tableOf({ metrics, data, totals }: Statement, currency: string | null): Table {
  const payout = currency === null ? PAYOUT : `${PAYOUT} (${safeText(currency)})`;
  const cellsOf = (values: object): string[] =>
    metrics.map((name) => valueText(name, (values as Statement['totals'])[name] ?? 0));
  return {
    columns: [
      { header: 'PUBLISHER' },
      ...metrics.map((name) => ({ header: name === PAYOUT ? payout : name, isNumber: true })),
    ],
    rows: data.map((line) => [safeText(line.publisher_name), ...cellsOf(line)]),
    footer: ['Total', ...cellsOf(totals)],
  };
}

function incompleteText({ month, complete_through: through }: Statement): string {
  const name = periodText(startOf(`${month}-01`), 'month');
  return `${name} is not complete: ${through === null ? 'there is no data yet' : `the last complete day is ${rangeText({ from: through, to: through })}`}.`;
}
