import { hasCitus, isWorker } from './citus.ts';
import type { Database, Queries } from './database.ts';
import { NetworkStartError } from './openNetworkDatabase.ts';
import { openPostgres } from './postgres.ts';

/** A table that a step changes, and its size, estimated as the server's statistics are. */
export interface SizedTable {
  readonly table: string;
  readonly rows: number;
  readonly bytes: number;
}

/** How to change a database that networks go on using. */
export interface ChangeOptions<Step> {
  /** The server, or the coordinator. */
  readonly databaseUrl: string;
  /** Whether to change nothing. */
  readonly isDryRun: boolean;
  /** Gets what there is to do; an empty list if it is done already. */
  onPlan(steps: readonly Step[]): void;
  /** Runs a step, which it may report. */
  onStep(step: Step, run: () => Promise<void>): Promise<void>;
}

/** Milliseconds that a step may take: a day. */
export const STEP_TIMEOUT_MS = 86_400_000;

/** Plans a change and runs its steps. Whatever the server refuses is a `NetworkStartError` of one line. */
export async function changeDatabase<Step>(
  { databaseUrl, isDryRun, onPlan, onStep }: ChangeOptions<Step>,
  change: {
    plan(db: Database, isOnCitus: boolean): Promise<readonly Step[]>;
    run(db: Database, step: Step, isOnCitus: boolean): Promise<void>;
  },
): Promise<void> {
  const db = openPostgres(databaseUrl, { connections: 2, statementTimeoutMs: STEP_TIMEOUT_MS });
  try {
    await db.check();
    const isOnCitus = await hasCitus(db);
    if (isOnCitus && (await isWorker(db)))
      throw new NetworkStartError('This is not the coordinator. Give its URL with --database-url.');
    const steps = await change.plan(db, isOnCitus);
    onPlan(steps);
    if (isDryRun) return;
    for (const step of steps) await onStep(step, () => change.run(db, step, isOnCitus));
  } catch (error) {
    if (error instanceof NetworkStartError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new NetworkStartError(message.split('\n')[0] ?? '', { cause: error });
  } finally {
    await db.close();
  }
}

/** The size of a table with its partitions, 0 if it does not exist. A partitioned table itself holds nothing. */
export async function measureTable(db: Queries, table: string): Promise<Omit<SizedTable, 'table'>> {
  const [size] = await db.query<{ rows: number; bytes: number }>(
    `SELECT coalesce(sum(greatest(reltuples, 0)), 0)::bigint AS rows, coalesce(sum(pg_total_relation_size(oid)), 0)::bigint AS bytes
     FROM pg_class WHERE relkind <> 'p'
       AND (oid = to_regclass($1::text) OR oid IN (SELECT relid FROM pg_partition_tree(to_regclass($1::text))))`,
    [table],
  );
  return { rows: size?.rows ?? 0, bytes: size?.bytes ?? 0 };
}
