import { cutTo, displayWidth, safeText, inTone, type Look, type Tone } from '../../cli/output/terminal.ts';
import { kindOf, type TimeGrain } from '../../wire/reporting.ts';
import type { Row } from '../reports/comparison.ts';
import { rangeOf, tickOf, valueOf } from '../reports/format.ts';
import { chartDataOf, type ChartData, type Series } from '../reports/series.ts';
import { beforeText, changeCell, groupCell, metricText, type PrintedReport } from './reportTable.ts';

/** Columns of a chart in a file or a pipe. */
const PLAIN_WIDTH = 80;
const MAX_WIDTH = 160;
/** Metrics that are drawn when they are named; without names, only the first: different units need different charts. */
const MAX_CHARTS = 3;

/** Where a chart is drawn. */
interface Canvas extends Look {
  readonly width: number;
}

/** Returns a report as charts: columns over time, bars for breakdowns, a line of small bars for both. */
export function drawChart(report: PrintedReport, look: Look): string {
  const canvas = { ...look, width: Math.min(MAX_WIDTH, look.width ?? PLAIN_WIDTH) };
  const metrics = report.metrics.slice(0, report.query.metrics ? MAX_CHARTS : 1);
  return metrics
    .map((metric) => [titleOf(metric, report, canvas), ...drawMetric(metric, report, canvas), ''].join('\n'))
    .join('\n');
}

function titleOf(metric: string, { totals, compared }: PrintedReport, { hasColor }: Canvas): string {
  const parts = [inTone(safeText(metric), 'strong', hasColor), metricText(metric, totals)];
  if (!compared) return parts.join('  ');
  const { text, tone } = changeCell(metric, totals);
  return [...parts, inTone(text, tone, hasColor), inTone(`from ${beforeText(metric, totals)}`, 'dim', hasColor)].join(
    '  ',
  );
}

function drawMetric(metric: string, report: PrintedReport, canvas: Canvas): string[] {
  const { rows, dates, meta, compared, query } = report;
  const labelOf = (row: Row): string => query.by.map((name) => groupCell(row, name)).join(' / ');
  if (query.grain === 'total' || !dates) {
    const bars = rows.map((row) => ({ label: labelOf(row) || 'all', row }));
    const lines = barChart({ metric, rows: bars, hasBefore: compared !== undefined }, canvas);
    return compared ? [...lines, legend([['mark', rangeOf(compared)]], canvas)] : lines;
  }
  const { grain } = query;
  const lines = query.by.length > 0 ? { names: [...new Set(rows.map(labelOf))], of: labelOf } : undefined;
  const data = chartDataOf({ rows, metric, dates, compared, grain, dataThrough: meta.data_through, lines });
  if (lines) return sparkChart(metric, data.series, canvas);
  const drawn = columnChart({ metric, data, grain }, canvas);
  const keys: [Fill, string][] = [];
  if (compared) keys.push(['solid', rangeOf(dates)], ['shade', rangeOf(compared)]);
  if (data.open >= 0 && data.series[0]?.values[data.open]) keys.push(['light', 'not over yet']);
  return keys.length > 0 ? [...drawn, legend(keys, canvas)] : drawn;
}

function legend(keys: readonly (readonly [Fill, string])[], { hasUnicode, hasColor }: Canvas): string {
  const parts = keys.map(([key, text]) => `${FILLS[key][hasUnicode ? 0 : 1]} ${text}`);
  return inTone(`  ${parts.join('   ')}`, 'dim', hasColor);
}

/** One period of a column chart. */
interface Point {
  readonly start: number;
  readonly value: number | null;
  readonly before: number | null;
  readonly isOpen: boolean;
}

const HEIGHT = 8;
/** Wider columns look like blocks. */
const MAX_SLOT = 9;

/** Returns a time series as upright bars with an axis; beside each, shaded, the value that it is compared with. */
export function columnChart(
  { metric, data, grain }: { readonly metric: string; readonly data: ChartData; readonly grain: TimeGrain },
  canvas: Canvas,
): string[] {
  const hasBefore = data.before !== undefined;
  const all = data.starts.map((start, index): Point => ({
    start,
    value: data.series[0]?.values[index] ?? null,
    before: data.before?.[index] ?? null,
    isOpen: index === data.open,
  }));
  const top = niceCeiling(
    Math.max(0, ...all.flatMap(({ value, before }) => [value ?? 0, before ?? 0])),
    kindOf(metric) === 'count',
  );
  const ticks = new Map([
    [HEIGHT - 1, valueOf(metric, top)],
    [HEIGHT / 2 - 1, valueOf(metric, top / 2)],
  ]);
  const zero = valueOf(metric, 0);
  const axis = Math.max(zero.length, ...[...ticks.values()].map((text) => text.length));
  const room = Math.max(8, canvas.width - axis - 2);
  const points = all.slice(-room);
  const slot = Math.min(MAX_SLOT, Math.floor(room / Math.max(1, points.length)));
  const { bar, beside } = widthsIn(slot, hasBefore);

  const columns = points.map((point) => cellsOf(point, { ...canvas, top, bar, beside, slot }));
  const [upper, lower, corner] = canvas.hasUnicode ? ['┤', '│', '┼'] : ['+', '|', '+'];
  const lines = Array.from({ length: HEIGHT }, (_, up) => {
    const row = HEIGHT - 1 - up;
    const tick = ticks.get(row);
    const edge = inTone(`${(tick ?? '').padStart(axis)} ${tick === undefined ? lower : upper}`, 'dim', canvas.hasColor);
    return (edge + columns.map((cells) => cells[row] ?? '').join('')).trimEnd();
  });
  // Periods without data yet have no axis: they are not zero.
  const floor = points.map(({ value }) => (value === null ? ' ' : canvas.hasUnicode ? '─' : '-').repeat(slot)).join('');
  lines.push(inTone(`${zero.padStart(axis)} ${corner}${floor}`.trimEnd(), 'dim', canvas.hasColor));
  lines.push(inTone(`${' '.repeat(axis + 2)}${axisLabels(points, { grain, slot })}`, 'dim', canvas.hasColor));
  const left = all.length - points.length;
  if (left > 0) lines.push(`The first ${left} periods are left out: use a coarser --grain or a wider terminal.`);
  return lines;
}

/** Columns of a bar, of the one beside it, and the gap that is left. */
function widthsIn(slot: number, hasBefore: boolean): { bar: number; beside: number } {
  const inner = slot >= 3 ? slot - 1 : Math.max(1, slot);
  const beside = hasBefore && inner >= 2 ? Math.max(1, Math.floor(inner / 2.5)) : 0;
  return { bar: slot === 2 && beside === 0 ? 1 : inner - beside, beside };
}

interface CellOptions extends Canvas {
  readonly top: number;
  readonly bar: number;
  readonly beside: number;
  readonly slot: number;
}

function cellsOf({ value, before, isOpen }: Point, options: CellOptions): string[] {
  const { top, bar, beside, slot, hasUnicode, hasColor } = options;
  const main = paint((value ?? 0) / top, { width: bar, fill: isOpen ? 'light' : 'solid', tone: 'accent' });
  // Without room beside it, the compared value is drawn behind the bar: its top shows where the bar is lower.
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
  const labels = points.map(({ start }) => tickOf(start, grain));
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

/** What `barChart` draws. */
interface BarChart {
  readonly metric: string;
  readonly rows: readonly { readonly label: string; readonly row: Row }[];
  readonly hasBefore: boolean;
}

/** More bars than anybody compares. */
const MAX_BARS = 20;
const MAX_LABEL = 30;
const MIN_BAR = 10;

/** Returns a breakdown as lying bars with their values; a line across marks the value that a bar is compared with. */
export function barChart({ metric, rows, hasBefore }: BarChart, canvas: Canvas): string[] {
  const shown = rows.slice(0, MAX_BARS);
  const now = (row: Row): number => Number(row[metric] ?? 0);
  const before = (row: Row): number => Number(row.counterpart?.[metric] ?? 0);
  const max = Math.max(0, ...shown.flatMap(({ row }) => [now(row), before(row)]));
  const texts = shown.map(({ label, row }) => ({
    label: safeText(label),
    value: metricText(metric, row),
    change: changeCell(metric, row),
  }));
  const widest = (pick: (text: (typeof texts)[number]) => string): number =>
    Math.max(0, ...texts.map((text) => displayWidth(pick(text))));
  const labelWidth = Math.min(
    MAX_LABEL,
    widest(({ label }) => label),
    Math.floor(canvas.width / 3),
  );
  const valueWidth = widest(({ value }) => value);
  const changeWidth = hasBefore ? 2 + widest(({ change }) => change.text) : 0;
  const width = Math.max(MIN_BAR, canvas.width - labelWidth - valueWidth - changeWidth - 4);

  const lines = shown.map(({ row }, index) => {
    const text = texts[index];
    if (!text) return '';
    const label = cutTo(text.label, labelWidth);
    const bar = horizontalBar(max > 0 ? now(row) / max : 0, width, canvas.hasUnicode);
    const at = hasBefore && max > 0 ? Math.round((before(row) / max) * width) - 1 : -1;
    const drawn = at >= 0 ? withMark(bar, at, canvas) : inTone(bar, 'accent', canvas.hasColor);
    const change = hasBefore
      ? `  ${' '.repeat(Math.max(0, changeWidth - 2 - displayWidth(text.change.text)))}${inTone(text.change.text, text.change.tone, canvas.hasColor)}`
      : '';
    return `${label}${' '.repeat(labelWidth - displayWidth(label))}  ${drawn}  ${text.value.padStart(valueWidth)}${change}`;
  });
  if (rows.length > shown.length) lines.push(`… and ${rows.length - shown.length} more in the table.`);
  return lines;
}

/** Draws a line across a bar, or after its end. */
function withMark(bar: string, at: number, { hasUnicode, hasColor }: Canvas): string {
  const cells = [...bar];
  const mark = FILLS.mark[hasUnicode ? 0 : 1];
  const before = cells.slice(0, at).join('');
  const after = cells.slice(at + 1).join('');
  return inTone(before, 'accent', hasColor) + inTone(mark, 'strong', hasColor) + inTone(after, 'accent', hasColor);
}

const MAX_SERIES = 24;

/** Returns one line for each series, each on its own scale, with its peak and its latest value. */
function sparkChart(metric: string, series: readonly Series[], canvas: Canvas): string[] {
  const peakOf = ({ values }: Series): number => Math.max(0, ...values.map((value) => value ?? 0));
  const shown = series.toSorted((a, b) => peakOf(b) - peakOf(a)).slice(0, MAX_SERIES);
  const labelWidth = Math.min(
    MAX_LABEL,
    Math.floor(canvas.width / 3),
    Math.max(0, ...shown.map(({ name }) => displayWidth(safeText(name)))),
  );
  const peakWidth = Math.max(0, ...shown.map((one) => valueOf(metric, peakOf(one)).length));
  const room = Math.max(4, canvas.width - labelWidth - peakWidth - 9);
  const lines = shown.map((one) => {
    const label = cutTo(safeText(one.name), labelWidth);
    const values = one.values.slice(-room);
    const line = sparkline(values, peakOf(one), canvas.hasUnicode);
    const peak = valueOf(metric, peakOf(one)).padStart(peakWidth);
    return `${label}${' '.repeat(labelWidth - displayWidth(label))}  ${inTone(line, 'accent', canvas.hasColor)}  ${inTone('peak', 'dim', canvas.hasColor)} ${peak}`;
  });
  if (series.length > shown.length) lines.push(`… and ${series.length - shown.length} more in the table.`);
  return lines;
}

// Bars of block characters, an eighth of a cell exact; whole cells of ASCII where a terminal has no Unicode.

const RISING = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const GROWING = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];

/** What a bar is made of: solid, for the value itself; shaded, for what it is compared with or is not complete. */
const FILLS = { solid: ['█', '#'], shade: ['▒', '='], light: ['░', ':'], mark: ['┃', '|'] } as const;
type Fill = keyof typeof FILLS;

/** Returns the cells of an upright bar from the bottom up; `share` of the height is filled. */
export function uprightBar(
  share: number,
  height: number,
  { fill, hasUnicode }: { fill: Fill; hasUnicode: boolean },
): string[] {
  const whole = FILLS[fill][hasUnicode ? 0 : 1];
  const isExact = hasUnicode && fill === 'solid';
  const eighths = Math.round(clamp(share) * height * 8);
  // Something is never drawn as nothing.
  const drawn = share > 0 ? Math.max(eighths, isExact ? 1 : 8) : 0;
  return Array.from({ length: height }, (_, row) => {
    const left = Math.min(8, Math.max(0, drawn - row * 8));
    if (isExact) return RISING[left] ?? ' ';
    return left >= 4 ? whole : ' ';
  });
}

/** Returns a bar from left to right, padded to `width`. */
export function horizontalBar(share: number, width: number, hasUnicode: boolean): string {
  const eighths = Math.round(clamp(share) * width * 8);
  const drawn = share > 0 ? Math.max(eighths, 1) : 0;
  const [full, rest] = [Math.floor(drawn / 8), drawn % 8];
  const bar = hasUnicode ? '█'.repeat(full) + (GROWING[rest] ?? '') : '#'.repeat(Math.max(full, drawn > 0 ? 1 : 0));
  return bar.padEnd(width);
}

/** Returns one character for each value; a gap where data is missing. */
export function sparkline(values: readonly (number | null)[], max: number, hasUnicode: boolean): string {
  const levels = hasUnicode ? RISING.slice(1) : ['_', '.', '-', '=', '#'];
  return values
    .map((value) => {
      if (value === null) return ' ';
      const level = max > 0 ? Math.round((value / max) * (levels.length - 1)) : 0;
      return levels[value > 0 ? Math.max(1, level) : 0] ?? '';
    })
    .join('');
}

/** Returns a round number that is not below a value, for the top of an axis. Its half is whole where only whole numbers count. */
export function niceCeiling(value: number, isWhole: boolean): number {
  if (!(value > 0)) return isWhole ? 2 : 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const tops = [1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8, 10, 12].map((step) => Number((step * power).toPrecision(3)));
  return tops.find((top) => top >= value * 0.999999 && (!isWhole || top % 2 === 0)) ?? value;
}

function clamp(share: number): number {
  return Math.min(1, Math.max(0, share));
}
