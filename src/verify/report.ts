import { isObject, own } from '../wire/json.ts';
import { CHANNEL_METRICS, CHANNEL_REPORT_PATH, PUBLISHER_METRICS, PUBLISHER_REPORT_PATH } from '../wire/reporting.ts';
import { DAY_MS } from '../wire/utcDates.ts';
import { type Ask, type Exchange, expect, expectOk, UntoldError } from './network.ts';
import { reading, refused, type Checked, type Rule } from './rule.ts';

/** One of the two reports. */
export interface Variant {
  readonly name: 'channel-report' | 'publisher-report';
  readonly path: string;
  readonly key: 'management' | 'reporting';
  readonly metrics: readonly string[];
  readonly foreign: string;
  readonly limit: number;
}

export const CHANNEL: Variant = {
  name: 'channel-report',
  path: CHANNEL_REPORT_PATH,
  key: 'management',
  metrics: CHANNEL_METRICS,
  foreign: 'widget_loads',
  limit: 250,
};
export const PUBLISHER: Variant = {
  name: 'publisher-report',
  path: `/api${PUBLISHER_REPORT_PATH}`,
  key: 'reporting',
  metrics: PUBLISHER_METRICS,
  foreign: 'feed_loads',
  limit: 10_000,
};

export type Query = Readonly<Record<string, string>>;

/** Returns what makes a rule that a report refuses a query. */
export function refusesOf({ path, key }: Variant): (id: string, says: string, query: Ask['query']) => Omit<Rule, 'of'> {
  return (id, says, query) => refused(id, says, { path, key, query: query ?? '' }, 400);
}

/** Returns what makes a rule that a report accepts a query. */
export function acceptsOf(variant: Variant): (id: string, says: string, query: Query) => Omit<Rule, 'of'> {
  return (id, says, query) => reading(id, says, async (on) => void (await readReport(on, variant, query)));
}

/** A report as it was received. */
export interface Report {
  readonly exchange: Exchange;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly summary: Readonly<Record<string, unknown>>;
  readonly total: number;
  readonly hasMore: boolean;
}

export async function readReport(
  on: Checked,
  { path, key }: Pick<Variant, 'path' | 'key'>,
  query: Query | string,
): Promise<Report> {
  const exchange = await on.ask({ path, key, query });
  const json = expectOk(exchange);
  const [rows, summary, pagination] = [own(json, 'data'), own(json, 'summary'), own(json, 'pagination')];
  const isWhole = Array.isArray(rows) && isObject(summary) && typeof own(pagination, 'total') === 'number';
  expect(exchange, '{ data: […], summary: { … }, pagination: { offset, limit, total, has_more }, meta }', isWhole);
  return {
    exchange,
    rows: rows as Report['rows'],
    summary: summary as Report['summary'],
    total: Number(own(pagination, 'total')),
    hasMore: own(pagination, 'has_more') === true,
  };
}

export const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
export const today = (): number => Math.floor(Date.now() / DAY_MS) * DAY_MS;
export const last = (days: number): Query => ({ from: dateOf(today() - (days - 1) * DAY_MS), to: dateOf(today()) });
/** Counts that every report has. */
export const COUNTS = 'impressions,clicks';
/** Cells may be one unit of their last digit apart, where each was rounded. */
export const sum = (rows: Report['rows'], metric: string): number =>
  rows.reduce((all, row) => all + Number(row[metric]), 0);

/** Throws unless a metric of the rows adds up to a total. */
export function expectSum({ exchange, rows }: Pick<Report, 'exchange' | 'rows'>, metric: string, total: unknown): void {
  expect(exchange, `${metric} that add up to ${String(total)}`, sum(rows, metric) === total);
}

export async function lastWeek(on: Checked, variant: Variant, more: Query = {}): Promise<Report> {
  const report = await readReport(on, variant, { ...last(7), metrics: COUNTS, ...more });
  if (report.rows.length === 0) throw new UntoldError('The last seven days have no activity.');
  return report;
}

/** The report that a run can watch: that of the publisher, or of the channel. */
export function watchable(on: Checked): Pick<Variant, 'path' | 'key'> & { readonly loads: string } {
  if (on.keys.reporting) return { path: PUBLISHER.path, key: 'reporting', loads: 'widget_loads' };
  return { path: CHANNEL.path, key: 'management', loads: 'feed_loads' };
}
