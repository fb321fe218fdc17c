import { changeDatabase, type ChangeOptions, measureTable, type SizedTable } from './changeDatabase.ts';
import { isDistributed } from './citus.ts';
import { type Database, DatabaseUnavailableError } from './database.ts';
import { REFERENCE_TABLES, SHARDED_TABLES, SCHEMA_VERSION, readSchemaVersion } from './schema.ts';
import { NetworkStartError } from './openNetworkDatabase.ts';

/** One table that is not distributed yet. */
export interface DistributionStep extends SizedTable {
  /** `copy`: every node gets all of it. `online`: rows move while writers go on. `blocking`: writers of this table wait meanwhile. */
  readonly how: 'copy' | 'online' | 'blocking';
}

/** Distributes the tables of a database that got the citus extension later, while networks use it. A second run does nothing. */
export function distributeDatabase(options: ChangeOptions<DistributionStep>): Promise<void> {
  return changeDatabase(options, { plan: planDistribution, run: distributeTable });
}

/** The tables that are not distributed, in order. */
async function planDistribution(db: Database, isOnCitus: boolean): Promise<readonly DistributionStep[]> {
  if (!isOnCitus)
    throw new NetworkStartError(
      'The database has no citus extension. Run CREATE EXTENSION citus in it on every node, and citus_add_node on the coordinator.',
    );
  const version = await readSchemaVersion(db);
  if (version !== SCHEMA_VERSION)
    throw new NetworkStartError(
      `The database has schema version ${version}, and this program needs ${SCHEMA_VERSION}. Start this version of the network on it once.`,
    );
  const [setting] = await db.query<{ wal_level: string; plugins: string | null }>(
    "SELECT current_setting('wal_level') AS wal_level, current_setting('output_plugin_libraries', true) AS plugins",
  );
  const sharded = setting?.wal_level === 'logical' ? 'online' : 'blocking';
  // Servers that have no such setting allow all.
  const plugins = setting?.plugins?.split(',').map((name) => name.trim().replaceAll('"', '')) ?? ['citus'];
  if (sharded === 'online' && !plugins.includes('citus'))
    throw new NetworkStartError(
      `The server does not let citus decode its write-ahead log: output_plugin_libraries is "${setting?.plugins ?? ''}". Add citus to it on every node: ALTER SYSTEM SET output_plugin_libraries = ${[...plugins, 'citus'].join(', ')}; SELECT pg_reload_conf();`,
    );
  const steps: DistributionStep[] = [];
  for (const table of ['schema_versions', ...REFERENCE_TABLES, ...SHARDED_TABLES]) {
    if (await isDistributed(db, table)) continue;
    const isSharded = SHARDED_TABLES.some((name) => name === table);
    steps.push({ table, how: isSharded ? sharded : 'copy', ...(await measureTable(db, table)) });
  }
  return steps;
}

/** Moves one table to the nodes. If it is interrupted, the table is as before, and the next run starts with it. */
async function distributeTable(db: Database, step: DistributionStep): Promise<void> {
  try {
    await moveTable(db, step);
  } catch (error) {
    const cause = error instanceof DatabaseUnavailableError ? error.cause : error;
    // What the server says itself, such as that another move is in progress.
    if (!(cause instanceof Error && 'severity' in cause)) throw error;
    // Two may have been started. Whatever one has done, the other need not do.
    if (await isDistributed(db, step.table)) return;
    throw new NetworkStartError(
      `The table ${step.table} was not distributed: ${cause.message}. Make sure that nobody else distributes this database, then run it again: it continues with this table.`,
      { cause: error },
    );
  }
}

async function moveTable(db: Database, { table, how }: DistributionStep): Promise<void> {
  const [first] = SHARDED_TABLES;
  const colocated = table === first ? '' : `, colocate_with => '${first}'`;
  if (how === 'copy') await db.query('SELECT create_reference_table($1)', [table]);
  else if (how === 'blocking')
    await db.query(`SELECT create_distributed_table($1, 'publisher_id'${colocated})`, [table]);
  else await db.query(`SELECT create_distributed_table_concurrently($1, 'publisher_id'${colocated})`, [table]);
  // The coordinator keeps what it had, which nothing reads any more.
  await db.query('SELECT truncate_local_data_after_distributing_table($1::regclass)', [table]);
}
