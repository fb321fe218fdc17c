import { expect, test } from 'vitest';
import { hashEmail, normalizeEmail } from '../../src/wire/hash.ts';

const JANE = '86e0b9e56c17cc4d12387e1949b85053fbe73bc3ce5a1188713a9d300cc6133d';

test('an email is trimmed and lower-cased before it is hashed', async () => {
  expect(normalizeEmail(' Jane.Doe@Example.com ')).toBe('jane.doe@example.com');
  await expect(hashEmail(' Jane.Doe@Example.com ')).resolves.toBe(JANE);
  await expect(hashEmail('jane.doe@example.com')).resolves.toBe(JANE);
});

test('without crypto.subtle it rejects', async () => {
  const before = Object.getOwnPropertyDescriptor(globalThis, 'crypto');
  Object.defineProperty(globalThis, 'crypto', { value: {}, configurable: true });
  try {
    await expect(hashEmail('a@b.example')).rejects.toThrow(TypeError);
  } finally {
    if (before) Object.defineProperty(globalThis, 'crypto', before);
  }
});
