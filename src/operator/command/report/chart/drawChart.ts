import { safeText } from '../../../../cli/output/displayWidth.ts';
import type { Terminal } from '../../../../cli/output/terminal.ts';
import { inTone } from '../../../../cli/output/tone.ts';
import { formatRange } from '../formatPeriod.ts';
import { formatChange, formatMetric } from '../formatMetric.ts';
import type { FlatRow, WholeReport } from '../readWholeReport.ts';
import type { Wanted } from '../readQuery.ts';
import { groupCell, metricsOf } from '../reportTable.ts';
import { barChart } from './barChart.ts';
import type { Canvas } from './canvas.ts';
import { columnChart } from './columnChart.ts';
import { seriesOf } from './series.ts';
import { sparkChart } from './sparkChart.ts';

/** What `drawChart` draws. */
export interface ChartOptions {
  readonly report: WholeReport;
  readonly wanted: Wanted;
  readonly terminal: Pick<Terminal, 'width' | 'hasColor' | 'hasUnicode'>;
  readonly now: Date;
}

/** Columns of a chart in a file or a pipe. */
const PLAIN_WIDTH = 80;
const MAX_WIDTH = 160;
/** Metrics that are drawn when they are named; without names, only the first: different units need different charts. */
const MAX_CHARTS = 3;

/** Returns a report as charts: upright bars over time, lying bars for breakdowns, a line of small bars for both. */
export function drawChart({ report, wanted, terminal, now }: ChartOptions): string {
  const { width = PLAIN_WIDTH, hasColor, hasUnicode } = terminal;
  const canvas = { width: Math.min(MAX_WIDTH, width), hasColor, hasUnicode };
  const metrics = metricsOf(report).slice(0, wanted.metrics ? MAX_CHARTS : 1);
  return metrics
    .map((metric) =>
      [titleOf(metric, { report, canvas }), ...drawMetric(metric, { report, wanted, canvas, now }), ''].join('\n'),
    )
    .join('\n');
}

function titleOf(metric: string, { report, canvas }: { report: WholeReport; canvas: Canvas }): string {
  const { totals, compared } = report;
  const parts = [inTone(safeText(metric), 'strong', canvas.hasColor), formatMetric(metric, totals[metric])];
  if (!compared) return parts.join('  ');
  const change = formatChange(metric, totals);
  const text = typeof change === 'string' ? change : inTone(change.text, change.tone, canvas.hasColor);
  return [
    ...parts,
    text,
    inTone(`from ${formatMetric(metric, totals[`${metric}_before`])}`, 'dim', canvas.hasColor),
  ].join('  ');
}

interface MetricChart extends Omit<ChartOptions, 'terminal'> {
  readonly canvas: Canvas;
}

function drawMetric(metric: string, { report, wanted, canvas, now }: MetricChart): string[] {
  const { drawn, dates, meta, compared } = report;
  const hasBefore = compared !== undefined;
  const labelOf = (row: FlatRow): string => wanted.by.map((name) => groupCell(row, name)).join(' / ');
  if (wanted.grain === 'total' || !dates) {
    const rows = drawn.map((row) => ({ label: labelOf(row) || 'all', row }));
    const lines = barChart({ metric, rows, hasBefore }, canvas);
    return hasBefore ? [...lines, legend([['mark', formatRange(compared)]], canvas)] : lines;
  }
  const { grain } = wanted;
  const series = (rows: readonly FlatRow[]): ReturnType<typeof seriesOf> =>
    seriesOf({ rows, metric, dates, grain, dataThrough: meta.data_through, now });
  if (wanted.by.length > 0) {
    const groups = groupRows(drawn, labelOf);
    return sparkChart(
      metric,
      [...groups].map(([label, rows]) => ({ label, points: series(rows) })),
      canvas,
    );
  }
  const points = series(drawn);
  const lines = columnChart({ metric, points, grain, hasBefore }, canvas);
  const keys: [keyof typeof KEYS, string][] = [];
  if (compared) keys.push(['solid', formatRange(dates)], ['shade', formatRange(compared)]);
  if (points.some(({ isOpen, value }) => isOpen && value)) keys.push(['light', 'not over yet']);
  return keys.length > 0 ? [...lines, legend(keys, canvas)] : lines;
}

const KEYS = { solid: ['█', '#'], shade: ['▒', '='], light: ['░', ':'], mark: ['┃', '|'] } as const;

function legend(keys: readonly (readonly [keyof typeof KEYS, string])[], { hasUnicode, hasColor }: Canvas): string {
  return inTone(
    `  ${keys.map(([key, text]) => `${KEYS[key][hasUnicode ? 0 : 1]} ${text}`).join('   ')}`,
    'dim',
    hasColor,
  );
}

function groupRows(rows: readonly FlatRow[], labelOf: (row: FlatRow) => string): Map<string, FlatRow[]> {
  const groups = new Map<string, FlatRow[]>();
  for (const row of rows) {
    const label = labelOf(row);
    const group = groups.get(label);
    if (group) group.push(row);
    else groups.set(label, [row]);
  }
  return groups;
}
