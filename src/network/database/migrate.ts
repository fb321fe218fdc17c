import type { Database, Queries } from './database.ts';
import { MIGRATIONS, REFERENCE_TABLES, SHARDED_TABLES } from './schema.ts';

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
    for (const [index, sql] of MIGRATIONS.entries()) {
      if (index < version) continue;
      await transaction.exec(sql);
      if (index === 0) await distribute(transaction);
      await transaction.query('INSERT INTO schema_versions VALUES ($1, $2)', [index + 1, new Date()]);
    }
    return MIGRATIONS.length - version;
  });
}

/** Where the database has the citus extension: spreads the big tables by publisher and copies the small ones to every node. */
async function distribute(db: Queries): Promise<void> {
  const [citus] = await db.query("SELECT 1 AS present FROM pg_extension WHERE extname = 'citus'");
  if (!citus) return;
  for (const table of REFERENCE_TABLES) await db.query('SELECT create_reference_table($1)', [table]);
  for (const [index, table] of SHARDED_TABLES.entries()) {
    if (index === 0) await db.query("SELECT create_distributed_table($1, 'publisher_id')", [table]);
    else
      await db.query("SELECT create_distributed_table($1, 'publisher_id', colocate_with => $2)", [
        table,
        SHARDED_TABLES[0],
      ]);
  }
}
