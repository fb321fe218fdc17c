import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SCENARIOS } from '../../src/wire/scenarios/scenarios.ts';

// `OFFERLET_WRITE_DOCS=1 npx vitest run test/docs/generated.test.ts` writes the tables instead of comparing them.
const isWriting = process.env['OFFERLET_WRITE_DOCS'] === '1';

test('the table of scenarios is the one in the code', () => {
  const rows = SCENARIOS.map(({ name, title, mustSee }) => `| \`${name}\` | ${title} | ${mustSee} |`);
  expectGenerated('docs/qa.md', 'scenarios', [
    '| scenario | what happens | what to expect |',
    '|---|---|---|',
    ...rows,
  ]);
});

/** Compares what is between `<!-- generated: name -->` and `<!-- end -->`. */
function expectGenerated(path: string, name: string, lines: readonly string[]): void {
  const text = readFileSync(path, 'utf8');
  const start = text.indexOf(`<!-- generated: ${name} -->\n`) + `<!-- generated: ${name} -->\n`.length;
  const end = text.indexOf('<!-- end -->', start);
  const generated = `${lines.join('\n')}\n`;
  if (isWriting) writeFileSync(path, text.slice(0, start) + generated + text.slice(end));
  else expect(text.slice(start, end)).toBe(generated);
}
