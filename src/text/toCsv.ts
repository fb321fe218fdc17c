import { isObject } from '../wire/json.ts';
import { isShare, type CsvColumn } from '../wire/reporting.ts';

/** Options of `toCsv`. */
export interface CsvOptions<Row = object> {
  /** The columns and their order; by default all columns of the rows, in the order in which they first occur. */
  readonly columns?: readonly CsvColumn<Row>[] | undefined;
}

/**
 * Returns rows as CSV (RFC 4180): a header, commas, CRLF. Compared rows get the columns `…_before` and `…_change_percent` or
 * `…_change_points`. Text that a spreadsheet would run as a formula begins with an apostrophe.
 */
export function toCsv<Row extends object>(rows: readonly Row[], options: CsvOptions<Row> = {}): string {
  const flat = rows.map(flattenRow);
  const columns: readonly string[] = options.columns ?? [...new Set(flat.flatMap((row) => Object.keys(row)))];
  if (columns.length === 0) return '';
  return [columns, ...flat.map((row) => columns.map((column) => row[column]))]
    .map((cells) => `${cells.map(cell).join(',')}\r\n`)
    .join('');
}

/** Returns a row with plain cells only: a comparison becomes columns beside each metric. */
export function flattenRow(row: object): Readonly<Record<string, unknown>> {
  const { counterpart, counterpart_start, change, ...cells } = row as Record<string, unknown>;
  if (!isObject(change)) return row as Record<string, unknown>;
  const before = isObject(counterpart) ? counterpart : {};
  const flat: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(cells)) {
    flat[name] = value;
    if (name === 'period_end' && counterpart_start !== undefined) flat['counterpart_start'] = counterpart_start;
    const changed = change[name];
    if (!isObject(changed)) continue;
    flat[`${name}_before`] = before[name] ?? null;
    if (isShare(name)) flat[`${name}_change_points`] = changed['points'];
    else flat[`${name}_change_percent`] = changed['percent'];
  }
  return flat;
}

/**
 * Where a spreadsheet would run what follows. It may skip white space and invisible characters, and takes full-width signs
 * for ordinary ones. Where it expects semicolons, a cell begins after each of them and on every line, quoted or not.
 * Apostrophes are skipped as well, so that one that was there before is told from one that is added.
 */
const BEFORE_FORMULA = String.raw`(?=[\s\p{Cc}\p{Cf}"']*[=+\-@\uFE62\uFE63\uFE66\uFE6B\uFF0B\uFF0D\uFF1D\uFF20])`;
const FORMULA = new RegExp(String.raw`(?<=^|[;\t\r\n])${BEFORE_FORMULA}|^(?='*[\t\r\n])`, 'gu');
const GUARDED = new RegExp(String.raw`(?<=^|[;\t\r\n])'${BEFORE_FORMULA}|^'(?='*[\t\r\n])`, 'gu');

/** Returns the text of a cell that `toCsv` wrote: without the apostrophes that keep a spreadsheet from running it. */
export function withoutGuard(cell: string): string {
  return cell.replaceAll(GUARDED, '');
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const safe = text.replaceAll(FORMULA, "'");
  return /[",;\t\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}
