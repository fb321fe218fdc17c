import { expect, test } from 'vitest';
import { readSettings } from '../../src/cli/readSettings.ts';
import { UsageError } from '../../src/cli/UsageError.ts';
import { DATABASE, readDatabaseUrls, readWait } from '../../src/sandbox/sharedOptions.ts';

function urlsOf(variable: string): readonly string[] {
  const settings = readSettings(DATABASE, { argv: [], env: { OFFERLET_DATABASE_URL: variable } });
  return readDatabaseUrls(settings['database-url']);
}

test('OFFERLET_DATABASE_URL may hold several URLs, and a password with commas', () => {
  expect(urlsOf('')).toEqual([]);
  expect(urlsOf('postgresql://me@one/db')).toEqual(['postgresql://me@one/db']);
  expect(urlsOf('postgresql://me:a,b,c@one/db')).toEqual(['postgresql://me:a,b,c@one/db']);
  expect(urlsOf('postgresql://me:a,b@one/db, postgresql://me:a,b@two/db')).toEqual([
    'postgresql://me:a,b@one/db',
    'postgresql://me:a,b@two/db',
  ]);
});

test('--wait is a number of seconds', () => {
  expect([readWait(undefined), readWait('0'), readWait('60'), readWait('0.5')]).toEqual([0, 0, 60, 0.5]);
  for (const text of ['', ' ', '-1', 'soon', '60s', 'Infinity', 'NaN'])
    expect(() => readWait(text), text).toThrow(UsageError);
});
