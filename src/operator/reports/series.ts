import { DAY_MS, periodStarts, startOf, type DateRange } from '../../wire/utcDates.ts';
import type { TimeGrain } from '../../wire/reporting.ts';
import type { Row } from './comparison.ts';
import { isOpen } from './period.ts';

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
  /** The lines in order; a row belongs to the one of that name. One line of all rows by default. */
  readonly lines?: { readonly names: readonly string[]; of(row: Row): string } | undefined;
}

/**
 * Returns the values to draw. The network has no row for a period without activity: that is a zero. A period before the first
 * row or after the data ends is nothing, because nobody knows its value. Rows are never added up, because ratios can't be.
 */
export function chartDataOf(source: ChartSource): ChartData {
  const { rows, metric, dates, compared, grain, now = Date.now() } = source;
  const starts = periodStarts(dates, grain);
  const beforeStarts = compared ? periodStarts(compared, grain) : [];
  const through = source.dataThrough === null ? now : Date.parse(source.dataThrough);
  const place = new Map(starts.map((start, index) => [start, index]));
  const lines = source.lines ?? { names: [''], of: () => '' };
  const begin = compared ? 0 : firstStart(rows.map((row) => row.period_start));
  const series = lines.names.map((name) => ({
    name,
    values: starts.map((start): number | null => (start <= through && start >= begin ? 0 : null)),
  }));
  const byName = new Map(series.map(({ name, values }) => [name, values]));
  for (const row of rows) {
    const values = byName.get(lines.of(row));
    const index = place.get(Date.parse(row.period_start));
    if (values && index !== undefined && values[index] !== null) values[index] = Number(row[metric] ?? 0);
  }
  return {
    starts,
    series,
    before: compared && !source.lines ? earlier(source, beforeStarts, starts.length) : undefined,
    beforeStarts,
    open: starts.findIndex((start, index) =>
      isOpen({ start, end: starts[index + 1] ?? startOf(dates.to) + DAY_MS, through, now }),
    ),
  };
}

/** Names the group of a row. A publisher is recognized by its id: two may have one name. */
export function groupKeyOf(row: Row, by: readonly string[]): string {
  return JSON.stringify(by.map((name) => row[name === 'publisher' ? 'publisher_id' : name] ?? null));
}

/** When the data begins: before its first row nobody knows whether there was none or no history. */
function firstStart(starts: readonly unknown[]): number {
  return Math.min(...starts.flatMap((start) => (typeof start === 'string' ? [Date.parse(start)] : [])));
}

function earlier({ rows, metric }: ChartSource, beforeStarts: readonly number[], length: number): (number | null)[] {
  const place = new Map(beforeStarts.map((start, index) => [start, index]));
  const begin = firstStart(rows.map(({ counterpart }) => counterpart?.['period_start']));
  const values: (number | null)[] = Array.from({ length }, (_, index) =>
    (beforeStarts[index] ?? -Infinity) >= begin ? 0 : null,
  );
  for (const row of rows) {
    const start = row.counterpart?.['period_start'];
    const index = typeof start === 'string' ? place.get(Date.parse(start)) : undefined;
    if (index !== undefined && index < length) values[index] = Number(row.counterpart?.[metric] ?? 0);
  }
  return values;
}
