import type { Queries, Database, Degraded } from './database.ts';

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

const NO_CHANGES =
  'Keys, publishers, offers, settings and faults cannot change, and conversions of offers with a budget get a 503.';
const NO_WORKER = `Requests for the publishers that it holds get a 503, and so do reports of a whole channel. ${NO_CHANGES}`;
const NO_COORDINATOR = `It is the coordinator: nodes cannot be added, and publishers cannot move. ${NO_CHANGES}`;

/** Milliseconds for each node to reply. */
const NODE_TIMEOUT_MS = 3_000;

/** Asks a distributed PostgreSQL which of its nodes it cannot reach, and adds those that this process cannot. */
export async function findDegraded(db: Database, away: readonly Degraded[]): Promise<readonly Degraded[]> {
  if (!(await hasCitus(db))) return away;
  const nodes = await db.transaction(async (transaction) => {
    await transaction.exec(`SET LOCAL citus.node_connection_timeout = ${NODE_TIMEOUT_MS}`);
    // Every node knows all of them: this also runs on a worker, and then says whether the coordinator is there.
    return transaction.query<{ node: string; groupid: number }>(
      `SELECT nodename || ':' || nodeport AS node, groupid FROM pg_dist_node
       WHERE isactive AND NOT citus_check_connection_to_node(nodename, nodeport) ORDER BY 1`,
    );
  });
  return [...away, ...nodes.map(({ node, groupid }) => ({ node, effect: groupid === 0 ? NO_COORDINATOR : NO_WORKER }))];
}
