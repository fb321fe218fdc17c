import { periodStarts } from '../../../../wire/periodStarts.ts';
import type { DateRange } from '../../../../wire/utcDates.ts';
import type { TimeGrain } from '../../../../wire/reporting.ts';
import type { Row } from '../../protocol.ts';

/** One line of a chart: a value for each period, null after the data ends. */
export interface Series {
  readonly name: string;
  readonly values: readonly (number | null)[];
}

/** What is drawn. */
export interface ChartData {
  /** The start of each period, in milliseconds. */
  readonly starts: readonly number[];
  readonly series: readonly Series[];
  /** The values of the compared dates, at the place of their counterpart. */
  readonly before: readonly (number | null)[] | undefined;
  readonly beforeStarts: readonly number[];
  /** The index of the period that is not over yet; -1 when all are. */
  readonly open: number;
}

/** What a chart is made from. */
export interface ChartSource {
  readonly rows: readonly Row[];
  readonly metric: string;
  readonly dates: DateRange;
  readonly compared: DateRange | undefined;
  readonly grain: TimeGrain;
  /** The start of the latest period with data, in hours or in the grain; null when the network does not say. */
  readonly dataThrough: string | null;
  /** The time, in milliseconds. */
  readonly now?: number | undefined;
  /** The lines in order: the name of each and how to recognize its rows. One line of all rows by default. */
  readonly lines?: readonly { readonly name: string; has(row: Row): boolean }[] | undefined;
}

const HOUR_MS = 3_600_000;

/**
 * Returns the values to draw. The network has no row for a period without activity: that is a zero. A period after the data
 * ends is nothing, because nobody knows its value yet. Rows are never added up, because ratios can't be.
 */
export function chartDataOf(source: ChartSource): ChartData {
  const { rows, metric, dates, compared, grain } = source;
  const starts = periodStarts(dates, grain);
  const beforeStarts = compared ? periodStarts(compared, grain) : [];
  const through = source.dataThrough === null ? Infinity : Date.parse(source.dataThrough);
  const place = new Map(starts.map((start, index) => [start, index]));
  const lines = source.lines ?? [{ name: '', has: () => true }];
  const series = lines.map(({ name, has }) => {
    const values: (number | null)[] = starts.map((start) => (start <= through ? 0 : null));
    for (const row of rows) {
      const index = place.get(Date.parse(row.period_start));
      if (index !== undefined && values[index] !== null && has(row)) values[index] = Number(row[metric] ?? 0);
    }
    return { name, values };
  });
  return {
    starts,
    series,
    before: compared && lines.length === 1 ? beforeOf(source, beforeStarts, starts.length) : undefined,
    beforeStarts,
    open: starts.findIndex((start, index) =>
      isOpen({ start, end: starts[index + 1] ?? endOf(dates), through, now: source.now ?? Date.now() }),
    ),
  };
}

/** Whether a period has data that is not complete: it is not over, or the data ends within it. */
export function isOpen(period: {
  readonly start: number;
  readonly end: number;
  readonly through: number;
  readonly now: number;
}): boolean {
  const { start, end, through, now } = period;
  return start <= through && (now < end || (through > start && through + HOUR_MS < end));
}

function beforeOf(
  { rows, metric, lines }: ChartSource,
  beforeStarts: readonly number[],
  length: number,
): (number | null)[] {
  const place = new Map(beforeStarts.map((start, index) => [start, index]));
  const values: (number | null)[] = Array.from({ length }, (_, index) => (index < beforeStarts.length ? 0 : null));
  const has = lines?.[0]?.has ?? (() => true);
  for (const row of rows) {
    const start = row.counterpart?.['period_start'];
    const index = typeof start === 'string' ? place.get(Date.parse(start)) : undefined;
    if (index !== undefined && index < length && has(row)) values[index] = Number(row.counterpart?.[metric] ?? 0);
  }
  return values;
}

function endOf({ to }: DateRange): number {
  return Date.parse(`${to}T00:00:00Z`) + 24 * HOUR_MS;
}

/** Returns round values for the axis, from 0 to at least the highest value. */
export function ticksOf(highest: number, isWhole: boolean, count = 4): readonly number[] {
  if (!(highest > 0)) return isWhole ? [0, 1] : [0, 0.01];
  const rough = highest / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= rough - 1e-12) ?? 10 * power;
  const size = isWhole ? Math.max(1, Math.ceil(step)) : step;
  return Array.from({ length: Math.ceil(highest / size - 1e-9) + 1 }, (_, index) => index * size);
}
