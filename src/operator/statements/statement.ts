import { isShare } from '../../wire/reporting.ts';
import { monthEnd } from '../../wire/utcDates.ts';

/** What one publisher earned the channel in a month. */
export interface StatementLine {
  /** Empty for what belongs to no publisher of the channel any more. */
  readonly publisher_id: string;
  readonly publisher_name: string;
  readonly values: Readonly<Record<string, number>>;
}

/** A month's figures, as they were read. */
export interface Figures {
  readonly month: string;
  /** The metrics, in order. */
  readonly metrics: readonly string[];
  /** By name. */
  readonly lines: readonly StatementLine[];
  /** As the network computed them: ratios cannot be added up. */
  readonly totals: Readonly<Record<string, number>>;
}

/** A statement that does not change any more. */
export interface FrozenStatement extends Figures {
  readonly version: 1;
  readonly network: string;
  readonly channel: string;
  readonly currency: string | null;
  /** When it was frozen. */
  readonly frozen_at: string;
}

/** A statement, and what has changed since it was frozen. */
export interface Statement extends Figures {
  readonly network: string;
  readonly channel: string;
  readonly currency: string | null;
  /** Null while the month is not complete, or nothing keeps it. */
  readonly frozen_at: string | null;
  readonly isComplete: boolean;
  /** The last complete day of data; null when there is none. */
  readonly through: string | null;
  /** Lines that late events changed; none when nothing did. */
  readonly changes: readonly StatementChange[];
  /** The totals now. */
  readonly totals_now: Readonly<Record<string, number>>;
}

/** A line of which the network says something else now. */
export interface StatementChange {
  readonly publisher_id: string;
  readonly publisher_name: string;
  readonly before: Readonly<Record<string, number>>;
  readonly now: Readonly<Record<string, number>>;
}

/** The metrics of a statement, as far as they are enabled. */
export const STATEMENT_METRICS = ['impressions', 'clicks', 'ctr', 'conversions', 'cvr', 'channel_payout'] as const;
/** The amount that a statement is about. */
export const PAYOUT = 'channel_payout';

/** Whether a text is a month such as 2026-10. */
export function isMonth(text: string): boolean {
  return /^\d{4}-(0[1-9]|1[0-2])$/.test(text);
}

/** The dates of a month. */
export function datesOfMonth(month: string): { readonly from: string; readonly to: string } {
  const from = `${month}-01`;
  return { from, to: monthEnd(from) };
}

/** Returns the statement of one publisher. */
export function statementOf(statement: Statement, id: string): Statement {
  const isIts = (one: NameOfLine): boolean => one.publisher_id === id;
  const lines = statement.lines.filter(isIts);
  const changes = statement.changes.filter(isIts);
  const totals = lines[0]?.values ?? zerosOf(statement);
  return { ...statement, lines, changes, totals, totals_now: changes[0]?.now ?? totals };
}

function zerosOf({ metrics }: Figures): Readonly<Record<string, number>> {
  return Object.fromEntries(metrics.map((name) => [name, 0]));
}

/** Returns the lines that differ, those that are new or gone included. A publisher is its id: it may be renamed. */
export function changesBetween(before: Figures, now: Figures): StatementChange[] {
  const zero = zerosOf(before);
  const old = new Map(before.lines.map((line) => [line.publisher_id, line]));
  const changes: StatementChange[] = [];
  for (const line of now.lines) {
    const known = old.get(line.publisher_id);
    old.delete(line.publisher_id);
    if (before.metrics.some((name) => (known?.values[name] ?? 0) !== (line.values[name] ?? 0)))
      changes.push({ ...nameOf(line), before: known?.values ?? zero, now: line.values });
  }
  for (const line of old.values())
    if (before.metrics.some((name) => line.values[name] !== 0))
      changes.push({ ...nameOf(line), before: line.values, now: zero });
  return changes;
}

/** A metric of a line that late events changed. */
interface MetricChange {
  readonly metric: string;
  readonly before: number;
  readonly now: number;
  readonly difference: number;
}

/** Returns the metrics in which a line, or the totals, differ. Ratios follow from the counts. */
export function metricsChanged(
  metrics: readonly string[],
  { before, now }: Pick<StatementChange, 'before' | 'now'>,
): MetricChange[] {
  return metrics
    .filter((metric) => !isShare(metric))
    .map((metric) => {
      const [from = 0, to = 0] = [before[metric], now[metric]];
      return { metric, before: from, now: to, difference: Math.round((to - from) * 100) / 100 };
    })
    .filter(({ difference }) => difference !== 0);
}

/**
 * Returns the statement as rows of CSV: each metric as it was frozen, and in `…_now` as the network says now. Publishers that
 * had nothing when it was frozen are the last ones.
 */
export function statementRows(statement: Statement): { rows: readonly object[]; columns: readonly string[] } {
  const { month, metrics, changes, currency, frozen_at } = statement;
  const now = new Map(changes.map((change) => [change.publisher_id, change.now]));
  const rows = allLines(statement).map((line) => ({
    month,
    publisher_id: line.publisher_id,
    publisher_name: line.publisher_name,
    ...line.values,
    ...Object.fromEntries(
      metrics.map((name) => [nowColumn(name), (now.get(line.publisher_id) ?? line.values)[name] ?? 0]),
    ),
    currency: currency ?? '',
    frozen_at: frozen_at ?? '',
  }));
  const columns = ['month', 'publisher_id', 'publisher_name', ...metrics, ...metrics.map(nowColumn)];
  return { rows, columns: [...columns, 'currency', 'frozen_at'] };
}

/** Returns the lines, and those that only late events made. */
export function allLines({ lines, changes }: Pick<Statement, 'lines' | 'changes'>): readonly StatementLine[] {
  const known = new Set(lines.map(({ publisher_id }) => publisher_id));
  const late = changes.filter(({ publisher_id }) => !known.has(publisher_id));
  return [...lines, ...late.map((change) => ({ ...nameOf(change), values: change.before }))];
}

function nowColumn(metric: string): string {
  return `${metric}_now`;
}

type NameOfLine = Pick<StatementLine, 'publisher_id' | 'publisher_name'>;

function nameOf({ publisher_id, publisher_name }: NameOfLine): NameOfLine {
  return { publisher_id, publisher_name };
}
