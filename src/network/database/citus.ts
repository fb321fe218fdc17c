import { DatabaseUnavailableError, type Queries, type Database, type Degraded } from './database.ts';

/** Whether the database is a distributed one: whether it has the citus extension. */
export async function hasCitus(db: Queries): Promise<boolean> {
  const sql = "SELECT 1 AS present FROM pg_extension WHERE extname = 'citus'";
  return (await db.hot(sql, [], { isAnywhere: true })).length > 0;
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
/** How often a node is looked at where those that look go away themselves. */
const MAX_LOOKS = 3;

/** A node as every node knows it. */
interface KnownNode {
  readonly host: string;
  readonly port: number;
  readonly groupid: number;
}

/** Asks a distributed PostgreSQL which of its nodes it cannot reach, and adds those that this process cannot. */
export async function findDegraded(db: Database, away: readonly Degraded[]): Promise<readonly Degraded[]> {
  if (!(await hasCitus(db))) return away;
  // Every node knows all of them: this also runs on a worker, and then says whether the coordinator is there.
  const nodes = await db.hot<KnownNode>(
    'SELECT nodename AS host, nodeport AS port, groupid FROM pg_dist_node WHERE isactive ORDER BY 1, 2',
    [],
    { isAnywhere: true },
  );
  const found = await Promise.all(nodes.map(async (node) => ({ ...node, isThere: await canReach(db, node) })));
  const lost = found.filter(({ isThere }) => !isThere);
  return [
    ...away,
    ...lost.map(({ host, port, groupid }) => {
      return { node: `${host}:${port}`, effect: groupid === 0 ? NO_COORDINATOR : NO_WORKER };
    }),
  ];
}

/** Whether some node reaches this one. */
async function canReach(db: Database, { host, port }: KnownNode): Promise<boolean> {
  for (let left = MAX_LOOKS; ; left -= 1)
    try {
      return await db.transaction(
        async (transaction) => {
          await transaction.exec(`SET LOCAL citus.node_connection_timeout = ${NODE_TIMEOUT_MS}`);
          const sql = 'SELECT citus_check_connection_to_node($1, $2) AS yes';
          return (await transaction.query<{ yes: boolean }>(sql, [host, port]))[0]?.yes === true;
        },
        // A connection between nodes that is kept does not see that the other end has become silent.
        { statementTimeoutMs: NODE_TIMEOUT_MS },
      );
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError)) throw error;
      if (error.isElsewhere) return false;
      if (left === 1) throw error;
    }
}
