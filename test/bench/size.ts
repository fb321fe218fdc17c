// npm run bench (or: -- size): what a shopper downloads, in bytes.
import { gzipSync } from 'node:zlib';
import { brotli } from '../package/bytes.ts';
import { printParts } from './size/printParts.ts';
import { measureSizes } from '../package/sizes.ts';
import { readBudget } from '../budget/house.ts';

/** Prints the bytes of the script tag's file and of what each import costs a merchant's bundle, next to the limits. */
export async function run(): Promise<void> {
  const row = (what: string, ...cells: unknown[]): void =>
    console.log(what.padEnd(44) + cells.map((cell) => String(cell).padStart(9)).join(' '));
  row('what', 'minified', 'gzip', 'brotli', 'limit');
  const { bytes } = readBudget().figures;
  for (const { what, code } of await measureSizes())
    row(what, code.length, gzipSync(code, { level: 9 }).length, brotli(code), bytes[what]?.limit);
  console.log();
  await printParts();
}
