import type { Options } from '../../cli/command.ts';
import { OUTPUT } from '../../cli/command.ts';
import { EXIT, ExitError, UsageError } from '../../cli/ExitError.ts';
import { chooseFormat, inFile, printedText, writeFile, type Printable } from '../../cli/output/print.ts';
import { safeText } from '../../cli/output/terminal.ts';
import { dateOf, monthEnd, monthStart, startOf } from '../../wire/utcDates.ts';
import { RowLimitError } from '../clients/errors.ts';
import { readWholeReport, type WholeReport } from '../clients/ReportingClient.ts';
import { periodText, rangeText, valueText } from '../reports/format.ts';
import { EVERYTHING, NO_FILTERS } from '../reports/reportSpec.ts';
import { chunksOf, IDS_PER_REQUEST, readDataEnd, readPublishers, type FactsSource } from '../watch/readFacts.ts';
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
  async run({ settings, terminal, connection, progress }) {
    const month = settings.month ?? monthStart(dateOf(Date.now()), -1).slice(0, 7);
    if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month))
      throw new UsageError(`--month is not a month: "${month}". Use something like 2026-10.`);
    const channel = connection.channel();
    const publisher =
      settings.publisher === undefined
        ? undefined
        : await findPublisherId(channel, { text: settings.publisher, option: '--publisher' });
    const source = { reports: connection.channelReport(), channel, onProgress: progress.step };
    const whole = await readStatement(source, month);
    progress.end();
    const statement = publisher === undefined ? whole : onlyOf(whole, publisher.id);
    if (publisher !== undefined && statement.lines.length === 0)
      throw new ExitError(`The publisher had no activity in ${month}.`, EXIT.notFound);
    const format = chooseFormat(settings);
    const look = settings.output === undefined ? terminal : inFile(terminal);
    const text = printedText(printableOf(statement, settings.currency ?? null), { format, terminal: look });
    if (settings.output === undefined) terminal.write(text);
    else writeFile(settings.output, text);
    terminal.note(`Amounts are what ${safeText(statement.channel)} is paid, not what its publishers are paid.`);
    if (!statement.isComplete) terminal.note(`${incompleteText(statement)} These figures will still change.`);
  },
});

/** What one publisher earned the channel in a month. */
interface StatementLine {
  /** Empty for what belongs to no publisher of the channel any more. */
  readonly publisher_id: string;
  readonly publisher_name: string;
  readonly values: Readonly<Record<string, number>>;
}

/** What all publishers earned it. */
interface Statement {
  readonly month: string;
  readonly channel: string;
  /** Whether the network has data of the month after. */
  readonly isComplete: boolean;
  /** The last complete day of data; null when there is none. */
  readonly through: string | null;
  /** The metrics, in order. */
  readonly metrics: readonly string[];
  /** By name. */
  readonly lines: readonly StatementLine[];
  /** As the network computed them: ratios cannot be added up. */
  readonly totals: Readonly<Record<string, number>>;
}

/** The metrics of a statement, as far as they are enabled. */
const METRICS = ['impressions', 'clicks', 'ctr', 'conversions', 'cvr', 'channel_payout'] as const;
/** The amount that a statement is about. */
const PAYOUT = 'channel_payout';

async function readStatement(source: FactsSource, month: string): Promise<Statement> {
  const today = dateOf(Date.now());
  const [from, to] = [`${month}-01`, monthEnd(`${month}-01`)];
  if (from > today) throw new UsageError(`--month is in the future: ${month}. Today is ${today} (UTC).`);
  const [{ lastDay, enabled }, details] = await Promise.all([readDataEnd(source), source.channel.details()]);
  if (enabled && !enabled.includes(PAYOUT))
    throw new UsageError(`${PAYOUT} is not enabled for the key, and a statement is about it.`);
  const metrics = METRICS.filter((name) => enabled?.includes(name) ?? true);
  const dates = { from, to: to < today ? to : today };
  const read = (by: readonly string[] = [], publisher: readonly string[] = []): Promise<WholeReport> => {
    const filters = { ...NO_FILTERS, publisher };
    const onProgress = (rows: number, total: number): void =>
      source.onProgress?.(`Read ${rows.toLocaleString('en')} of ${total.toLocaleString('en')} publishers …`);
    return readWholeReport(source.reports, { ...EVERYTHING, period: dates, metrics, by, filters }, { onProgress });
  };
  const { totals } = await read();
  const lines = await readLines(source, metrics, read);
  const rest = removedLine(lines, { totals, metrics });
  const sorted = lines.toSorted(
    (one, other) =>
      one.publisher_name.localeCompare(other.publisher_name, 'en', { numeric: true }) ||
      (one.publisher_id < other.publisher_id ? -1 : 1),
  );
  return {
    month,
    channel: details.name,
    isComplete: lastDay !== undefined && lastDay >= to,
    through: lastDay ?? null,
    metrics,
    lines: rest ? [...sorted, rest] : sorted,
    totals: Object.fromEntries(metrics.map((name) => [name, totals[name] ?? 0])),
  };
}

/** Reads the lines in one report; those of a channel that is too large for one in parts. */
async function readLines(
  source: FactsSource,
  metrics: readonly string[],
  read: (by: readonly string[], publishers?: readonly string[]) => Promise<WholeReport>,
): Promise<StatementLine[]> {
  const linesOf = ({ rows }: WholeReport): StatementLine[] =>
    rows.map((row) => ({
      publisher_id: String(row['publisher_id']),
      publisher_name: String(row['publisher_name']),
      values: Object.fromEntries(metrics.map((name) => [name, Number(row[name] ?? 0)])),
    }));
  try {
    return linesOf(await read(['publisher']));
  } catch (error) {
    if (!(error instanceof RowLimitError)) throw error;
  }
  const lines: StatementLine[] = [];
  const { approved } = await readPublishers(source);
  for (const ids of chunksOf([...approved.keys()], IDS_PER_REQUEST))
    lines.push(...linesOf(await read(['publisher'], ids)));
  return lines;
}

/** What the lines lack of the totals: publishers that were removed are in no list. Cents may differ by rounding. */
function removedLine(
  lines: readonly StatementLine[],
  { totals, metrics }: { readonly totals: WholeReport['totals']; readonly metrics: readonly string[] },
): StatementLine | undefined {
  const counts = metrics.filter((name) => name !== 'ctr' && name !== 'cvr');
  const values = Object.fromEntries(
    counts.map((name) => {
      const sum = lines.reduce((total, line) => total + (line.values[name] ?? 0), 0);
      return [name, Math.round(((totals[name] ?? 0) - sum) * 100) / 100];
    }),
  );
  if (counts.every((name) => name === PAYOUT || values[name] === 0)) return undefined;
  const share = (over: string, under: string): number =>
    values[under] ? Math.round(((values[over] ?? 0) / values[under]) * 10_000) / 10_000 : 0;
  return {
    publisher_id: '',
    publisher_name: 'Publishers no longer in the channel',
    values: { ...values, ctr: share('clicks', 'impressions'), cvr: share('conversions', 'clicks') },
  };
}

function onlyOf(statement: Statement, id: string): Statement {
  const lines = statement.lines.filter(({ publisher_id }) => publisher_id === id);
  return { ...statement, lines, totals: lines[0]?.values ?? {} };
}

function printableOf(statement: Statement, currency: string | null): Printable {
  const { month, channel, metrics, lines, totals } = statement;
  const payout = currency === null ? PAYOUT : `${PAYOUT} (${safeText(currency)})`;
  const cellsOf = (values: StatementLine['values']): string[] =>
    metrics.map((name) => valueText(name, values[name] ?? 0));
  return {
    json: { ...statement, currency },
    csv: {
      rows: lines.map(({ values, ...line }) => ({ month, ...line, ...values, currency, paid_to: channel })),
      columns: ['month', 'publisher_id', 'publisher_name', ...metrics, 'currency', 'paid_to'],
    },
    table: () => ({
      columns: [
        { header: 'PUBLISHER' },
        ...metrics.map((name) => ({ header: name === PAYOUT ? payout : name, isNumber: true })),
      ],
      rows: lines.map((line) => [safeText(line.publisher_name), ...cellsOf(line.values)]),
      footer: ['Total', ...cellsOf(totals)],
    }),
  };
}

function incompleteText({ month, through }: Statement): string {
  const name = periodText(startOf(`${month}-01`), 'month');
  return `${name} is not complete: ${through === null ? 'there is no data yet' : `the last complete day is ${rangeText({ from: through, to: through })}`}.`;
}
