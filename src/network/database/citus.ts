import type { Queries } from './database.ts';

/** Whether the database is a distributed one: whether it has the citus extension. */
export async function hasCitus(db: Queries): Promise<boolean> {
  return (await db.query("SELECT 1 AS present FROM pg_extension WHERE extname = 'citus'")).length > 0;
}

/** Whether citus distributes a table or copies it to every node. */
export async function isKnownToCitus(db: Queries, table: string): Promise<boolean> {
  return (
    (await db.query('SELECT 1 AS known FROM pg_dist_partition WHERE logicalrelid = $1::regclass', [table])).length > 0
  );
}
