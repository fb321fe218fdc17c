import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { applyCuts } from '../bench/size/prices/price.ts';
import { PRICES } from '../bench/size/prices/prices.ts';

test('everything that npm run bench -- prices cuts out of the script is still there', () => {
  for (const { behaviour, cuts } of PRICES) {
    for (const file of new Set(cuts.map(([file]) => file))) {
      const path = `${process.cwd()}/src/${file}`;
      const code = readFileSync(path, 'utf8');
      expect(applyCuts(path, code, cuts), behaviour).not.toBe(code);
    }
  }
});
