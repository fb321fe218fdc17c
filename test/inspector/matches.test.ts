import { expect, test } from 'vitest';
import { matches } from '../../src/inspector/panels/Filter.tsx';

test('a filter finds its words in any order and case, and an empty one finds everything', () => {
  const text = 'BRAND_CLICK INLINE_ACTION_BUTTON delivered';
  expect(matches(text, 'Delivered brand')).toBe(true);
  expect(matches(text, 'brand dead')).toBe(false);
  expect(matches(text, '  ')).toBe(true);
});
