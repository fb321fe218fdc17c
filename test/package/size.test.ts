import { expect, test } from 'vitest';
import { expectGenerated, expectSentence } from '../docs/expectGenerated.ts';
import { brotli, scriptTag } from './bytes.ts';
import { measureSizes } from './sizes.ts';

test('no download exceeds its limit', async () => {
  for (const { what, code, limit } of await measureSizes()) {
    if (limit) expect(brotli(code), what).toBeLessThanOrEqual(limit);
  }
});

test('preact and idb-keyval are imported, so that a bundler includes them once', async () => {
  const apart = (await measureSizes()).find(({ what }) => what.includes('without preact'));
  expect(String(apart?.code)).toMatch(/from\s?["']preact/);
});

// After a change of size: OFFERLET_WRITE_DOCS=1 npx vitest run test/package/size.test.ts
test('README and docs/measured.md state the sizes', async () => {
  const kilobytes = (code: Buffer): string => (brotli(code) / 1024).toFixed(1);
  const rows = (await measureSizes()).map(({ what, code }) => `| ${nameOf(what)} | ${kilobytes(code)} KB |`);
  expectGenerated('docs/measured.md', 'sizes', ['| what | brotli |', '|---|---|', ...rows]);
  const stated = `The script is ${kilobytes(scriptTag())} KB brotli`;
  expectSentence('README.md', /The script is [\d.]+ KB brotli/, stated);
});

/** Formats a line of code as code, and leaves other text as it is. */
function nameOf(what: string): string {
  return what.replace(/^import .*/, (code) => `\`${code}\``).replace(/^ +/, '');
}
