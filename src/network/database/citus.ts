import type { Queries } from './database.ts';

/** Whether the database is a distributed one: whether it has the citus extension. */
export async function hasCitus(db: Queries): Promise<boolean> {
  return (await db.query("SELECT 1 AS present FROM pg_extension WHERE extname = 'citus'")).length > 0;
}

/** Whether this node is not the coordinator, which alone changes the schema. Only where there is citus. */
export async function isWorker(db: Queries): Promise<boolean> {
  const [node] = await db.query<{ groupid: number }>('SELECT groupid FROM pg_dist_local_group');
  return node?.groupid !== 0;
}
