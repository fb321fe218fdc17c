import type { Database, Queries } from './database.ts';
import type { Migration } from './migrations/migration.ts';
import { MIGRATIONS } from './migrations.ts';
import { SHARDED_TABLES } from './tables.ts';

/** Names the lock that lets one process at a time migrate or seed; any constant will do as long as it stays. */
const SET_UP_LOCK = 4_600_001;

/** Runs the work while no other process that shares the database does the same. */
export function aloneInSetUp<T>(db: Database, work: (db: Queries) => Promise<T>): Promise<T> {
  return db.transaction(async (transaction) => {
    await transaction.query('SELECT pg_advisory_xact_lock($1)', [SET_UP_LOCK]);
    return work(transaction);
  });
}

/** Brings the schema to this version; answers how many migrations that took. */
export async function migrate(db: Database): Promise<number> {
  return aloneInSetUp(db, async (transaction) => {
    await transaction.exec(
      'CREATE TABLE IF NOT EXISTS schema_versions (version integer PRIMARY KEY, applied_at timestamptz NOT NULL)',
    );
    const [row] = await transaction.query<{ version: number }>(
      'SELECT coalesce(max(version), 0) AS version FROM schema_versions',
    );
    const version = row?.version ?? 0;
    if (version > MIGRATIONS.length) {
      throw new Error(
        `The database has schema version ${version}; this offerlet knows up to ${MIGRATIONS.length}. Use a newer offerlet.`,
      );
    }
    for (const [index, migration] of MIGRATIONS.entries()) {
      if (index < version) continue;
      await transaction.exec(migration.sql);
      await distribute(transaction, migration);
      if (migration.fill) await transaction.exec(migration.fill);
      await transaction.query('INSERT INTO schema_versions VALUES ($1, $2)', [index + 1, new Date()]);
    }
    return MIGRATIONS.length - version;
  });
}

/**
 * Where the database has the citus extension: spreads the new big tables by publisher, all in the same way, and copies the
 * new small ones to every node.
 */
async function distribute(db: Queries, { sharded = [], reference = [] }: Migration): Promise<void> {
  const [citus] = await db.query("SELECT 1 AS present FROM pg_extension WHERE extname = 'citus'");
  if (!citus) return;
  for (const table of reference) await db.query('SELECT create_reference_table($1)', [table]);
  const [first] = SHARDED_TABLES;
  for (const table of sharded) {
    if (table === first) await db.query("SELECT create_distributed_table($1, 'publisher_id')", [table]);
    else await db.query("SELECT create_distributed_table($1, 'publisher_id', colocate_with => $2)", [table, first]);
  }
}
