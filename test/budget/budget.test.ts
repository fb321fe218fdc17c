import { expect, test } from 'vitest';
import { measureHouse, readBudget } from './house.ts';

// Seconds are no fact about the code: they vary fourfold between machines. `npm test` prints the folders that exceed theirs.
test('nothing exceeds its budget', async () => {
  const { figures, rule } = readBudget();
  const { bytes, counts } = await measureHouse();
  for (const [kind, measured] of Object.entries({ bytes, counts }))
    for (const [what, today] of Object.entries(measured))
      expect(today, `${what}. ${rule}`).toBeLessThanOrEqual(figures[kind as 'bytes' | 'counts'][what]?.limit ?? 0);
});
