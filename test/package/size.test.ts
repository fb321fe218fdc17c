import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { expectGenerated, expectSentence } from '../docs/expectGenerated.ts';
import { brotli, scriptTag } from './bytes.ts';
import { codeOf, measureSizes, SHOW } from './sizes.ts';

test('idb-keyval is imported, so that a bundler includes it once, and no other Preact than the reduced one', async () => {
  const code = String(await codeOf(SHOW, ['preact', 'idb-keyval']));
  expect(code).toMatch(/from\s?["']idb-keyval/);
  expect(code).not.toMatch(/from\s?["']preact/);
});

// After a change of size: OFFERLET_WRITE_DOCS=1 npx vitest run test/package/size.test.ts
test('README and docs/project/measured.md state the sizes', async () => {
  const measured = readFileSync('docs/project/measured.md', 'utf8');
  const rows = (await measureSizes()).map(({ what, code }) =>
    row(nameOf(what), kilobytes(code, measured, nameOf(what))),
  );
  expectGenerated('docs/project/measured.md', 'sizes', ['| what | brotli |', '|---|---|', ...rows]);
  const script = kilobytes(scriptTag(), readFileSync('README.md', 'utf8'), 'The script is');
  expectSentence('README.md', /The script is [\d.]+ KB brotli/, `The script is ${script} KB brotli`);
});

/**
 * Returns a size in KB: the figure that the page states after `label` if that is true to 0.1 KB, or else the measured one.
 * Bundles differ by a few bytes between machines, which may be just enough to round to another digit.
 */
function kilobytes(code: Buffer, page: string, label: string): string {
  const measured = brotli(code) / 1024;
  const stated = page.split(`${label} `)[1]?.match(/[\d.]+(?= KB)/)?.[0];
  return stated !== undefined && Math.abs(Number(stated) - measured) < 0.1 ? stated : measured.toFixed(1);
}

function row(name: string, size: string): string {
  return `| ${name} | ${size} KB |`;
}

/** Formats a line of code as code, and leaves other text unchanged. */
function nameOf(what: string): string {
  return what.replace(/^import .*/, (code) => `\`${code}\``).replace(/^ +/, '');
}
