import type { Cell } from '../output/table.ts';
import type { FlatRow } from './readReport.ts';

const SHARES: ReadonlySet<string> = new Set(['ctr', 'cvr']);
const COUNTS: ReadonlySet<string> = new Set([
  'impressions',
  'clicks',
  'conversions',
  'feed_loads',
  'widget_loads',
  'widget_displays',
  'viewable_widget_displays',
]);
/** Metrics of which less is better. */
const COSTS: ReadonlySet<string> = new Set(['attributed_cpa']);

/** Returns a metric for people: thousands separated, money with two decimals, ratios in per cent. */
export function formatMetric(name: string, value: unknown): string {
  if (typeof value !== 'number') return '–';
  if (SHARES.has(name)) return `${decimals(value * 100, 2)}%`;
  return decimals(value, COUNTS.has(name) ? 0 : name === 'rpl' ? 4 : 2);
}

/** Returns the change of a metric: per cent with a sign, or points for ratios; `new` when there was nothing before. */
export function formatChange(name: string, row: FlatRow): Cell {
  const value = row[name];
  const before = row[`${name}_before`];
  const change = row[SHARES.has(name) ? `${name}_change_points` : `${name}_change_percent`];
  if (typeof change !== 'number')
    return typeof value === 'number' && value > 0 && !before ? { text: 'new', tone: 'good' } : '–';
  const size = Math.abs(change);
  const text = `${change > 0 ? '+' : change < 0 ? '-' : ''}${decimals(size, SHARES.has(name) ? 2 : size >= 1_000 ? 0 : 1)}`;
  const isBetter = COSTS.has(name) ? change < 0 : change > 0;
  return {
    text: SHARES.has(name) ? `${text} pt` : `${text}%`,
    tone: change === 0 ? undefined : isBetter ? 'good' : 'bad',
  };
}

/** Whether a metric is a whole number. */
export function isCount(name: string): boolean {
  return COUNTS.has(name);
}

function decimals(value: number, digits: number): string {
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
