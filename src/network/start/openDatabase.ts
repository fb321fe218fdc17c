import { accessSync, constants, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '../database/database.ts';
import { migrate } from '../database/migrate.ts';
import { openPglite } from '../database/pglite.ts';
import { openPostgres } from '../database/postgres.ts';
import { lockDirectory } from './lockDirectory.ts';
import { NetworkStartError } from './networkStartError.ts';

/** Where the data lives: a PostgreSQL server, a directory, or nowhere but in memory. */
export interface DatabasePlace {
  readonly databaseUrl?: string | undefined;
  readonly data?: string | undefined;
}

/** The migrated database; closing it gives its directory back. A place that cannot be used is one clear line. */
export async function openDatabase({ databaseUrl, data }: DatabasePlace): Promise<Database> {
  if (databaseUrl !== undefined)
    return migrated(openPostgres(databaseUrl), `The database ${hidePassword(databaseUrl)} cannot be used`);
  if (data === undefined) return migrated(await openPglite(), 'The database cannot be used');
  const unlock = lockedDirectory(data);
  try {
    const db = await migrated(await openPglite(join(data, 'database')), `The database in ${data} cannot be used`);
    return {
      ...db,
      async close() {
        await db.close();
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error instanceof NetworkStartError ? error : startError(`The database in ${data} cannot be opened`, error);
  }
}

function lockedDirectory(directory: string): () => void {
  try {
    mkdirSync(directory, { recursive: true });
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
    return lockDirectory(directory);
  } catch (error) {
    throw error instanceof NetworkStartError
      ? error
      : startError(`The data directory ${directory} cannot be used`, error);
  }
}

async function migrated(db: Database, problem: string): Promise<Database> {
  try {
    const [row] = await db.query<{ version: string }>("SELECT current_setting('server_version_num') AS version");
    if (Number(row?.version) < 150_000) throw new Error('it must be PostgreSQL 15 or newer');
    await migrate(db);
    return db;
  } catch (error) {
    await db.close().catch(() => undefined);
    throw startError(problem, error);
  }
}

function startError(problem: string, cause: unknown): NetworkStartError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new NetworkStartError(`${problem}: ${reason.split('\n')[0] ?? ''}`, { cause });
}

function hidePassword(url: string): string {
  try {
    const address = new URL(url);
    address.password = '';
    return address.href;
  } catch {
    return 'of --database-url';
  }
}
