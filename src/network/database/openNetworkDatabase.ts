import { accessSync, constants, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Database, DatabaseUnavailableError, UnconfirmedCommitError } from './database.ts';
import { createSchema } from './schema.ts';
import { openPglite } from './pglite.ts';
import { openPostgres } from './postgres.ts';
import {
  DirectoryInUseError,
  lockDirectory,
  type DirectoryLock,
  type LockLostError,
} from '../../lock/lockDirectory.ts';

/** Milliseconds before the second attempt to reach a server, which then double up to the longest. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8_000;

/** Where the data is stored: on a PostgreSQL server, in a directory, or in memory. */
interface DatabasePlace {
  readonly databaseUrl?: string | undefined;
  readonly data?: string | undefined;
}

/** A database that is this process's own as long as `lost` is pending. */
interface NetworkDatabase extends Database {
  /** Resolves with the reason when another process takes the directory over. */
  readonly lost?: Promise<LockLostError> | undefined;
}

/** Opens the database with its schema. Closing it releases its directory. Throws a `NetworkStartError` if it cannot be used. */
export async function openNetworkDatabase({ databaseUrl, data }: DatabasePlace): Promise<NetworkDatabase> {
  if (databaseUrl !== undefined) {
    const db = openPostgres(databaseUrl);
    return withSchema(db, `The database ${hidePassword(databaseUrl)} cannot be used`, () => db.check());
  }
  if (data === undefined) return withSchema(await openPglite(), 'The database cannot be used');
  const lock = await lockedDirectory(data);
  try {
    const db = whileLocked(await openPglite(join(data, 'database')), lock);
    return await withSchema(db, `The database in ${data} cannot be used`);
  } catch (error) {
    await lock.release();
    throw error instanceof NetworkStartError ? error : startError(`The database in ${data} cannot be opened`, error);
  }
}

/**
 * Opens the database like `openNetworkDatabase`, but waits up to some seconds for a server that cannot be reached, and
 * reports each wait.
 */
export async function openWhenReachable(
  place: DatabasePlace,
  { seconds, onWait }: { readonly seconds: number; readonly onWait: (message: string) => void },
): Promise<NetworkDatabase> {
  const deadline = performance.now() + seconds * 1_000;
  for (let delay = FIRST_WAIT_MS; ; delay = Math.min(2 * delay, LONGEST_WAIT_MS)) {
    try {
      return await openNetworkDatabase(place);
    } catch (error) {
      const left = deadline - performance.now();
      const isAway = error instanceof NetworkStartError && error.cause instanceof DatabaseUnavailableError;
      if (!isAway || left <= 0) throw error;
      // Processes that start together do not try together.
      const wait = Math.min(left, delay * (0.75 + Math.random() / 2));
      onWait(
        `Waiting for the database. ${error.message}. Next try in ${(wait / 1_000).toFixed(1)} s, for ${Math.ceil(left / 1_000)} s more.`,
      );
      await pause(wait);
    }
  }
}

/** Locks the directory: PGlite does not, and two writing processes would destroy the database. */
async function lockedDirectory(directory: string): Promise<DirectoryLock> {
  try {
    mkdirSync(directory, { recursive: true });
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
    return await lockDirectory(directory, { name: 'network' });
  } catch (error) {
    if (error instanceof DirectoryInUseError)
      throw new NetworkStartError(`The data directory ${error.message}: stop it, or choose another directory.`);
    throw startError(`The data directory ${directory} cannot be used`, error);
  }
}

/** The database for as long as the directory is this process's; closing it gives the directory back. */
export function whileLocked(db: Database, lock: DirectoryLock): NetworkDatabase {
  function check(how: 'check' | 'verify' = 'check', Failure = DatabaseUnavailableError): void {
    try {
      lock[how]();
    } catch (error) {
      throw new Failure(error);
    }
  }
  async function locked<T>(run: () => Promise<T>): Promise<T> {
    check();
    const result = await run();
    // It may have waited behind others for seconds: what was written after a takeover is not reported as done.
    check('check', UnconfirmedCommitError);
    return result;
  }
  return {
    kind: db.kind,
    ...(db.readOnlyBecause !== undefined && { readOnlyBecause: db.readOnlyBecause }),
    lost: lock.lost,
    query: (sql, params) => locked(() => db.query(sql, params)),
    hot: (sql, params) => locked(() => db.hot(sql, params)),
    exec: (sql) => locked(() => db.exec(sql)),
    read: (work) => locked(() => db.read(work)),
    transaction: (work, options) =>
      locked(() =>
        db.transaction(async (transaction) => {
          const result = await work(transaction);
          // The work may have taken long. This looks at the directory itself, and rolls back.
          check('verify');
          return result;
        }, options),
      ),
    async close() {
      // Closing writes: not into a directory that is another process's by now.
      await locked(() => db.close());
      await lock.release();
    },
  };
}

async function withSchema<Opened extends Database>(
  db: Opened,
  problem: string,
  check: () => Promise<void> = async () => undefined,
): Promise<Opened> {
  try {
    await check();
    const [row] = await db.query<{ version: string }>("SELECT current_setting('server_version_num') AS version");
    if (Number(row?.version) < 150_000) throw new Error('PostgreSQL 15 or newer is required');
    await createSchema(db);
    return db;
  } catch (error) {
    await db.close().catch(() => undefined);
    throw startError(problem, error);
  }
}

/** Stands for a URL that cannot be shown. */
const HIDDEN = 'of --database-url';

/** A database's URL for messages, without what may be secret: the password, and the parameters, which may name another. */
export function hidePassword(url: string): string {
  // An `@` after the host: a slash or a question mark in the password has ended the host before it.
  if (!/^\w+:\/\/[^@/?#]*(?:@[^@/?#]*)?(?:[/?#][^@]*)?$/.test(url)) return HIDDEN;
  try {
    const address = new URL(url);
    address.password = '';
    address.search = '';
    address.hash = '';
    return address.href;
  } catch {
    return HIDDEN;
  }
}

function startError(problem: string, cause: unknown): NetworkStartError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new NetworkStartError(`${problem}: ${reason.split('\n')[0] ?? ''}`, { cause });
}

/** The network cannot start. The message is one line that says what to change. */
export class NetworkStartError extends Error {
  override readonly name = 'NetworkStartError';
}
