import { afterEach, beforeEach, expect, test } from 'vitest';
import { hashEmail } from '../../src/wire/hash.ts';
import { item, offerOf, read, shape } from './offers/responses.ts';

/** Does what Prototype.js 1.6 does to a page: Array.from without a mapper, Array#entries as toArray, Object.keys with inherited names. */
const OLD: readonly [object, string, unknown][] = [
  [Array, 'from', (list: Iterable<unknown>) => [...list]],
  [
    Array.prototype,
    'entries',
    function (this: unknown[]) {
      return [...this];
    },
  ],
  [
    Object,
    'keys',
    (object: object) => {
      const keys = [];
      for (const key in object) keys.push(key);
      return keys;
    },
  ],
];
const natives = OLD.map(([owner, name]) => Object.getOwnPropertyDescriptor(owner, name) ?? {});

beforeEach(() => {
  for (const [owner, name, value] of OLD)
    Object.defineProperty(owner, name, { value, configurable: true, writable: true });
});
afterEach(() => {
  let index = 0;
  for (const [owner, name] of OLD) Object.defineProperty(owner, name, natives[index++] ?? {});
});

test('a page with its own Array.from gets the same email hash', async () => {
  const hash = await hashEmail('jane.doe@example.com');
  expect(hash).toBe('86e0b9e56c17cc4d12387e1949b85053fbe73bc3ce5a1188713a9d300cc6133d');
});

test('a page with Prototype.js reads the same offers', () => {
  const response = read({
    recommendations: { a: offerOf('a'), b: offerOf('b') },
    recommendation_groups: [[item('b', 1), item('a', 0)]],
  });
  const placed = shape(response);
  expect(placed).toEqual([['group_0', ['a/ins_a', 'b/ins_b']]]);
});
