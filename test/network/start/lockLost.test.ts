import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { makeFolder } from '../../fixtures/makeFolder.ts';
import { LockLostError, type DirectoryLock } from '../../../src/lock/lockDirectory.ts';
import { createNetwork } from '../../../src/network.ts';
import { createSchema } from '../../../src/network/database/schema.ts';
import { openPglite } from '../../../src/network/database/pglite.ts';
import { DatabaseUnavailableError } from '../../../src/network/database/database.ts';
import { whileLocked } from '../../../src/network/database/openNetworkDatabase.ts';
import { untilStoppedOrLost } from '../../../src/sandbox/startNetwork.ts';

let data: string;
beforeEach(() => void (data = makeFolder()));

/** A lock that is lost after this many checks. */
function lockFor(checks: number): DirectoryLock {
  let left = checks;
  const check = (): void => {
    left -= 1;
    if (left < 0) throw new LockLostError('taken over');
  };
  return { check, verify: check, lost: new Promise(() => undefined), release: () => Promise.resolve() };
}

test('a transaction commits only if the directory is still this process’s then', async () => {
  const db = await openPglite();
  await db.exec('CREATE TABLE notes (note text)');
  const add = (checks: number): Promise<unknown> =>
    whileLocked(db, lockFor(checks)).transaction((transaction) =>
      transaction.query("INSERT INTO notes VALUES ('kept')"),
    );
  await expect(add(1)).rejects.toBeInstanceOf(DatabaseUnavailableError);
  expect(await db.query('SELECT * FROM notes')).toEqual([]);
  await add(Infinity);
  expect(await db.query('SELECT * FROM notes')).toHaveLength(1);
  // The same for the schema.
  await expect(createSchema(whileLocked(db, lockFor(1)))).rejects.toBeInstanceOf(DatabaseUnavailableError);
  expect(await db.query("SELECT 1 FROM pg_tables WHERE tablename = 'sessions'")).toEqual([]);
  await db.close();
});

test('a command ends with one line when another process takes the data directory over', async () => {
  const network = await createNetwork({ data, seed: 'empty', log: () => undefined });
  const listeners = { int: process.listeners('SIGINT'), term: process.listeners('SIGTERM') };
  const ending = untilStoppedOrLost(network, []).catch((error: unknown) => error);
  const [current = ''] = readdirSync(data).filter((name) => name.startsWith('network.lock.'));
  const next = Number(current.split('.').at(-1)) + 1;
  writeFileSync(join(data, `network.lock.${next}`), '{}');
  const error = await ending;
  expect(error).toMatchObject({ name: 'UsageError', message: expect.stringContaining('was taken over') });
  expect(String(error)).not.toContain('\n');
  const refused = await network.fetch(new Request('http://127.0.0.1/sandbox/health'));
  expect(refused.status).toBe(503);
  for (const listener of process.listeners('SIGINT'))
    if (!listeners.int.includes(listener)) process.off('SIGINT', listener);
  for (const listener of process.listeners('SIGTERM'))
    if (!listeners.term.includes(listener)) process.off('SIGTERM', listener);
  await network.close().catch(() => undefined);
});
