import type { ClientBase, PoolClient } from 'pg';

/** Transactions after which a pooler that changes connections between them has nearly always done so. */
const TRIES = 5;

/**
 * Throws an error if a pooler lies between this process and the server that gives each transaction another connection and
 * leaves prepared statements behind: PgBouncer before 1.21, or one without `max_prepared_statements`.
 */
export async function refuseOldPooler(client: ClientBase, connect: () => Promise<PoolClient>): Promise<void> {
  const server = await readServerProcess(client);
  // Without a pooler, the server has said at the start which of its processes this is.
  if ('processID' in client && client.processID === server) return;
  const name = `offerlet_${Math.random().toString(36).slice(2)}`;
  const text = 'SELECT count(*) AS same FROM pg_prepared_statements WHERE name = $1';
  const { rows } = await client.query<{ same: number }>({ name, text, values: [name] });
  // A pooler that carries prepared statements renames them.
  if (rows[0]?.same === 0) return;
  const other = await connect();
  try {
    // One that pools sessions keeps each connection for one client.
    for (let tries = 0; tries < TRIES; tries += 1)
      if ((await readServerProcess(other)) === server || (await readServerProcess(client)) !== server)
        throw new Error(
          'a connection pooler loses prepared statements between transactions. Use PgBouncer 1.21 or newer with max_prepared_statements = 200, or pool_mode = session, or connect to the server itself',
        );
  } finally {
    other.release();
  }
}

async function readServerProcess(client: ClientBase): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid;
}
