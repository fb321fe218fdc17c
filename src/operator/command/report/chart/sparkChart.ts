import { cutTo, displayWidth, safeText } from '../../../../cli/output/displayWidth.ts';
import { inTone } from '../../../../cli/output/tone.ts';
import { formatMetric } from '../formatMetric.ts';
import { sparkline } from './blocks.ts';
import type { Canvas } from './canvas.ts';
import type { Point } from './series.ts';

/** One line of small bars. */
export interface SparkSeries {
  readonly label: string;
  readonly points: readonly Point[];
}

const MAX_SERIES = 24;
const MAX_LABEL = 30;

/** Returns one line for each series, each on its own scale, with its peak and its latest value. */
export function sparkChart(metric: string, series: readonly SparkSeries[], canvas: Canvas): string[] {
  const peakOf = ({ points }: SparkSeries): number => Math.max(0, ...points.map(({ value }) => value ?? 0));
  const shown = series.toSorted((a, b) => peakOf(b) - peakOf(a)).slice(0, MAX_SERIES);
  const labelWidth = Math.min(
    MAX_LABEL,
    Math.floor(canvas.width / 3),
    Math.max(0, ...shown.map(({ label }) => displayWidth(safeText(label)))),
  );
  const peakWidth = Math.max(0, ...shown.map((one) => formatMetric(metric, peakOf(one)).length));
  const room = Math.max(4, canvas.width - labelWidth - peakWidth - 9);
  const lines = shown.map((one) => {
    const label = cutTo(safeText(one.label), labelWidth);
    const values = one.points.slice(-room).map(({ value }) => value);
    const line = sparkline(values, peakOf(one), canvas.hasUnicode);
    const peak = formatMetric(metric, peakOf(one)).padStart(peakWidth);
    return `${label}${' '.repeat(labelWidth - displayWidth(label))}  ${inTone(line, 'accent', canvas.hasColor)}  ${inTone('peak', 'dim', canvas.hasColor)} ${peak}`;
  });
  if (series.length > shown.length) lines.push(`… and ${series.length - shown.length} more in the table.`);
  return lines;
}
