import { expect, test } from 'vitest';
import { readSettings } from '../../src/program/command.ts';
import { UsageError } from '../../src/program/ExitError.ts';
import { DATABASE, readDatabaseUrl, readWait } from '../../src/sandbox/startNetwork.ts';

function urlOf(variable: string, argv: readonly string[] = [], log: (entry: unknown) => void = () => undefined) {
  const settings = readSettings(DATABASE, { argv, env: { OFFERLET_DATABASE_URL: variable } });
  return readDatabaseUrl(settings['database-url'], { argv, out: { log } });
}

test('a password on the command line works with a warning that does not print it, and belongs in the environment', () => {
  const warnings: unknown[] = [];
  const given = (...argv: string[]) => urlOf('postgresql://me:hunter2@env/db', argv, (entry) => warnings.push(entry));
  expect([urlOf(''), given()]).toEqual([undefined, 'postgresql://me:hunter2@env/db']);
  expect(given('--database-url', 'postgresql://me@one:5433/db')).toBe('postgresql://me@one:5433/db');
  expect(warnings).toEqual([]);
  expect(given('--database-url', 'postgresql://me:hunter2@one/db')).toBe('postgresql://me:hunter2@one/db');
  expect(given('--database-url=postgres://one/db?password=hunter2')).toBe('postgres://one/db?password=hunter2');
  const warning = expect.stringMatching(/OFFERLET_DATABASE_URL(?!.*hunter2)/);
  expect(warnings).toEqual([warning, warning]);
});

test.each([
  '//me:hunter2@one/db',
  'me:hunter2@one/db',
  'host=one password=hunter2',
  'socket:/me:hunter2',
  'postgres:/me:hunter2@one/db',
  'http://me:hunter2@one/db',
])('%s is no URL of a PostgreSQL server, and is not repeated', (url) => {
  expect(() => urlOf(url)).toThrow(
    new UsageError(
      '--database-url is not the URL of a PostgreSQL server. Use something like postgres://me@db.example/offers.',
    ),
  );
});

test('--wait is a number of seconds', () => {
  expect([readWait(undefined), readWait('0'), readWait('60'), readWait('0.5')]).toEqual([0, 0, 60, 0.5]);
  for (const text of ['', ' ', '-1', 'soon', '60s', 'Infinity', 'NaN'])
    expect(() => readWait(text), text).toThrow(UsageError);
});
