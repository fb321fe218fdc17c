import { randomBytes } from 'node:crypto';
import { chmodSync, lstatSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import {
  documentWithoutControls,
  cutTo,
  displayWidth,
  withoutControls,
  wrap,
  inTone,
  type Look,
  type Terminal,
  type Tone,
} from './terminal.ts';
import { UsageError } from './ExitError.ts';
import { printableJson } from '../text/printable.ts';
import { toCsv } from '../text/toCsv.ts';

/** The same data in each form. */
export interface Printable {
  /** One JSON document. */
  readonly json: unknown;
  readonly csv: { readonly rows: readonly object[]; readonly columns: readonly string[] };
  /** For people. */
  table(): Table;
}

/** How data is printed. */
export interface Format {
  readonly json: boolean;
  readonly csv: boolean;
}

/** Endings of files that are written as they say. */
const WRITTEN = ['csv', 'json', 'txt', 'log'];

/** Returns the format that flags or the name of a file choose. Throws a `UsageError` for a name that promises another one. */
export function chooseFormat({ json, csv, output = '' }: Format & { readonly output?: string | undefined }): Format {
  const [, ending = 'txt'] = /\.([a-z]{2,7})$/i.exec(output) ?? [];
  // A text that is called a workbook would open nowhere.
  if (!WRITTEN.includes(ending.toLowerCase()))
    throw new UsageError(`--output does not write .${ending} files. Use a name that ends in .csv, .json or .txt.`);
  const isGiven = json || csv;
  return { json: isGiven ? json : /\.json$/i.test(output), csv: isGiven ? csv : /\.csv$/i.test(output) };
}

/** Returns how text in a file looks: it is never cut, and has no colour. */
export function inFile({ hasUnicode }: Pick<Terminal, 'hasUnicode'>): Look {
  return { width: undefined, hasColor: false, hasUnicode };
}

/** Prints data to stdout: as JSON, as CSV, or as a table. */
export function print(printable: Printable, { format, terminal }: { format: Format; terminal: Terminal }): void {
  terminal.write(printedText(printable, { format, terminal }));
  if (format.json || format.csv || terminal.width === undefined) return;
  const table = printable.table();
  const kept = columnsThatFit(table, terminal.width);
  const hidden = table.columns.filter((_, index) => !kept.includes(index)).map(({ header }) => header);
  if (hidden.length > 0) terminal.note(`Too narrow for ${hidden.join(', ')}. Use --csv.`);
}

/** Returns data as `print` prints it. */
export function printedText(
  { json, csv, table }: Printable,
  { format, terminal }: { format: Format; terminal: Look },
): string {
  if (!format.json && !format.csv) return renderTable(table(), terminal);
  if (format.json) return `${printableJson(json, 2)}\n`;
  const text = toCsv(csv.rows, { columns: csv.columns });
  // A file of --output gets every byte; a terminal must not be controlled by a publisher's name.
  return terminal.width === undefined ? text : documentWithoutControls(text);
}

/** One column of a table. */
export interface Column {
  readonly header: string;
  /** Numbers are aligned to the right. */
  readonly isNumber?: boolean | undefined;
  /** Never cut: ids are there to be copied. */
  readonly isFixed?: boolean | undefined;
  /** Left out when the terminal is too narrow; those with the highest number first. */
  readonly rank?: number | undefined;
}

/** A cell: text, perhaps in a tone. */
export type Cell = string | { readonly text: string; readonly tone?: Tone | undefined };

/** A table. */
export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  /** A last row below a rule, for totals. */
  readonly footer?: readonly Cell[] | undefined;
}

const GAP = 2;
/** Columns of text give way to numbers down to this width, and below it only when nothing else is left. */
const USUAL_CELL = 22;
/** Columns that are cut keep this much. */
const MIN_CELL = 6;
/** In a pipe nothing is cut: a longer text moves its own line on, not every other one. */
const ALIGNED_CELL = 40;

/** Returns a table as text: aligned; on a terminal, cut to its width. Two spaces or more are between two cells. */
export function renderTable(table: Table, terminal: Look): string {
  if (isTooNarrow(table, terminal.width)) return renderBlocks(table, terminal);
  const kept = columnsThatFit(table, terminal.width);
  const { columns, rows, footer } = keepOnly(table, kept);
  const mark = terminal.hasUnicode ? '…' : '.';
  const widths = fit(measureColumns({ columns, rows, footer }), columns, terminal.width);
  const line = (cells: readonly Cell[], tone?: Tone): string => {
    const parts = columns.map((column, index) => {
      const cell = cells[index] ?? '';
      const text = withoutControls(typeof cell === 'string' ? cell : cell.text);
      const width = widths[index] ?? 0;
      const shown = terminal.width === undefined ? text : cutTo(text, width, mark);
      const pad = ' '.repeat(Math.max(0, width - displayWidth(shown)));
      const toned = inTone(shown, tone ?? (typeof cell === 'string' ? undefined : cell.tone), terminal.hasColor);
      if (column.isNumber) return pad + toned;
      return index === columns.length - 1 ? toned : toned + pad;
    });
    return parts.join(' '.repeat(GAP)).trimEnd();
  };
  const rule = widths.map((width) => (terminal.hasUnicode ? '─' : '-').repeat(width)).join(' '.repeat(GAP));
  const lines = [
    line(
      columns.map(({ header }) => header),
      'dim',
    ),
    ...rows.map((cells) => line(cells)),
    ...(footer ? [inTone(rule, 'dim', terminal.hasColor), line(footer)] : []),
  ];
  return lines.map((text) => `${text}\n`).join('');
}

/** Text in a column is worth reading from this width on. */
const READABLE_CELL = 12;

/** Whether there is no room for the columns that are never left out, or cut: ids and numbers. */
function isTooNarrow(table: Table, width: number | undefined): boolean {
  if (width === undefined || table.rows.length === 0) return false;
  const widths = measureColumns(table);
  const needed = table.columns.reduce((sum, column, index) => {
    if ((column.rank ?? 0) > 0) return sum;
    const own = widths[index] ?? 0;
    return sum + GAP + (isText(column) ? Math.min(own, READABLE_CELL) : own);
  }, -GAP);
  return needed > width;
}

/** One line for each cell, and an empty one between rows: nothing is left out. What has no room beside its name is below it. */
function renderBlocks(
  { columns, rows, footer }: Table,
  { width = 0, hasColor }: Pick<Terminal, 'width' | 'hasColor'>,
): string {
  const names = columns.map(({ header }) => header.trim());
  const widest = Math.max(...names.map(displayWidth));
  const block = (cells: readonly Cell[]): string =>
    names
      .map((name, index) => {
        const cell = cells[index] ?? '';
        const text = withoutControls(typeof cell === 'string' ? cell : cell.text).trim();
        if (text === '') return '';
        const value = (line: string): string =>
          inTone(line, typeof cell === 'string' ? undefined : cell.tone, hasColor);
        const pad = ' '.repeat(widest - displayWidth(name) + GAP);
        if (widest + GAP + displayWidth(text) <= width) return `${inTone(name, 'dim', hasColor)}${pad}${value(text)}\n`;
        const lines = wrap(text, width - GAP).map((line) => `${' '.repeat(GAP)}${value(cutTo(line, width - GAP))}\n`);
        return `${name === '' ? '' : `${inTone(name, 'dim', hasColor)}\n`}${lines.join('')}`;
      })
      .join('');
  return [...rows, ...(footer ? [footer] : [])].map(block).join('\n');
}

/** Returns the indexes of the columns for which the terminal has room. */
export function columnsThatFit(table: Table, width: number | undefined): readonly number[] {
  let kept = table.columns.map((_, index) => index);
  if (width === undefined || isTooNarrow(table, width)) return kept;
  const widths = measureColumns(table);
  const isFlexible = (index: number): boolean => isText(table.columns[index]);
  const needed = (indexes: readonly number[]): number =>
    indexes.reduce((sum, index) => {
      const own = widths[index] ?? 0;
      return sum + GAP + (isFlexible(index) ? Math.min(own, USUAL_CELL) : own);
    }, -GAP);
  for (;;) {
    if (needed(kept) <= width) return kept;
    const last = kept
      .filter((index) => (table.columns[index]?.rank ?? 0) > 0)
      .sort((a, b) => (table.columns[b]?.rank ?? 0) - (table.columns[a]?.rank ?? 0) || b - a)[0];
    if (last === undefined) return kept;
    kept = kept.filter((index) => index !== last);
  }
}

function keepOnly({ columns, rows, footer }: Table, kept: readonly number[]): Table {
  const pick = <T>(cells: readonly T[]): T[] => kept.flatMap((index) => cells.slice(index, index + 1));
  return { columns: pick(columns), rows: rows.map(pick), footer: footer && pick(footer) };
}

function measureColumns({ columns, rows, footer }: Table): number[] {
  return columns.map(({ header }, index) =>
    [[header], ...rows.map((cells) => cells.slice(index, index + 1)), footer?.slice(index, index + 1) ?? []].reduce(
      (widest, [cell = '']) => Math.max(widest, displayWidth(typeof cell === 'string' ? cell : cell.text)),
      0,
    ),
  );
}

function isText(column: Column | undefined): boolean {
  return column?.isNumber !== true && column?.isFixed !== true;
}

/** Shrinks the widest text columns until the line fits, then whatever is last. */
function fit(widths: readonly number[], columns: readonly Column[], total: number | undefined): number[] {
  const fitted = [...widths];
  if (total === undefined)
    return fitted.map((width, index) => (isText(columns[index]) ? Math.min(width, ALIGNED_CELL) : width));
  const excess = (): number => fitted.reduce((sum, width) => sum + width + GAP, -GAP) - total;
  while (excess() > 0) {
    const widest = fitted
      .map((width, index) => ({ width, index }))
      .filter(({ width, index }) => isText(columns[index]) && width > MIN_CELL)
      .sort((a, b) => b.width - a.width)[0];
    if (!widest) break;
    fitted[widest.index] = widest.width - 1;
  }
  for (let index = fitted.length - 1; index > 0 && excess() > 0; index--)
    fitted[index] = Math.max(0, (fitted[index] ?? 0) - excess());
  return fitted;
}

/**
 * Writes a whole file or nothing: a reader never finds half a file. A file that exists keeps its mode, and links to it stay;
 * a device or a pipe is opened and written. Throws a `UsageError` when the file cannot be written.
 */
export function writeFile(path: string, text: string): void {
  try {
    const old = statSync(path, { throwIfNoEntry: false });
    if (old?.isFile()) replaceFile(realpathSync(path), text, old.mode);
    // A path that is not a regular file, or a link to a missing file, must not be replaced by a file.
    else if (old || lstatSync(path, { throwIfNoEntry: false })) writeFileSync(path, text);
    else replaceFile(path, text);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`--output cannot be written: "${path}" (${code ?? String(error)}). Use another file.`);
  }
}

/** The mode of a file that only its owner may read. */
const OWN = 0o600;

/** Replaces a file, or creates it: there is the old one or the new one, after a crash as well. Throws the system's error. */
export function replaceFile(path: string, text: string, mode?: number): void {
  const temporary = `${path}.${randomBytes(4).toString('hex')}.tmp`;
  const first = mode === undefined ? 0o666 : OWN;
  try {
    writeFileSync(temporary, text, { flag: 'wx', flush: true, mode: first });
    // Drives of Windows and of other machines may have no modes, and refuse to change them.
    if (mode !== undefined && (mode & 0o777) !== first) chmodSync(temporary, mode & 0o777);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
