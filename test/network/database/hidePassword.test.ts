import { expect, test } from 'vitest';
import { hidePassword } from '../../../src/network/database/openNetworkDatabase.ts';

test.each([
  ['postgresql://me:hunter2@db.example:5433/offers', 'postgresql://me@db.example:5433/offers'],
  ['postgresql://me@db.example/offers?password=hunter2', 'postgresql://me@db.example/offers'],
  ['postgresql:///offers?user=me&password=hunter2&sslpassword=hunter2#hunter2', 'postgresql:///offers'],
  ['postgresql://db.example:5433', 'postgresql://db.example:5433'],
  ['postgres:/me:hunter2@db.example/offers', 'of --database-url'],
  ['postgres:me:hunter2@db.example/offers', 'of --database-url'],
  ['postgres://me:12/hunter2@db.example/offers', 'of --database-url'],
  ['postgres://me:12?hunter2@db.example/offers', 'of --database-url'],
  ['postgres://me:hunter@2@db.example/offers', 'of --database-url'],
  ['host=db.example password=hunter2', 'of --database-url'],
])('%s is shown as %s', (url, shown) => {
  expect(hidePassword(url)).toBe(shown);
});
