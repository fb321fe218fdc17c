import { existsSync, rmSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { PGlite, type Transaction as PgliteTransaction } from '@electric-sql/pglite';
import {
  type Database,
  type Parameter,
  type Queries,
  type Transaction,
  retry,
  reach,
  readInt8,
  readText,
  TYPE,
} from './database.ts';

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
    read: (work) => work(db),
    close: () => pglite.close(),
  };
}

async function createInMemory(): Promise<PGlite> {
  const tar = readFreshDatabase();
  const anew = (): Promise<PGlite> => PGlite.create('memory://', { parsers });
  // Not a real Blob, which Node reads in small pieces: that took a quarter of the start.
  const loadDataDir = tar && ({ type: '', arrayBuffer: () => Promise.resolve(tar.buffer) } as Blob);
  return loadDataDir ? PGlite.create('memory://', { parsers, loadDataDir }).catch(anew) : anew();
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
        const result = await work({ ...db, send });
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
  if (failure) throw failure.error;
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

const BLOCK = 512;

/**
 * A new embedded database as a tar file. The build prepares it, because PGlite takes seconds to initialize a directory.
 * `undefined` without a build.
 */
export function readFreshDatabase(): Uint8Array<ArrayBuffer> | undefined {
  // In two steps, because bundlers copy the file of `new URL('…', import.meta.url)`.
  const here = import.meta.url;
  // Beside the built modules; those of a clone's source find the built package.
  const file = ['../..', '../../../packages/sandbox/dist']
    .map((folder) => fileURLToPath(new URL(`${folder}/fresh-database.tar.br`, here)))
    .find(existsSync);
  return file === undefined ? undefined : new Uint8Array(brotliDecompressSync(readFileSync(file)));
}

/** Unpacks a tar file into a directory, which then exists completely or not at all. */
export function unpack(tar: Uint8Array, directory: string): void {
  const unfinished = `${directory}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  for (let at = 0; tar[at];) {
    const text = (start: number, length: number): string =>
      Buffer.from(tar.buffer, tar.byteOffset + at + start, length)
        .toString('latin1')
        .split('\0', 1)[0] ?? '';
    const path = join(unfinished, text(0, 100));
    const size = Number.parseInt(text(124, 12), 8);
    const start = at + BLOCK;
    // Readable for this account only, as PostgreSQL requires.
    if (text(156, 1) === '5') mkdirSync(path, { recursive: true, mode: 0o700 });
    else {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      writeFileSync(path, tar.subarray(start, start + size), { mode: 0o600 });
    }
    at = start + Math.ceil(size / BLOCK) * BLOCK;
  }
  rmSync(directory, { recursive: true, force: true });
  renameSync(unfinished, directory);
}
