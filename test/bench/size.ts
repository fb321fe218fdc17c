// npm run bench (or: -- size): what a shopper downloads, in bytes.
import { gzipSync } from 'node:zlib';
import { brotli, bundleOf, scriptTag } from '../package/bytes.ts';

/** Prints the bytes of the script tag's file and of what each import costs a merchant's bundle. */
export async function run(): Promise<void> {
  const script = scriptTag();
  const withAll = await bundleOf("import { showOffers } from 'offerlet'; globalThis.x = showOffers;");
  const alone = await bundleOf("import { showOffers } from 'offerlet'; globalThis.x = showOffers;", [
    'preact',
    'idb-keyval',
  ]);
  const queue = await bundleOf("import { openQueue } from 'offerlet/queue'; globalThis.x = openQueue;");
  console.log('what                                          minified     gzip   brotli');
  for (const [what, code] of [
    ['dist/offerlet.js (script tag, everything)', script],
    ["import { showOffers } from 'offerlet'", withAll],
    ['  … preact and idb-keyval counted apart', alone],
    ["import { openQueue } from 'offerlet/queue'", queue],
  ] as const) {
    console.log(
      `${what.padEnd(44)} ${String(code.length).padStart(9)} ${String(gzipSync(code, { level: 9 }).length).padStart(8)} ${String(brotli(code)).padStart(8)}`,
    );
  }
}
