import type { ClientBase } from 'pg';

/** What a node says about itself. */
export interface NodeIdentity {
  /** Its server and database: the same on a server's standby, and after a restart. */
  readonly database: string;
  /** Whether it is part of a distributed database, whose nodes are servers of their own. */
  readonly hasCitus: boolean;
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
  const { rows } = await client.query<NodeIdentity>(
    `SELECT concat_ws(' ', ${system}, oid, datname) AS database, pg_is_in_recovery() AS "isStandby",
       EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') AS "hasCitus"
     FROM pg_database WHERE datname = current_database()`,
  );
  const [row] = rows;
  if (!row) throw new Error('the server does not know its database');
  return row;
}

/** Whether two nodes serve the same data. */
export function isSameDatabase(one: NodeIdentity, other: NodeIdentity): boolean {
  return one.database === other.database || (one.hasCitus && other.hasCitus);
}

/** Whether a node may change the schema. Without the citus extension every node may. */
export async function isCoordinator(client: ClientBase): Promise<boolean> {
  const { rowCount } = await client.query("SELECT 1 FROM pg_extension WHERE extname = 'citus'");
  if (!rowCount) return true;
  const { rows } = await client.query<{ groupid: number }>('SELECT groupid FROM pg_dist_local_group');
  return rows[0]?.groupid === 0;
}
