import { readWholeReport } from '../clients/readWholeReport.ts';
import { EVERYTHING } from '../reports/reportSpec.ts';
import { readDataEnd, type FactsSource } from '../watch/readFacts.ts';
import { dateOf, monthEnd, type DateRange } from '../../wire/utcDates.ts';

/** What one publisher earned the channel in a month: the metrics beside its id and name. */
export interface StatementLine {
  /** Null for what belongs to no publisher of the channel any more. */
  readonly publisher_id: string | null;
  readonly publisher_name: string;
  readonly [metric: string]: string | number | null;
}

/** What all publishers earned it. */
export interface Statement extends DateRange {
  readonly month: string;
  readonly channel: string;
  /** Whether the network has data of the month after. */
  readonly is_complete: boolean;
  /** The last complete day of data; null when there is none. */
  readonly complete_through: string | null;
  /** The metrics, in order. */
  readonly metrics: readonly string[];
  /** By name. */
  readonly data: readonly StatementLine[];
  /** As the network computed them from the same data as the lines. */
  readonly totals: Readonly<Record<string, number>>;
  /** The total payout minus those of the lines, each of which is rounded. */
  readonly rounding: number;
}

/** The metrics of a statement, as far as they are enabled. */
const METRICS: readonly string[] = ['impressions', 'clicks', 'ctr', 'conversions', 'cvr', 'channel_payout'];
/** The amount that a statement is about. */
export const PAYOUT = 'channel_payout';

/** Reads the statement of a month that has begun. Lines and totals are of one report, so no event is in one of them only. */
export async function readStatement(source: FactsSource, month: string): Promise<Statement> {
  const today = dateOf(Date.now());
  const [from, end] = [`${month}-01`, monthEnd(`${month}-01`)];
  const to = end < today ? end : today;
  const [{ lastDay, enabled }, details] = await Promise.all([
    readDataEnd(source),
    source.channel.details({ signal: source.signal }),
  ]);
  const metrics = METRICS.filter((name) => enabled?.includes(name) ?? true);
  const report = await readWholeReport(
    source.reports,
    // A payout that is not enabled is refused by the network, in its own words.
    { ...EVERYTHING, period: { from, to }, metrics: [...new Set([...metrics, PAYOUT])], by: ['publisher'] },
    {
      split: 'publishers',
      signal: source.signal,
      onProgress: (rows, total) =>
        source.onProgress?.(`Read ${rows.toLocaleString('en')} of ${total.toLocaleString('en')} publishers …`),
    },
  );
  const lines = report.rows.map((row): StatementLine => ({
    publisher_id: String(row['publisher_id']),
    publisher_name: String(row['publisher_name']),
    ...Object.fromEntries(report.metrics.map((name) => [name, Number(row[name] ?? 0)])),
  }));
  const totals = Object.fromEntries(report.metrics.map((name) => [name, report.totals[name] ?? 0]));
  const { rest, rounding } = restOf(lines, totals);
  const sorted = lines.toSorted(
    (one, other) =>
      one.publisher_name.localeCompare(other.publisher_name, 'en', { numeric: true }) ||
      (String(one.publisher_id) < String(other.publisher_id) ? -1 : 1),
  );
  return {
    month,
    from,
    to,
    channel: details.name,
    is_complete: lastDay !== undefined && lastDay >= end,
    complete_through: lastDay ?? null,
    metrics: report.metrics,
    data: rest ? [...sorted, rest] : sorted,
    totals,
    rounding,
  };
}

/**
 * What the lines lack of the totals. In a channel that is too large for one report, publishers that were removed are in no list:
 * they have a line together. Otherwise it is the rounding of the lines, half a cent each at most.
 */
function restOf(
  lines: readonly StatementLine[],
  totals: Statement['totals'],
): { readonly rest: StatementLine | undefined; readonly rounding: number } {
  const lacking = (name: string): number =>
    Math.round(lines.reduce((left, line) => left - Number(line[name]), totals[name] ?? 0) * 100) / 100;
  const sums = Object.keys(totals).filter((name) => name !== 'ctr' && name !== 'cvr');
  const values = Object.fromEntries(sums.map((name) => [name, lacking(name)]));
  const payout = values[PAYOUT] ?? 0;
  const isRounding = Math.abs(payout) <= (lines.length + 1) * 0.005;
  if (isRounding && sums.every((name) => name === PAYOUT || values[name] === 0))
    return { rest: undefined, rounding: payout };
  const share = (over: string, under: string): number =>
    values[under] ? Math.round(((values[over] ?? 0) / values[under]) * 10_000) / 10_000 : 0;
  const ratios: Readonly<Record<string, number>> = {
    ctr: share('clicks', 'impressions'),
    cvr: share('conversions', 'clicks'),
  };
  const all = Object.keys(totals).map((name) => [name, values[name] ?? ratios[name] ?? 0]);
  return {
    rest: { publisher_id: null, publisher_name: 'Publishers no longer in the channel', ...Object.fromEntries(all) },
    rounding: 0,
  };
}

/** A statement as CSV: its lines, and the total as the last one. */
export function statementCsv(
  { month, channel, metrics, data, totals }: Statement,
  currency: string | null,
): { readonly rows: readonly object[]; readonly columns: readonly string[] } {
  const total = { publisher_id: null, publisher_name: 'Total', ...totals };
  return {
    rows: [...data, total].map((line) => ({ month, ...line, currency, paid_to: channel })),
    columns: ['month', 'publisher_id', 'publisher_name', ...metrics, 'currency', 'paid_to'],
  };
}
