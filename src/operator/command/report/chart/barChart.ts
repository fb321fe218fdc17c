import { cutTo, displayWidth, safeText } from '../../../../cli/output/displayWidth.ts';
import { inTone } from '../../../../cli/output/tone.ts';
import { formatChange, formatMetric } from '../formatMetric.ts';
import type { FlatRow } from '../readWholeReport.ts';
import { lyingBar } from './blocks.ts';
import type { Canvas } from './canvas.ts';

/** What `barChart` draws. */
export interface BarChart {
  readonly metric: string;
  readonly rows: readonly { readonly label: string; readonly row: FlatRow }[];
  readonly hasBefore: boolean;
}

/** More bars than anybody compares. */
const MAX_BARS = 20;
const MAX_LABEL = 30;
const MIN_BAR = 10;

/** Returns a breakdown as lying bars with their values; a line across marks the value that a bar is compared with. */
export function barChart({ metric, rows, hasBefore }: BarChart, canvas: Canvas): string[] {
  const shown = rows.slice(0, MAX_BARS);
  const numberOf = (row: FlatRow, name: string): number => {
    const value = row[name];
    return typeof value === 'number' ? value : 0;
  };
  const max = Math.max(
    0,
    ...shown.flatMap(({ row }) => [numberOf(row, metric), hasBefore ? numberOf(row, `${metric}_before`) : 0]),
  );
  const texts = shown.map(({ label, row }) => {
    const change = hasBefore ? formatChange(metric, row) : '';
    return {
      label: safeText(label),
      value: formatMetric(metric, row[metric]),
      change: typeof change === 'string' ? { text: change } : change,
    };
  });
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
    const bar = lyingBar(max > 0 ? numberOf(row, metric) / max : 0, width, canvas.hasUnicode);
    const at = hasBefore && max > 0 ? Math.round((numberOf(row, `${metric}_before`) / max) * width) - 1 : -1;
    const drawn = at >= 0 ? withMark(bar, at, canvas) : inTone(bar, 'accent', canvas.hasColor);
    const change = hasBefore
      ? `  ${' '.repeat(Math.max(0, changeWidth - 2 - displayWidth(text.change.text)))}${inTone(text.change.text, 'tone' in text.change ? text.change.tone : undefined, canvas.hasColor)}`
      : '';
    return `${label}${' '.repeat(labelWidth - displayWidth(label))}  ${drawn}  ${text.value.padStart(valueWidth)}${change}`;
  });
  if (rows.length > shown.length) lines.push(`… and ${rows.length - shown.length} more in the table.`);
  return lines;
}

/** Draws a line across a bar, or after its end. */
function withMark(bar: string, at: number, { hasUnicode, hasColor }: Canvas): string {
  const cells = [...bar];
  const mark = hasUnicode ? '┃' : '|';
  const before = cells.slice(0, at).join('');
  const after = cells.slice(at + 1).join('');
  return inTone(before, 'accent', hasColor) + inTone(mark, 'strong', hasColor) + inTone(after, 'accent', hasColor);
}
