import { expect, test } from 'vitest';

test('importing every browser entry on a server does nothing and touches nothing', async () => {
  const before = Object.keys(globalThis);
  const { showOffers } = await import('../../src/index.ts');
  const { defineElement } = await import('../../src/element.ts');
  await import('../../src/script-tag.ts');
  expect([typeof showOffers, typeof defineElement]).toEqual(['function', 'function']);
  expect(Object.keys(globalThis)).toEqual(before);
});
