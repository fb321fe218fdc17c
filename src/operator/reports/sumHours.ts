import { isTextColumn, kindOf, type ChannelMetric, type ChannelRatio, type ReportRow } from '../../wire/reporting.ts';

/** The ratios, each with the two sums that it is made of. */
export const RATIOS: Readonly<Record<string, readonly [over: string, under: string]>> = {
  ctr: ['clicks', 'impressions'],
  cvr: ['conversions', 'clicks'],
  rpl: ['channel_payout', 'feed_loads'],
  attributed_cpa: ['attributed_ad_spend_amount', 'conversions'],
} satisfies Record<ChannelRatio, readonly [ChannelMetric, ChannelMetric]>;

/** Returns the metrics with what their ratios are made of: those of several hours follow from sums, not from ratios. */
export function withParts(metrics: readonly string[]): readonly string[] {
  return [...new Set([...metrics, ...metrics.flatMap((name) => RATIOS[name] ?? [])])];
}

/** Returns the sums of the hours of one day: a row for each breakdown, and the totals. */
export function sumHours(
  hours: readonly ReportRow[],
  metrics: readonly string[],
): { readonly rows: readonly ReportRow[]; readonly summary: Readonly<Record<string, number>> } {
  const groups = new Map<string, ReportRow[]>();
  for (const row of hours) {
    const key = JSON.stringify(Object.keys(row).map((name) => (isBreakdown(name) ? row[name] : '')));
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  const rows = [...groups.values()].map((group): ReportRow => {
    const [first] = group;
    const day = String(first?.period_start).slice(0, 10);
    const texts = Object.entries(first ?? {}).filter(([name]) => isBreakdown(name));
    // The end plays no part in a comparison.
    const period = { period_start: `${day}T00:00:00Z`, period_end: String(group.at(-1)?.period_end) };
    return { ...period, ...Object.fromEntries(texts), ...sumsOf(group, metrics) };
  });
  return { rows, summary: sumsOf(hours, metrics) };
}

function isBreakdown(name: string): boolean {
  return isTextColumn(name) && !name.startsWith('period_');
}

function sumsOf(rows: readonly ReportRow[], metrics: readonly string[]): Record<string, number> {
  const sum = (name: string): number => rows.reduce((total, row) => total + Number(row[name] ?? 0), 0);
  const ratio = (over: string, under: string): number => (sum(under) === 0 ? 0 : sum(over) / sum(under));
  return Object.fromEntries(
    metrics.map((name) => {
      const parts = RATIOS[name];
      return [name, rounded(parts ? ratio(...parts) : sum(name), name)];
    }),
  );
}

/** As the network rounds. */
function rounded(value: number, name: string): number {
  const factor = RATIOS[name] ? 10_000 : kindOf(name) === 'count' ? 1 : 100;
  return Math.round(value * factor) / factor;
}
