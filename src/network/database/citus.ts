import type { Queries } from './database.ts';

/** Whether the database is a distributed one: whether it has the citus extension. */
export async function hasCitus(db: Queries): Promise<boolean> {
  return (await db.query("SELECT 1 AS present FROM pg_extension WHERE extname = 'citus'")).length > 0;
}

/** Whether citus distributes a table or copies it to every node. One that it only knows, as after an interrupted attempt, is local. */
export async function isDistributed(db: Queries, table: string): Promise<boolean> {
  const rows = await db.query(
    "SELECT 1 AS yes FROM pg_dist_partition WHERE logicalrelid = $1::regclass AND (partmethod = 'h' OR repmodel = 't')",
    [table],
  );
  return rows.length > 0;
}

/** Whether this node is not the coordinator, which alone changes the schema. Only where there is citus. */
export async function isWorker(db: Queries): Promise<boolean> {
  const [node] = await db.query<{ groupid: number }>('SELECT groupid FROM pg_dist_local_group');
  return node?.groupid !== 0;
}
