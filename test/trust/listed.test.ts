import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('every promise in SECURITY.md is a test in this folder, word for word, and the reverse', () => {
  const promises = readFileSync('.github/SECURITY.md', 'utf8').split('\n## Promises\n')[1]?.split('\n## ')[0] ?? '';
  const listed = [...promises.matchAll(/^- (.+)$/gm)].map(([, sentence = '']) => sentence);
  const tested = readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith('.spec.ts'))
    .flatMap((file) => [
      ...readFileSync(`${import.meta.dirname}/${file}`, 'utf8').matchAll(/^test\(\s*(['"])(.+?)\1,/gm),
    ])
    .map(([, , title = '']) => title);
  expect(listed.length).toBeGreaterThan(20);
  expect(listed.toSorted()).toEqual(tested.toSorted());
});
