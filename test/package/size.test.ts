import { expect, test } from 'vitest';
import { expectGenerated, expectSentence } from '../docs/expectGenerated.ts';
import { brotli, scriptTag } from './bytes.ts';
import { measureSizes } from './sizes.ts';

// The aims are not reached; what was reached is held, and goes down with every diet.
test('no download grows beyond what was reached', async () => {
  for (const { what, code, held } of await measureSizes()) {
    if (held) expect(brotli(code), what).toBeLessThanOrEqual(held);
  }
});

test('a merchant who brings preact and idb-keyval does not load them twice', async () => {
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

/** A line of code as code, and a remark as it is. */
function nameOf(what: string): string {
  return what.replace(/^import .*/, (code) => `\`${code}\``).replace(/^ +/, '');
}
