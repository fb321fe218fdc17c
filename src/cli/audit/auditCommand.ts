import { openDedupeRedis } from '../../relay-redis.ts';
import { readLedger } from '../../relay.ts';
import { reasonText } from '../../wire/errors.ts';
import { readKey } from '../../wire/keys.ts';
import { readApiKey, readNetworkUrl, type Refuse } from '../../http/networkAccess.ts';
import { addDays, dateOf, isDate, monthEnd, monthStart, type DateRange } from '../../wire/utcDates.ts';
import { escapeControls } from '../../text/printable.ts';
import { AUDIT_GROUPINGS, type AuditGrouping, type AuditRow, type AuditVerdict } from './compareCounts.ts';
import { describeAudit, isWrong, makeAudit, type Audit } from './makeAudit.ts';
import { AuditReportError } from './readAuditReport.ts';
import type { ReadableLedger } from './readCounted.ts';
import {
  type Command,
  type Options,
  OUTPUT,
  readSettings,
  type SettingsOf,
  type SettingsSource,
} from '../../program/command.ts';
import { EXIT, ExitError, UsageError } from '../../program/ExitError.ts';
import {
  chooseFormat,
  inFile,
  renderTable,
  printedText,
  writeFile,
  type Cell,
  type Table,
} from '../../program/print.ts';
import { openTerminal, safeText, withoutControls, wrap, type Look, type Tone } from '../../program/terminal.ts';
import { readKeyFile } from '../../program/readKeyFile.ts';
import { createPageReader, type ReportSource } from './createPageReader.ts';

const OPTIONS = {
  data: { kind: 'text', value: 'DIR', about: "The relay's --data directory. The relay may be running." },
  redis: { kind: 'text', value: 'URL', about: 'The Redis that the relays share, instead of --data.' },
  'redis-prefix': { kind: 'text', value: 'TEXT', about: 'The prefix of openDedupeRedis, if it is not the default.' },
  network: { kind: 'text', value: 'URL', about: 'URL of the network, such as https://partner.example. Required.' },
  'reporting-key-file': {
    kind: 'text',
    value: 'FILE',
    about: "File that contains the publisher's reporting key. By default, the key is read from OFFERLET_REPORTING_KEY.",
  },
  period: {
    kind: 'text',
    value: 'NAME',
    about: 'Yesterday (the default), today, month-to-date, last-month, or the last days up to today, such as 7d.',
  },
  from: { kind: 'text', value: 'D', about: 'First UTC date, such as 2026-11-01, instead of --period.' },
  to: { kind: 'text', value: 'D', about: 'Last UTC date, included; by default the first one.' },
  grain: {
    kind: 'choice',
    choices: ['day', 'hour'],
    about:
      'What is compared one by one: day by default, hour for today. Days that differ are compared by the hour, too.',
  },
  by: { kind: 'text', value: 'NAME[,NAME]', about: 'Compares each view, display_mode or widget_id by itself.' },
  tolerance: { kind: 'text', value: 'PERCENT', default: '0.5%', about: 'By how much two counts may differ.' },
  partial: {
    kind: 'flag',
    about: 'Compares the current hour as well, and the one in which the ledger began. For a sandbox.',
  },
  json: { kind: 'flag', about: 'Prints one JSON document.' },
  csv: { kind: 'flag', about: 'Prints CSV: one line for each metric, period and group.' },
  output: OUTPUT,
} as const satisfies Options;

/** `offerlet audit`: compares what the relay counted with what the network reports. */
export const auditCommand: Command = {
  summary: "Compares the relay's own count with the network's report.",
  options: OPTIONS,
  examples: [
    {
      call: 'offerlet audit --data /var/lib/offerlet --network https://partner.example',
      does: 'Yesterday, as a nightly job',
    },
    {
      call: 'offerlet audit --redis redis://127.0.0.1 --period last-month --by view --output november.csv',
      does: 'Last month by page, as a spreadsheet',
    },
  ],
  environment: `Each option is also an environment variable: --network is OFFERLET_NETWORK.
Data goes to stdout, everything else to stderr.
Exit codes: 0 within tolerance, 1 beyond it, 2 wrong usage, 3 key refused, 4 no ledger or report.`,
  async run(source) {
    const settings = readSettings(OPTIONS, source);
    if (settings.json && settings.csv) throw new UsageError('Use either --json or --csv.');
    const now = Date.now();
    const dates = readPeriod(settings, now);
    const by = readGroupings(settings.by);
    const tolerance = readTolerance(settings.tolerance);
    const network = readSource(settings, source);
    const { partial } = settings;
    const grain = settings.grain ?? (dates.from === dateOf(now) ? 'hour' : 'day');
    const readPage = createPageReader(network);
    const ledger = await openLedger(settings);
    try {
      const audit = await makeAudit({ ledger, readPage, dates, grain, by, tolerance, now, partial });
      if (!audit) throw new ExitError(NO_LEDGER, EXIT.notFound);
      printAudit(audit, { settings, source });
      if (!audit.within) throw new ExitError(summaryText(audit), EXIT.failed);
      const [problem] = audit.problems;
      if (problem !== undefined) throw new ExitError(safeText(`${INCOMPLETE_LEDGER} ${problem}`), EXIT.notFound);
    } catch (error) {
      throw error instanceof AuditReportError ? new ExitError(safeText(error.message), EXIT.notFound) : error;
    } finally {
      await ledger.close();
    }
  },
};

const NO_LEDGER =
  'The ledger has no counts. Check that --data or --redis is what the relay uses, and that the relay was running.';

const INCOMPLETE_LEDGER = 'Nothing differs, but parts of the ledger are missing, so this proves nothing:';

type Settings = SettingsOf<typeof OPTIONS>;

function printAudit(audit: Audit, { settings, source }: { settings: Settings; source: SettingsSource }): void {
  const terminal = openTerminal({ env: source.env });
  const { output = '' } = settings;
  const format = chooseFormat(settings);
  const printable = { json: audit, csv: auditRecords(audit), table: () => auditTable(audit) };
  const isTable = !format.json && !format.csv;
  const look = output === '' ? terminal : inFile(terminal);
  const below = isTable ? linesBelow(audit, look).map((line) => `${line}\n`) : [];
  const text = printedText(printable, { format, terminal: look }) + below.join('');
  if (output !== '') {
    writeFile(output, text);
    return terminal.note(`Wrote the audit to ${output}.`);
  }
  terminal.write(text);
  if (!isTable) for (const problem of audit.problems) terminal.note(problem);
}

interface OpenLedger extends ReadableLedger {
  close(): Promise<void>;
}

/** Opens what the relay uses. Whatever goes wrong with it does not mean that the counts differ. */
async function openLedger({ data, redis, 'redis-prefix': prefix }: Settings): Promise<OpenLedger> {
  if (data !== undefined && redis === undefined)
    return {
      read: (dates) =>
        readLedger(data, dates).catch((error: NodeJS.ErrnoException) => {
          throw new UsageError(`--data cannot be read: "${error.path ?? data}" (${systemErrorCode(error)}).`);
        }),
      close: () => Promise.resolve(),
    };
  if (redis === undefined || data !== undefined)
    throw new UsageError(
      redis === undefined
        ? '--data or --redis is missing. Use what the relay uses; a relay that has neither keeps no ledger.'
        : 'Use either --data or --redis.',
    );
  const store = await openDedupeRedis({ url: redis, ...(prefix !== undefined && { prefix }) });
  return {
    read: (dates) =>
      store.ledger.read(dates).catch((error: unknown) => {
        throw new ExitError(safeText(`--redis cannot be read: ${reasonText(error)}.`), EXIT.notFound);
      }),
    close: () => store.close(),
  };
}

function systemErrorCode(error: unknown): string {
  return (error as NodeJS.ErrnoException | undefined)?.code ?? 'unknown error';
}

function readSource(settings: Settings, { env }: SettingsSource): ReportSource {
  const file = settings['reporting-key-file'];
  const note = (line: string): void => openTerminal({ env }).note(line);
  const given = file === undefined ? env['OFFERLET_REPORTING_KEY'] : readKeyFile('--reporting-key-file', file, note);
  const refuse: Refuse = (option, problem) => {
    throw new UsageError(`${option === 'networkUrl' ? '--network' : 'The reporting key'} ${problem}`);
  };
  const use = 'Set OFFERLET_REPORTING_KEY, or use --reporting-key-file FILE.';
  const apiKey = readApiKey(given?.trim(), { use, refuse });
  const key = readKey(apiKey);
  if (key !== undefined && key.family !== 'secret')
    throw new UsageError(
      "This is not a reporting key. Use the publisher's reporting key (adnet_sk_…), not the relay's.",
    );
  const example = 'https://partner.example';
  const network = readNetworkUrl(settings.network, { environment: key?.environment, example, refuse });
  return { network, apiKey, note };
}

function readPeriod({ period: name, from, to }: Settings, now: number): DateRange {
  const today = dateOf(now);
  if (name !== undefined && (from !== undefined || to !== undefined))
    throw new UsageError('Use either --period or --from and --to.');
  if (from !== undefined) {
    const dates = { from: readDate('--from', from), to: readDate('--to', to ?? from) };
    if (dates.from > dates.to) throw new UsageError('--from is after --to.');
    if (dates.to > today) throw new UsageError(`--to is in the future; in UTC it is ${today}.`);
    return dates;
  }
  if (to !== undefined) throw new UsageError('--to needs --from.');
  const period = name ?? 'yesterday';
  const days = /^(\d{1,3})d$/.exec(period)?.[1];
  if (days !== undefined && Number(days) >= 1) return { from: addDays(today, 1 - Number(days)), to: today };
  switch (period) {
    case 'today':
      return { from: today, to: today };
    case 'yesterday':
      return { from: addDays(today, -1), to: addDays(today, -1) };
    case 'month-to-date':
      return { from: monthStart(today), to: today };
    case 'last-month':
      return { from: monthStart(today, -1), to: monthEnd(today, -1) };
    default:
      throw new UsageError(
        `--period is not a known period: "${period}". Use yesterday, today, month-to-date, last-month or something like 7d.`,
      );
  }
}

function readDate(option: string, text: string): string {
  if (!isDate(text)) throw new UsageError(`${option} is not a date: "${text}". Use something like 2026-11-01.`);
  return text;
}

function readGroupings(text = ''): readonly AuditGrouping[] {
  const names = Object.keys(AUDIT_GROUPINGS) as AuditGrouping[];
  const given = text.split(',').map((word) => word.trim());
  return given.flatMap((word, at) => {
    if (word === '') return [];
    const name = names.find((one) => one === word);
    if (name === undefined || given.indexOf(word) !== at)
      throw new UsageError(`--by is not valid: "${text}". Use ${names.join(', ')}, each once.`);
    return name;
  });
}

function readTolerance(text: string): number {
  const per = /^(\d{1,3}(?:\.\d{1,4})?)\s*%?$/.exec(text.trim())?.[1];
  if (per === undefined || Number(per) > 100)
    throw new UsageError(`--tolerance is not a percentage: "${text}". Use something like 0.5%, or 0 for none.`);
  return Number(per) / 100;
}

const TONES: Readonly<Record<AuditVerdict, Tone>> = {
  ok: 'good',
  missing: 'bad',
  extra: 'bad',
  late: 'bad',
  open: 'dim',
};
/** Rows beyond the tolerance that are printed. `--csv` and `--json` have all. */
const ROWS_MAX = 40;
const WIDTH = 100;

/** The totals, as a table; without anything to compare, an empty one. */
function auditTable({ rows, totals }: Audit): Table {
  return {
    columns: [{ header: 'metric', isFixed: true }, ...NUMBERS],
    rows: rows.length === 0 ? [] : totals.map((row) => [row.metric, ...numberCells(row)]),
  };
}

const NUMBERS = [
  { header: 'ours', isNumber: true },
  { header: 'theirs', isNumber: true },
  { header: 'difference', isNumber: true },
  { header: '%', isNumber: true },
  { header: 'verdict', isFixed: true },
] as const;

function numberCells({ ours, theirs, difference, percent, verdict }: AuditRow): Cell[] {
  return [
    ours.toLocaleString('en'),
    theirs.toLocaleString('en'),
    signed(difference),
    percent === null || difference === 0 ? '' : signed(percent),
    { text: verdict, tone: TONES[verdict] },
  ];
}

/** What is printed below the totals: what differs and when, what can explain it, and what could not be read. */
function linesBelow(audit: Audit, terminal: Look): string[] {
  const { rows, hours, by, from, to, definitions, explanations, problems } = audit;
  const width = Math.min(terminal.width ?? WIDTH, WIDTH);
  const paragraph = (text: string, first = ''): string[] =>
    wrap(withoutControls(text), width - first.length).map(
      (line, at) => (at === 0 ? first : ' '.repeat(first.length)) + line,
    );
  const range = from === to ? from : `${from} to ${to}`;
  const { title, facts } = describeAudit(audit, spell);
  const lines = ['', ...paragraph(`${title}. ${[range, 'UTC', ...facts].join(', ')}.`)];
  const wrong = rows.filter(isWrong);
  const shown = hours.length > 0 && by.length === 0 ? hours : wrong;
  if (shown.length > 0) {
    const table: Table = {
      columns: [
        { header: 'from', isFixed: true },
        ...by.map((header) => ({ header })),
        { header: 'metric', isFixed: true },
        ...NUMBERS,
      ],
      rows: shown
        .slice(0, ROWS_MAX)
        .map((row) => [
          spell(row.period_start ?? ''),
          ...by.map((name) => row.group[name] ?? '-'),
          row.metric,
          ...numberCells(row),
        ]),
    };
    lines.push('', 'What differs:', ...renderTable(table, terminal).trimEnd().split('\n'));
    if (shown.length > ROWS_MAX) lines.push(`… and ${shown.length - ROWS_MAX} more; --csv has all.`);
  }
  for (const [metric, text] of Object.entries(definitions)) lines.push('', ...paragraph(text, `${metric}: `));
  const causes = explanations.filter(({ direction }) => direction !== 'neither');
  if (causes.length > 0) lines.push('', 'What can explain it, the likeliest first:');
  for (const [at, { text }] of causes.entries()) lines.push(...paragraph(text, `${at + 1}. `));
  const others = explanations.filter(({ direction }) => direction === 'neither');
  if (others.length > 0) lines.push('');
  for (const { text } of others) lines.push(...paragraph(text));
  if (problems.length > 0) lines.push('', ...problems.flatMap((problem) => paragraph(problem)));
  return lines;
}

/** One line that says what is wrong, for the end of a log. */
function summaryText(audit: Audit): string {
  const { totals, rows, hours } = audit;
  const [first] = hours.length > 0 ? hours : rows.filter(isWrong);
  const differences = totals.filter(isWrong).map(({ metric, difference }) => `${metric} ${signed(difference)}`);
  const what = differences.length > 0 ? differences.join(', ') : 'in single periods only';
  const where = first ? `, for example ${first.metric} from ${spell(first.period_start ?? '')}` : '';
  return `${describeAudit(audit, spell).title}: ${what}${where}.`;
}

/** All rows, for CSV. */
function auditRecords({ rows, by }: Audit): { rows: readonly object[]; columns: readonly string[] } {
  const columns = ['period_start', ...by, 'metric', 'ours', 'theirs', 'difference', 'percent', 'verdict'];
  return { columns, rows: rows.map(({ group, ...row }) => ({ ...row, ...printable(group) })) };
}

/** Pages name widgets: what would control the terminal that shows a CSV is written as in the ledger. */
function printable(group: AuditRow['group']): object {
  return Object.fromEntries(Object.entries(group).map(([name, text]) => [name, text && escapeControls(text)]));
}

function spell(time: string): string {
  return time.slice(0, 16).replace('T', ' ');
}

function signed(value: number): string {
  return value.toLocaleString('en', { signDisplay: 'exceptZero' });
}
