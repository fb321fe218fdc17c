import { expect, test } from 'vitest';
import { measureHouse, readBudget, readMost } from './house.ts';

// Seconds are no fact about the code: they vary fourfold between machines.
test('nothing exceeds its budget', async () => {
  const { rule } = readBudget();
  const { bytes, counts } = await measureHouse();
  for (const what of Object.keys(bytes))
    expect(bytes[what], `${what}. ${rule}`).toBeLessThanOrEqual(readMost('bytes', what));
  for (const what of Object.keys(counts))
    expect(counts[what], `${what}. ${rule}`).toBeLessThanOrEqual(readMost('counts', what));
});
