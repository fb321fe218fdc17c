import { expect, test } from 'vitest';
import { hidePassword } from '../../../src/network/database/hidePassword.ts';

test.each([
  ['postgresql://me:hunter2@db.example:5433/offers', 'postgresql://me@db.example:5433/offers'],
  ['postgresql://me@db.example/offers?password=hunter2', 'postgresql://me@db.example/offers'],
  ['postgresql:///offers?user=me&password=hunter2&sslpassword=hunter2#hunter2', 'postgresql:///offers'],
  ['host=db.example password=hunter2', 'of --database-url'],
])('%s is shown as %s', (url, shown) => {
  expect(hidePassword(url)).toBe(shown);
});
