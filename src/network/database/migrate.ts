import { hasCitus, isDistributed, isWorker } from './citus.ts';
import type { Database, Queries } from './database.ts';
import type { Migration } from './migrations/migration.ts';
import { MIGRATIONS } from './migrations.ts';
import { SHARDED_TABLES } from './tables.ts';

/** The number of the lock under which one process at a time migrates or seeds. It must never change. */
const SET_UP_LOCK = 4_600_001;
/** Milliseconds that a statement of the setup may take: another process may hold the lock, and tables may be large. */
const SET_UP_TIMEOUT_MS = 600_000;

/** Runs `work` exclusively among all processes that share the database. */
export function runSetupExclusively<T>(db: Database, work: (db: Queries) => Promise<T>): Promise<T> {
  return db.transaction(
    async (transaction) => {
      await transaction.query('SELECT pg_advisory_xact_lock($1)', [SET_UP_LOCK]);
      return work(transaction);
    },
    { statementTimeoutMs: SET_UP_TIMEOUT_MS, onCoordinator: true },
  );
}

/** Brings the schema up to date. Returns how many migrations that took. */
export async function migrate(db: Database): Promise<number> {
  // Most starts find it up to date, and every node can tell.
  if ((await readVersion(db)) === MIGRATIONS.length) return 0;
  return runSetupExclusively(db, async (transaction) => {
    const isOnCitus = await hasCitus(transaction);
    if (isOnCitus && (await isWorker(transaction)))
      throw new Error(
        'The schema must be changed first, which only the coordinator can. Add its URL with --database-url.',
      );
    await transaction.exec(
      'CREATE TABLE IF NOT EXISTS schema_versions (version integer PRIMARY KEY, applied_at timestamptz NOT NULL)',
    );
    const version = await readVersion(transaction);
    // A database that got the extension later stays undistributed until somebody runs `network distribute`.
    const [first] = SHARDED_TABLES;
    const distributes = isOnCitus && (version === 0 || (await isDistributed(transaction, first)));
    if (distributes && !(await isDistributed(transaction, 'schema_versions')))
      await transaction.query('SELECT create_reference_table($1)', ['schema_versions']);
    for (const [index, migration] of MIGRATIONS.entries()) {
      if (index < version) continue;
      await runEach(transaction, migration.sql);
      if (distributes) await distribute(transaction, migration);
      if (migration.fill) await runEach(transaction, migration.fill);
      await transaction.query('INSERT INTO schema_versions VALUES ($1, $2)', [index + 1, new Date()]);
    }
    return MIGRATIONS.length - version;
  });
}

/** The version of the schema; 0 for an empty database. Throws if it is newer than this program. */
export async function readVersion(db: Queries): Promise<number> {
  const [table] = await db.query<{ exists: boolean }>("SELECT to_regclass('schema_versions') IS NOT NULL AS exists");
  if (!table?.exists) return 0;
  const [row] = await db.query<{ version: number }>('SELECT coalesce(max(version), 0) AS version FROM schema_versions');
  const version = row?.version ?? 0;
  if (version > MIGRATIONS.length) {
    throw new Error(
      `The database has schema version ${version}, but this version of offerlet supports up to ${MIGRATIONS.length}. Use a newer version.`,
    );
  }
  return version;
}

/** Runs statements one by one: of a text with several, citus would send the whole to its nodes for each. */
async function runEach(db: Queries, sql: string): Promise<void> {
  for (const statement of sql.split(/;\s*$/m)) if (statement.trim() !== '') await db.exec(statement);
}

/** Distributes the new large tables by publisher, and copies the new small ones to every node. */
async function distribute(db: Queries, { sharded = [], reference = [] }: Migration): Promise<void> {
  for (const table of reference) await db.query('SELECT create_reference_table($1)', [table]);
  const [first] = SHARDED_TABLES;
  for (const table of sharded) {
    if (table === first) await db.query("SELECT create_distributed_table($1, 'publisher_id')", [table]);
    else await db.query("SELECT create_distributed_table($1, 'publisher_id', colocate_with => $2)", [table, first]);
  }
}
