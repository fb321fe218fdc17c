import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { brotli, bundleOf, scriptTag } from './bytes.ts';

const KB = 1024;

test('the script tag with everything but the inspector is at most 13 KB brotli', () => {
  expect(brotli(scriptTag())).toBeLessThanOrEqual(13 * KB);
});

test('showOffers costs a bundle at most 9 KB brotli beside preact and idb-keyval', async () => {
  const code = await bundleOf("import { showOffers } from 'offerlet'; globalThis.x = showOffers;", [
    'preact',
    'idb-keyval',
  ]);
  expect(code.toString()).toMatch(/from\s?["']preact/); // the peers really stayed outside
  expect(brotli(code)).toBeLessThanOrEqual(9 * KB);
});

test('the queue by itself is at most 2.4 KB brotli with idb-keyval', async () => {
  expect(
    brotli(await bundleOf("import { openQueue } from 'offerlet/queue'; globalThis.x = openQueue;")),
  ).toBeLessThanOrEqual(2.4 * KB);
});

test('README states the bytes of the script tag truly, to a tenth of a KB', () => {
  const stated = /([\d.]+) KB brotli/.exec(readFileSync('README.md', 'utf8'))?.[1];
  expect(Number(stated)).toBeCloseTo(brotli(scriptTag()) / KB, 1);
});
