import type { AuditRow, AuditVerdict } from '../../wire/audit/compareCounts.ts';
import { describeAudit, isWrong, type Audit } from '../../wire/audit/makeAudit.ts';
import { escapeControls } from '../../http/printable.ts';
import { renderTable, type Cell, type Table } from '../output/print.ts';
import type { Terminal, Tone } from '../output/terminal.ts';
import { withoutControls, wrap } from '../output/displayWidth.ts';

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
export function auditTable({ rows, totals }: Audit): Table {
  return {
    columns: [{ header: 'metric', isFixed: true }, ...NUMBERS],
    rows: rows.length === 0 ? [] : totals.map((row) => [row.metric, ...numbersOf(row)]),
  };
}

const NUMBERS = [
  { header: 'ours', isNumber: true },
  { header: 'theirs', isNumber: true },
  { header: 'difference', isNumber: true },
  { header: '%', isNumber: true },
  { header: 'verdict', isFixed: true },
] as const;

function numbersOf({ ours, theirs, difference, percent, verdict }: AuditRow): Cell[] {
  return [
    ours.toLocaleString('en'),
    theirs.toLocaleString('en'),
    signed(difference),
    percent === null || difference === 0 ? '' : signed(percent),
    { text: verdict, tone: TONES[verdict] },
  ];
}

/** What is printed below the totals: what differs and when, what can explain it, and what could not be read. */
export function linesBelow(audit: Audit, terminal: Pick<Terminal, 'width' | 'hasColor' | 'hasUnicode'>): string[] {
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
          ...numbersOf(row),
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
export function summaryOf(audit: Audit): string {
  const { totals, rows, hours } = audit;
  const [first] = hours.length > 0 ? hours : rows.filter(isWrong);
  const differences = totals.filter(isWrong).map(({ metric, difference }) => `${metric} ${signed(difference)}`);
  const what = differences.length > 0 ? differences.join(', ') : 'in single periods only';
  const where = first ? `, for example ${first.metric} from ${spell(first.period_start ?? '')}` : '';
  return `${describeAudit(audit, spell).title}: ${what}${where}.`;
}

/** All rows, for CSV. */
export function auditRecords({ rows, by }: Audit): { rows: readonly object[]; columns: readonly string[] } {
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
