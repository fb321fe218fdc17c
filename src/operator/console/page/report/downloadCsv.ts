import { toCsv } from '../../../clients/toCsv.ts';
import type { Row } from '../../protocol.ts';

/** Downloads the rows on screen as CSV: byte for byte what `offerlet report --csv` prints. */
export function downloadCsv(rows: readonly Row[], name: string): void {
  const url = URL.createObjectURL(new Blob([toCsv(rows)], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${name}.csv`;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
