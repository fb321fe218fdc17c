import { existsSync, rmSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, dirname, relative, sep } from 'node:path';
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

/**
 * Opens the embedded database in a directory; in memory without one. What a directory without space holds can be read only:
 * PGlite does not start there, so it starts with a copy in memory.
 */
export async function openPglite(directory?: string): Promise<Database> {
  const isStored = directory !== undefined && existsSync(join(directory, 'PG_VERSION'));
  const readOnlyBecause = isStored ? findNoSpace(directory) : undefined;
  const pglite = await (directory === undefined
    ? createInMemory()
    : readOnlyBecause === undefined
      ? createIn(directory, isStored)
      : openCopy(pack(directory)));
  if (readOnlyBecause !== undefined) await pglite.exec('SET default_transaction_read_only = on');
  const db = queries(pglite);
  return {
    kind: 'pglite',
    ...(readOnlyBecause !== undefined && { readOnlyBecause }),
    query: (sql, params) => retry(() => db.query(sql, params)),
    hot: (sql, params) => retry(() => db.hot(sql, params)),
    exec: (sql) => retry(() => db.exec(sql)),
    transaction: (work) => retry(() => inTransaction(pglite, work)),
    read: (work) => work(db),
    close: () => pglite.close(),
  };
}

/** Bytes of a segment of the write-ahead log: PostgreSQL may create one at any time. */
const SEGMENT_BYTES = 16 * 1024 * 1024;

/** The error with which a directory takes no segment of the log; `undefined` if it does. */
function findNoSpace(directory: string): string | undefined {
  const file = join(dirname(directory), 'space');
  try {
    writeFileSync(file, new Uint8Array(SEGMENT_BYTES));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    rmSync(file, { force: true });
  }
}

async function createInMemory(): Promise<PGlite> {
  const tar = readFreshDatabase();
  const anew = (): Promise<PGlite> => PGlite.create('memory://', { parsers });
  return tar ? openCopy(tar).catch(anew) : anew();
}

/** Opens what a tar file holds, in memory. */
function openCopy(tar: Uint8Array<ArrayBuffer>): Promise<PGlite> {
  // Not a real Blob, which Node reads in small pieces: that took a quarter of the start.
  const loadDataDir = { type: '', arrayBuffer: () => Promise.resolve(tar.buffer) } as Blob;
  return PGlite.create('memory://', { parsers, loadDataDir });
}

async function createIn(directory: string, isStored: boolean): Promise<PGlite> {
  const open = (): Promise<PGlite> => PGlite.create(directory, { parsers });
  const tar = isStored ? undefined : readFreshDatabase();
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

/** A directory as a tar file. */
function pack(directory: string): Uint8Array<ArrayBuffer> {
  const parts = readdirSync(directory, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    const content = entry.isFile() ? readFileSync(path) : Buffer.alloc(0);
    const header = Buffer.alloc(BLOCK);
    header.write(`/${relative(directory, path).replaceAll(sep, '/')}`, 0, 'latin1');
    header.write(entry.isFile() ? '0000600' : '0000700', 100);
    header.write(content.length.toString(8).padStart(11, '0'), 124);
    header.write(entry.isFile() ? '0' : '5', 156);
    header.write('ustar\u000000', 257);
    // Of the header, with spaces in the place of the sum.
    header.write('        ', 148);
    header.write(
      header
        .reduce((sum, byte) => sum + byte, 0)
        .toString(8)
        .padStart(6, '0') + '\u0000',
      148,
    );
    return [header, content, Buffer.alloc(-content.length & (BLOCK - 1))];
  });
  return new Uint8Array(Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]));
}
