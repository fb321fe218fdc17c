import { hasCitus } from './citus.ts';
import type { Database, Degraded } from './database.ts';

/** Milliseconds for each node to reply. */
const NODE_TIMEOUT_MS = 3_000;

/** Asks a distributed PostgreSQL which of its nodes it cannot reach, and adds those that this process cannot. */
export async function findDegraded(db: Database, away: readonly Degraded[]): Promise<readonly Degraded[]> {
  if (!(await hasCitus(db))) return away;
  const nodes = await db.transaction(async (transaction) => {
    await transaction.exec(`SET LOCAL citus.node_connection_timeout = ${NODE_TIMEOUT_MS}`);
    return transaction.query<{ node: string }>(
      "SELECT nodename || ':' || nodeport AS node FROM run_command_on_workers('SELECT 1') WHERE NOT success ORDER BY 1",
    );
  });
  const effect =
    'Requests for the publishers that it holds get a 503, and so do reports of a whole channel. Keys, publishers, offers and budgets cannot change.';
  return [...away, ...nodes.map(({ node }) => ({ node, effect }))];
}
