import type { ClientBase, PoolClient } from 'pg';

/** What a node says about itself. */
export interface NodeIdentity {
  /** Its server and database: the same on a server's standby, and after a restart. */
  readonly database: string;
  /** Whether it is part of a distributed database, whose nodes are separate servers. */
  readonly hasCitus: boolean;
  /** Its number in a distributed database: the same for a server and its standby, 0 for the coordinator. */
  readonly group: number | undefined;
  readonly isStandby: boolean;
}

/** URLs of one network lead to different databases. */
export class DifferentDatabasesError extends Error {
  override readonly name = 'DifferentDatabasesError';
  constructor(one: string, other: string) {
    super(
      `${one} and ${other} are different databases. Without the citus extension every --database-url must lead to the same one: leave the others out, or distribute the database first`,
    );
  }
}

/** Reads who a node is. */
export async function readIdentity(client: ClientBase): Promise<NodeIdentity> {
  const allowed = await client.query<{ may: boolean }>(
    "SELECT has_function_privilege('pg_control_system()', 'EXECUTE') AS may",
  );
  // An administrator may have forbidden it. Then the database's number and name have to do.
  const system = allowed.rows[0]?.may === true ? '(SELECT system_identifier FROM pg_control_system())' : "''";
  const { rows } = await client.query<Omit<NodeIdentity, 'group'>>(
    `SELECT concat_ws(' ', ${system}, oid, datname) AS database, pg_is_in_recovery() AS "isStandby",
       EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') AS "hasCitus"
     FROM pg_database WHERE datname = current_database()`,
  );
  const [row] = rows;
  if (!row) throw new Error('the server does not know its database');
  if (!row.hasCitus) return { ...row, group: undefined };
  const groups = await client.query<{ group: number }>('SELECT groupid AS group FROM pg_dist_local_group');
  return { ...row, group: groups.rows[0]?.group };
}

/** Whether two nodes serve the same data. */
export function isSameDatabase(one: NodeIdentity, other: NodeIdentity): boolean {
  return one.database === other.database || (one.hasCitus && other.hasCitus);
}

/** Whether a node may change the schema. Without the citus extension every node may. */
export function isCoordinator({ hasCitus, group }: NodeIdentity): boolean {
  return !hasCitus || group === 0;
}

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
