import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';

/**
 * Compares a page's text between `<!-- generated: name -->` and `<!-- end -->` with `lines`. With OFFERLET_WRITE_DOCS=1 it
 * writes them instead.
 */
export function expectGenerated(path: string, name: string, lines: readonly string[]): void {
  const mark = `<!-- generated: ${name} -->\n`;
  const pattern = new RegExp(`(?<=${mark})[\\s\\S]*?(?=<!-- end -->)`);
  expectSentence(path, pattern, `${lines.join('\n')}\n`);
}

/** Compares the first match of a pattern in a page with a text, or writes it. */
export function expectSentence(path: string, pattern: RegExp, sentence: string): void {
  const text = readFileSync(path, 'utf8');
  const [stated] = pattern.exec(text) ?? [];
  if (stated !== undefined && process.env['OFFERLET_WRITE_DOCS'] === '1')
    writeFileSync(
      path,
      text.replace(pattern, () => sentence),
    );
  else expect(stated, `${path}: run the same test with OFFERLET_WRITE_DOCS=1`).toBe(sentence);
}
