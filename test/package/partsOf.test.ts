import { expect, test } from 'vitest';
import { partsOf } from '../bench/size/printParts.ts';

test('characters are assigned to their part on every line of the script', () => {
  const code = '//# hint\nqueue();page()';
  // The second line: column 0 from the first source, column 8 from the second.
  const map = { file: '', version: 3, sourcesContent: [], sourceRoot: '', names: [], mappings: ';AAAA,QCAA' };
  const parts = partsOf(code, { ...map, sources: ['src/queue/openQueue.ts', 'src/page/showOffers.ts'] });
  expect(parts.slice(9)).toEqual([...Array(8).fill('src/queue'), ...Array(6).fill('src/page')]);
});
