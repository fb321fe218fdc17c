import { isTextColumn, kindOf, type ChannelMetric, type ChannelRatio, type ReportRow } from '../../wire/reporting.ts';
import { addDays, dateOf, HOUR_MS, periodStarts, startOf, timestamp } from '../../wire/utcDates.ts';
import type { ComparedPeriods } from './period.ts';
import type { ReportVariant } from './reportQuery.ts';

type Ratios = Readonly<Record<string, readonly [over: string, under: string]>>;
/** A channel's ratios, each with the two sums that it is made of. */
export const RATIOS: Ratios = {
  ctr: ['clicks', 'impressions'],
  cvr: ['conversions', 'clicks'],
  rpl: ['channel_payout', 'feed_loads'],
  attributed_cpa: ['attributed_ad_spend_amount', 'conversions'],
} satisfies Record<ChannelRatio, readonly [ChannelMetric, ChannelMetric]>;
const RATIOS_OF: Readonly<Record<ReportVariant, Ratios>> = {
  channel: RATIOS,
  publisher: { ctr: ['clicks', 'impressions'], cvr: ['conversions', 'widget_displays'] },
};

/** Returns the metrics with what their ratios are made of: those of several rows follow from sums, not from ratios. */
export function withParts(metrics: readonly string[], variant: ReportVariant): readonly string[] {
  return [...new Set([...metrics, ...metrics.flatMap((name) => RATIOS_OF[variant][name] ?? [])])];
}

/**
 * Whether the last day is today and has a day to be compared with: that one counts up to the same hour only, because a day
 * that is not over would seem to have fallen.
 */
export function endsToday({ dates, compared }: ComparedPeriods): boolean {
  const days = ({ from, to }: { from: string; to: string }): number => startOf(to) - startOf(from);
  return dates.to === dateOf(Date.now()) && days(dates) === days(compared);
}

/** The hours of today that have data, the latest one included; those until now where the network does not say. */
export function hoursUntil(dataThrough: string | null, today: string): number {
  const latest = dataThrough === null ? Date.now() : Date.parse(dataThrough);
  return Math.max(0, Math.min(24, Math.floor((latest - startOf(today)) / HOUR_MS) + 1));
}

/** Rows of the network, and their totals. */
interface Rows {
  readonly rows: readonly ReportRow[];
  readonly summary: Readonly<Record<string, number>>;
}

/** What `addHours` adds up. */
export interface HoursOptions extends ComparedPeriods {
  readonly variant: ReportVariant;
  /** The metrics of the result; the rows have also what `withParts` adds. */
  readonly metrics: readonly string[];
  /** The days before the last one, as the network sums them up; undefined when there are none. */
  readonly whole: Rows | undefined;
  /** The hours of the last day that count, by breakdown, and without. */
  readonly hours: readonly ReportRow[];
  readonly hoursOfAll: readonly ReportRow[];
}

/**
 * Returns the compared rows up to the same hour. The network has no report of half a day: the last day is the sum of its hours,
 * whose amounts are rounded already, so an amount can differ from the exact one by half a cent for each hour. Counts are exact.
 */
export function addHours({ compared, grain, variant, metrics, whole, hours, hoursOfAll }: HoursOptions): Rows {
  const last = {
    period_start: timestamp(periodStarts(compared, grain).at(-1) ?? startOf(compared.to)),
    period_end: `${addDays(compared.to, 1)}T00:00:00Z`,
  };
  const groups = new Map<string, ReportRow[]>();
  for (const row of [...(whole?.rows ?? []), ...hours.map((one) => (grain === 'hour' ? one : { ...one, ...last }))]) {
    const key = JSON.stringify(Object.keys(row).map((name) => (isKey(name) ? row[name] : '')));
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  const sumUp = (group: readonly Readonly<Record<string, unknown>>[]): Record<string, number> =>
    Object.fromEntries(
      metrics.map((name) => [name, group.length === 1 ? Number(group[0]?.[name]) : sumOf(name, group, variant)]),
    );
  const rows = [...groups.values()].map((group): ReportRow => {
    const texts = Object.entries(group.at(-1) ?? {}).filter(([name]) => isTextColumn(name));
    return { ...(Object.fromEntries(texts) as ReportRow), ...sumUp(group) };
  });
  return { rows, summary: sumUp([...(whole ? [whole.summary] : []), ...hoursOfAll]) };
}

function isKey(name: string): boolean {
  return isTextColumn(name) && name !== 'period_end';
}

/** The sum of a metric, rounded once as the network rounds: half away from zero, by whole hundredths. */
function sumOf(name: string, rows: readonly Readonly<Record<string, unknown>>[], variant: ReportVariant): number {
  const hundredths = (one: string): number =>
    rows.reduce((total, row) => total + Math.round(Number(row[one] ?? 0) * 100), 0);
  const parts = RATIOS_OF[variant][name];
  if (!parts) return hundredths(name) / 100;
  const [over, under] = parts.map(hundredths) as [number, number];
  const scale = kindOf(name) === 'cost' ? 100 : 10_000;
  return under === 0 ? 0 : Math.floor((2 * scale * over + under) / (2 * under)) / scale;
}
