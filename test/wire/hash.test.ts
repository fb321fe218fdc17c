import { expect, test } from 'vitest';
import { hash32, hashEmail, mixedHash32, normalizeEmail, uuidFromText } from '../../src/wire/hash.ts';

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

test('a text has the same hashes in every release: ids that were counted stay the same', () => {
  expect(['', 'a', 'foobar'].map((text) => hash32(text))).toEqual([0x81_1c_9d_c5, 0xe4_0c_29_2c, 0xbf_9c_f9_68]);
  expect([mixedHash32('foobar'), mixedHash32('foobar', 1)]).toEqual([202_221_276, 1_734_397_646]);
  expect(uuidFromText('größer')).toBe('b72c456d-3f77-8caf-a21e-81c6c070cad5');
});
