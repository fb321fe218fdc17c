import { toCsv } from '../../clients.ts';
import { documentWithoutControls } from './displayWidth.ts';
import { printableJson } from '../../http/printable.ts';
import { renderTable, type Table } from './table.ts';
import type { Terminal } from './terminal.ts';

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

/** Prints data to stdout: as JSON, as CSV, or as a table. */
export function print(printable: Printable, { format, terminal }: { format: Format; terminal: Terminal }): void {
  terminal.write(textOf(printable, { format, terminal }));
}

/** Returns data as `print` prints it. */
export function textOf(
  { json, csv, table }: Printable,
  { format, terminal }: { format: Format; terminal: Pick<Terminal, 'width' | 'hasColor' | 'hasUnicode'> },
): string {
  if (!format.json && !format.csv) return renderTable(table(), terminal);
  if (format.json) return `${printableJson(json, 2)}\n`;
  const text = toCsv(csv.rows, { columns: csv.columns });
  // A file of --output gets every byte; a terminal must not be controlled by a publisher's name.
  return terminal.width === undefined ? text : documentWithoutControls(text);
}
