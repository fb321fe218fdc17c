import { PGlite, type Transaction as PgliteTransaction } from '@electric-sql/pglite';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Database, Parameter, Queries, Transaction } from './database.ts';
import { createLater } from './later.ts';
import { readFreshDatabase, unpack } from './freshDatabase.ts';
import { retry } from './retry.ts';
import { reach } from './DatabaseUnavailableError.ts';
import { readInt8, readText, TYPE } from './values.ts';

const parsers = { [TYPE.int8]: readInt8, [TYPE.numeric]: readText, [TYPE.date]: readText };

/** Opens the embedded database in a directory; in memory without one. */
export async function openPglite(directory?: string): Promise<Database> {
  const pglite = await (directory === undefined ? createInMemory() : createIn(directory));
  const db = queries(pglite);
  return {
    kind: 'pglite',
    query: (sql, params) => retry(() => db.query(sql, params)),
    hot: (sql, params) => retry(() => db.hot(sql, params)),
    exec: (sql) => retry(() => db.exec(sql)),
    transaction: (work) => retry(() => inTransaction(pglite, work)),
    findDegraded: async () => [],
    close: () => pglite.close(),
  };
}

async function createInMemory(): Promise<PGlite> {
  const tar = readFreshDatabase();
  const anew = (): Promise<PGlite> => PGlite.create('memory://', { parsers });
  return tar ? PGlite.create('memory://', { parsers, loadDataDir: new Blob([tar]) }).catch(anew) : anew();
}

async function createIn(directory: string): Promise<PGlite> {
  const open = (): Promise<PGlite> => PGlite.create(directory, { parsers });
  const tar = existsSync(join(directory, 'PG_VERSION')) ? undefined : readFreshDatabase();
  if (!tar) return open();
  unpack(tar, directory);
  return open().catch(() => {
    // This PGlite may have another version than the one that prepared it: let it create its own.
    rmSync(directory, { recursive: true, force: true });
    return open();
  });
}

async function inTransaction<T>(pglite: PGlite, work: (db: Transaction) => Promise<T>): Promise<T> {
  let failure: { readonly error: unknown } | undefined;
  const later = createLater();
  const outcome = await reach(() =>
    pglite.transaction(async (transaction) => {
      const db = queries(transaction);
      const sent: Promise<unknown>[] = [];
      function send(sql: string, params?: readonly Parameter[]): void {
        const statement = db.query(sql, params);
        // The first statement that failed says why. Those sent after it fail only because the transaction has.
        statement.catch((error: unknown) => (failure ??= { error }));
        sent.push(statement);
      }
      try {
        const afterCommit = <Row>(sql: string, params?: readonly Parameter[]): Promise<Row[]> =>
          later.add(() => queries(pglite).query<Row>(sql, params));
        const result = await work({ ...db, send, afterCommit });
        await Promise.all(sent);
        return { result };
      } catch (error) {
        await Promise.allSettled(sent);
        // Kept apart from errors of the database itself, which mean that it is unavailable.
        failure ??= { error };
        await transaction.rollback();
      }
    }),
  );
  if (failure) {
    later.fail(failure.error);
    throw failure.error;
  }
  later.run();
  await later.settled();
  if (!outcome) throw new Error('A transaction ended without a result');
  return outcome.result;
}

function queries(on: PGlite | PgliteTransaction): Queries {
  async function query<Row>(sql: string, params: readonly Parameter[] = []): Promise<Row[]> {
    return (await reach(() => on.query<Row>(sql, [...params]))).rows;
  }
  return {
    kind: 'pglite',
    query,
    hot: query,
    async exec(sql) {
      await reach(() => on.exec(sql));
    },
  };
}
