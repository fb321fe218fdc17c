import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';

test('no folder of the repository holds more than 20 files, pictures aside', () => {
  const counts = new Map<string, number>();
  for (const root of ['src', 'demo', 'test', 'docs', 'build', 'sandbox']) {
    for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
      const folder = entry.parentPath;
      // Built and installed files have no readers.
      if (entry.isFile() && !entry.name.endsWith('.png') && !/(^|[\\/])(dist|node_modules)([\\/]|$)/.test(folder))
        counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
  }
  expect(counts.size).toBeGreaterThan(50);
  expect([...counts].filter(([, count]) => count > 20)).toEqual([]);
});
