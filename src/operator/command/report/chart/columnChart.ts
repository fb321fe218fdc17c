import type { TimeGrain } from '../../../../wire/reporting.ts';
import { inTone, type Tone } from '../../../../cli/output/tone.ts';
import { formatMetric, isCount } from '../formatMetric.ts';
import { shortPeriod } from '../formatPeriod.ts';
import { niceCeiling, uprightBar, type Fill } from './blocks.ts';
import type { Canvas } from './canvas.ts';
import type { Point } from './series.ts';

/** What `columnChart` draws. */
export interface ColumnChart {
  readonly metric: string;
  readonly points: readonly Point[];
  readonly grain: TimeGrain;
  readonly hasBefore: boolean;
}

const HEIGHT = 8;
/** Wider columns look like blocks of houses. */
const MAX_SLOT = 9;

/** Returns a time series as upright bars with an axis; beside each, shaded, the value that it is compared with. */
export function columnChart(chart: ColumnChart, canvas: Canvas): string[] {
  const { metric, grain, hasBefore } = chart;
  const values = chart.points.flatMap(({ value, before }) => [value ?? 0, hasBefore ? (before ?? 0) : 0]);
  const top = niceCeiling(Math.max(0, ...values), isCount(metric));
  const ticks = new Map([
    [HEIGHT - 1, formatMetric(metric, top)],
    [HEIGHT / 2 - 1, formatMetric(metric, top / 2)],
  ]);
  const zero = formatMetric(metric, 0);
  const axis = Math.max(zero.length, ...[...ticks.values()].map((text) => text.length));
  const room = Math.max(8, canvas.width - axis - 2);
  const points = chart.points.slice(-room);
  const slot = Math.min(MAX_SLOT, Math.floor(room / Math.max(1, points.length)));
  const { bar, beside } = widthsIn(slot, hasBefore);

  const columns = points.map((point) => ({ point, cells: cellsOf(point, { top, bar, beside, slot, canvas }) }));
  const [upper, lower, corner] = canvas.hasUnicode ? ['┤', '│', '┼'] : ['+', '|', '+'];
  const lines = Array.from({ length: HEIGHT }, (_, up) => {
    const row = HEIGHT - 1 - up;
    const tick = ticks.get(row);
    const edge = inTone(`${(tick ?? '').padStart(axis)} ${tick === undefined ? lower : upper}`, 'dim', canvas.hasColor);
    return (edge + columns.map(({ cells }) => cells[row] ?? '').join('')).trimEnd();
  });
  // Periods without data yet have no axis: they are not zero.
  const floor = points.map(({ value }) => (value === null ? ' ' : canvas.hasUnicode ? '─' : '-').repeat(slot)).join('');
  lines.push(inTone(`${zero.padStart(axis)} ${corner}${floor}`.trimEnd(), 'dim', canvas.hasColor));
  lines.push(inTone(`${' '.repeat(axis + 2)}${axisLabels(points, { grain, slot })}`, 'dim', canvas.hasColor));
  const left = chart.points.length - points.length;
  if (left > 0) lines.push(`The first ${left} periods are left out: use a coarser --grain or a wider terminal.`);
  return lines;
}

/** Columns of a bar, of the one beside it, and the gap that is left. */
function widthsIn(slot: number, hasBefore: boolean): { bar: number; beside: number } {
  const inner = slot >= 3 ? slot - 1 : Math.max(1, slot);
  const beside = hasBefore && inner >= 2 ? Math.max(1, Math.floor(inner / 2.5)) : 0;
  return { bar: slot === 2 && beside === 0 ? 1 : inner - beside, beside };
}

interface CellOptions {
  readonly top: number;
  readonly bar: number;
  readonly beside: number;
  readonly slot: number;
  readonly canvas: Canvas;
}

function cellsOf({ value, before, isOpen }: Point, { top, bar, beside, slot, canvas }: CellOptions): string[] {
  const { hasUnicode, hasColor } = canvas;
  const main = paint((value ?? 0) / top, { width: bar, fill: isOpen ? 'light' : 'solid', tone: 'accent' });
  // Without room beside it, what is compared with stands behind the bar: its top shows where the bar is lower.
  const other = paint((before ?? 0) / top, { width: beside || bar, fill: 'shade', tone: 'dim' });
  const gap = ' '.repeat(Math.max(0, slot - bar - beside));
  return main.map((cells, row) => {
    const behind = other[row] ?? '';
    return (beside > 0 ? cells + behind : cells.trim() === '' ? behind : cells) + gap;
  });

  function paint(share: number, { width, fill, tone }: { width: number; fill: Fill; tone: Tone }): string[] {
    return uprightBar(share, HEIGHT, { fill, hasUnicode }).map((cell) =>
      cell === ' ' ? ' '.repeat(width) : inTone(cell.repeat(width), tone, hasColor),
    );
  }
}

/** Names as many periods as there is room for, each below the left edge of its bar. */
function axisLabels(points: readonly Point[], { grain, slot }: { grain: TimeGrain; slot: number }): string {
  const labels = points.map(({ start }) => shortPeriod(start, grain));
  const longest = Math.max(0, ...labels.map((label) => label.length));
  const step = Math.max(1, Math.ceil((longest + 2) / Math.max(1, slot)));
  let line = '';
  for (const [index, label] of labels.entries()) {
    if (index % step !== 0) continue;
    if (index > 0 && index * slot + label.length > labels.length * slot + 1) continue;
    line = line.padEnd(index * slot) + label;
  }
  return line;
}
