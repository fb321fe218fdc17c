import { changeDecimals, COUNT_METRICS, isRatio } from '../../../wire/reporting.ts';
import type { Cell } from '../../../cli/output/table.ts';
import type { FlatRow } from './readWholeReport.ts';

/** Metrics of which less is better. */
const COSTS: ReadonlySet<string> = new Set(['attributed_cpa']);

/** Returns a metric for people: thousands separated, money with two decimals, ratios in per cent. */
export function formatMetric(name: string, value: unknown): string {
  if (typeof value !== 'number') return '–';
  if (isRatio(name)) return `${decimals(value * 100, 2)}%`;
  return decimals(value, COUNT_METRICS.has(name) ? 0 : name === 'rpl' ? 4 : 2);
}

/** Returns the change of a metric: per cent with a sign, or points for ratios; `new` when there was nothing before. */
export function formatChange(name: string, row: FlatRow): Cell {
  const value = row[name];
  const before = row[`${name}_before`];
  const change = row[isRatio(name) ? `${name}_change_points` : `${name}_change_percent`];
  if (typeof change !== 'number')
    return typeof value === 'number' && value > 0 && !before ? { text: 'new', tone: 'good' } : '–';
  const size = Math.abs(change);
  const text = `${change > 0 ? '+' : change < 0 ? '-' : ''}${decimals(size, changeDecimals(size, isRatio(name) ? 'points' : 'percent'))}`;
  const isBetter = COSTS.has(name) ? change < 0 : change > 0;
  return {
    text: isRatio(name) ? `${text} pt` : `${text}%`,
    tone: change === 0 ? undefined : isBetter ? 'good' : 'bad',
  };
}

/** Whether a metric is a whole number. */
export function isCount(name: string): boolean {
  return COUNT_METRICS.has(name);
}

function decimals(value: number, digits: number): string {
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
