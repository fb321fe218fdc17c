import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { UsageError } from '../../cli/ExitError.ts';
import { RowLimitError } from '../clients/errors.ts';
import { readWholeReport, type WholeReport } from '../clients/ReportingClient.ts';
import { chunksOf, IDS_PER_REQUEST, readDataEnd, readPublishers, type FactsSource } from '../watch/readFacts.ts';
import { isObject, parseJson } from '../../wire/json.ts';
import { dateOf } from '../../wire/utcDates.ts';
import {
  changesBetween,
  datesOfMonth,
  PAYOUT,
  STATEMENT_METRICS,
  type Figures,
  type FrozenStatement,
  type Statement,
  type StatementLine,
} from './statement.ts';

/** Which statement, and where it is kept. */
export interface StatementQuery {
  readonly source: FactsSource;
  readonly month: string;
  readonly network: string;
  /** The folder of frozen statements; undefined: nothing is frozen. */
  readonly folder: string | undefined;
  readonly currency: string | null;
}

/**
 * Returns the statement of a month. The first time that the month is complete, it is frozen: written to the folder, and
 * returned from there ever after, with what the network says differently since.
 */
export async function openStatement(query: StatementQuery): Promise<Statement> {
  const { source, month, network, folder, currency } = query;
  const now = Date.now();
  const [end, details] = await Promise.all([readDataEnd(source), source.channel.details({ signal: source.signal })]);
  const through = end.lastDay ?? null;
  const isComplete = through !== null && through >= datesOfMonth(month).to;
  if (end.enabled && !end.enabled.includes(PAYOUT))
    throw new UsageError(`${PAYOUT} is not enabled for the key, and a statement is about it.`);
  const metrics = STATEMENT_METRICS.filter((name) => end.enabled?.includes(name) ?? true);
  const figures = await readFigures(source, { month, metrics, today: dateOf(now) });
  const shared = { network, channel: details.name, currency };
  const live = { ...shared, ...figures, frozen_at: null, isComplete, through, changes: [], totals_now: figures.totals };
  if (folder === undefined) return live;
  const path = join(folder, `${month}.json`);
  const frozen =
    readFrozen(path, shared) ??
    (isComplete
      ? freeze(path, { version: 1, ...shared, frozen_at: new Date(now).toISOString(), ...figures }, shared)
      : undefined);
  if (!frozen) return live;
  return {
    ...frozen,
    isComplete: true,
    through,
    changes: changesBetween(frozen, figures),
    totals_now: figures.totals,
  };
}

interface FiguresQuery {
  readonly month: string;
  readonly metrics: readonly string[];
  readonly today: string;
}

async function readFigures(source: FactsSource, { month, metrics, today }: FiguresQuery): Promise<Figures> {
  const { from, to } = datesOfMonth(month);
  if (from > today) throw new UsageError(`--month is in the future: ${month}. Today is ${today} (UTC).`);
  const dates = { from, to: to < today ? to : today };
  const read = (filters: object): Promise<WholeReport> =>
    readWholeReport({
      reader: source.reports,
      query: { ...dates, metrics, ...filters },
      variant: 'channel',
      sort: '',
      signal: source.signal,
      onProgress: (rows, total) =>
        source.onProgress?.(`Read ${rows.toLocaleString('en')} of ${total.toLocaleString('en')} publishers …`),
    });
  const { totals } = await read({});
  const linesOf = ({ rows }: WholeReport): StatementLine[] =>
    rows.map((row) => ({
      publisher_id: String(row['publisher_id']),
      publisher_name: String(row['publisher_name']),
      values: Object.fromEntries(metrics.map((name) => [name, Number(row[name] ?? 0)])),
    }));
  let lines: StatementLine[] = [];
  try {
    lines = linesOf(await read({ group_by: ['publisher'] }));
  } catch (error) {
    if (!(error instanceof RowLimitError)) throw error;
    const { approved } = await readPublishers(source);
    for (const publisher_ids of chunksOf(approved, IDS_PER_REQUEST))
      lines.push(...linesOf(await read({ group_by: ['publisher'], publisher_ids })));
  }
  const rest = restOf(lines, { totals, metrics });
  const sorted = lines.toSorted(
    (one, other) =>
      one.publisher_name.localeCompare(other.publisher_name, 'en', { numeric: true }) ||
      (one.publisher_id < other.publisher_id ? -1 : 1),
  );
  const plain = Object.fromEntries(metrics.map((name) => [name, totals[name] ?? 0]));
  return { month, metrics, lines: rest ? [...sorted, rest] : sorted, totals: plain };
}

/** What the lines lack of the totals: publishers that were removed are in no list. Cents may differ by rounding. */
function restOf(
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

type Owner = Pick<FrozenStatement, 'network' | 'channel'>;

/** Reads a frozen statement; undefined when there is none. */
function readFrozen(path: string, owner: Owner): FrozenStatement | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new UsageError(`The statement "${path}" cannot be read (${code ?? 'unknown error'}).`);
  }
  const json = parseJson(text);
  if (!isObject(json) || json['version'] !== 1 || !Array.isArray(json['lines']))
    throw new UsageError(`"${path}" is not a frozen statement. Move it away to freeze the month again.`);
  if (json['network'] !== owner.network || json['channel'] !== owner.channel)
    throw new UsageError(
      `"${path}" is a statement of the channel "${String(json['channel'])}" of ${String(json['network'])}. Use another folder for this one.`,
    );
  return json as unknown as FrozenStatement;
}

/** Writes a statement once: of two processes, both return what the first one wrote. */
function freeze(path: string, statement: FrozenStatement, owner: Owner): FrozenStatement {
  const temporary = `${path}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(temporary, `${JSON.stringify(statement, undefined, 1)}\n`, { mode: 0o644, flush: true });
    // Unlike a rename, a link replaces nothing.
    linkSync(temporary, path);
    return statement;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const first = code === 'EEXIST' ? readFrozen(path, owner) : undefined;
    if (first) return first;
    throw new UsageError(`The statement cannot be written: "${path}" (${code ?? String(error)}).`);
  } finally {
    rmSync(temporary, { force: true });
  }
}
