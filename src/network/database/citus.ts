import type { ClientBase } from 'pg';
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

/** Milliseconds for which a publisher is taken to be where it was: after it has moved, its statements are passed on as long. */
const KEEP_MS = 60_000;
/** The most publishers that are remembered; above that it starts over. */
const MAX_ENTRIES = 100_000;

/** Where a distributed database stores each publisher. */
export interface Placements {
  /**
   * The group of nodes that holds a publisher, where that is known. An unknown group is looked up in the background:
   * any node serves every publisher, and passes on what another holds.
   */
  groupOf(publisherId: string): number | undefined;
}

/** Remembers where publishers are. `use` runs work on any connection. */
export function createPlacements(use: (work: (client: ClientBase) => Promise<void>) => Promise<void>): Placements {
  const known = new Map<string, { readonly group: number | undefined; readonly until: number }>();
  const wanted = new Set<string>();
  let isAsking = false;

  async function ask(): Promise<void> {
    isAsking = true;
    const ids = [...wanted];
    wanted.clear();
    // An unknown one, as in a database that is not distributed yet, is requested again after the same time.
    const found = await readGroups(use, ids).catch(() => new Map<string, number>());
    if (known.size + ids.length > MAX_ENTRIES) known.clear();
    const until = performance.now() + KEEP_MS;
    for (const id of ids) known.set(id, { group: found.get(id), until });
    isAsking = false;
  }

  return {
    groupOf(publisherId) {
      const entry = known.get(publisherId);
      if (!entry || entry.until < performance.now()) {
        wanted.add(publisherId);
        if (!isAsking) void ask();
      }
      return entry?.group;
    },
  };
}

async function readGroups(
  use: (work: (client: ClientBase) => Promise<void>) => Promise<void>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const groups = new Map<string, number>();
  await use(async (client) => {
    const { rows } = await client.query<{ id: string; group: number }>(
      `SELECT id::text, groupid AS group FROM unnest($1::uuid[]) id
       JOIN pg_dist_placement ON shardid = get_shard_id_for_distribution_column('sessions', id)`,
      [ids],
    );
    for (const { id, group } of rows) groups.set(id, group);
  });
  return groups;
}
