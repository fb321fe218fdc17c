import { Socket } from 'node:net';
import { type ClientBase, Pool, type PoolClient, types } from 'pg';
import { DatabaseUnavailableError, type Degraded, reach, readInt8, readText, TYPE } from './database.ts';

const parsers = new Map<number, (text: string) => unknown>([
  [TYPE.int8, readInt8],
  [TYPE.numeric, readText],
  [TYPE.date, readText],
]);

/** Milliseconds to wait for a connection; then the next node is tried, or the caller gets a 503. */
const CONNECT_TIMEOUT_MS = 5_000;
/** Milliseconds for the connections to end when the database is closed. */
const CLOSE_TIMEOUT_MS = 3_000;
/** Milliseconds between two attempts to reach a node that is away. */
const PROBE_MS = 1_000;

/** The nodes of one database. Each serves every request, so connections come from all in turn, and from those that are left when some are away. */
interface PostgresNodes {
  /** Runs `work` on a connection of its own. A connection whose work found the database unavailable is ended. */
  use<T>(work: (client: PoolClient) => Promise<T>, options?: { readonly coordinator?: boolean }): Promise<T>;
  /** How many nodes there are. */
  readonly count: number;
  /** Those that cannot be used now. */
  away(): readonly Degraded[];
  /** Connects to each node. Throws an error if two that can be reached are not one database, or if a pooler is too old. */
  check(): Promise<void>;
  close(): Promise<void>;
}

interface Node {
  readonly url: string;
  readonly pool: Pool;
  probe?: ReturnType<typeof setTimeout> | undefined;
  /** Why it is left out, where it is not simply away. */
  problem?: string | undefined;
  /** Whether it may change the schema of a distributed database; unknown until somebody asks. */
  isCoordinator?: boolean | undefined;
}

/** Opens one pool of connections per URL. Nothing is connected yet. */
export function openNodes(
  urls: readonly string[],
  { connections, statementTimeoutMs }: { readonly connections: number; readonly statementTimeoutMs: number },
): PostgresNodes {
  const sockets = new Set<Socket>();
  const nodes = urls.map((url): Node => ({ url: hidePassword(url), pool: openPool(url) }));
  /** The first node that was reached, which the others must match. */
  let reference: { readonly url: string; readonly identity: NodeIdentity } | undefined;
  let turn = 0;
  let isClosed = false;

  function openPool(connectionString: string): Pool {
    const pool = new Pool({
      connectionString,
      max: connections,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: statementTimeoutMs,
      keepAlive: true,
      // Statements of a transaction that are sent together travel together.
      pipeline: true,
      stream: () => {
        const socket = coalescing(new Socket());
        sockets.add(socket);
        return socket.once('close', () => sockets.delete(socket));
      },
      types: {
        getTypeParser: (id, format) =>
          parsers.get(id) ?? (types.getTypeParser(id, format) as (text: string) => unknown),
      },
      ...(urls.length > 1 ? { verify: verifier(hidePassword(connectionString)) } : {}),
    });
    // A client emits 'error' when its connection is lost. Without a listener that would end the process, and the pool has one
    // only while the client is idle. The statement under way is rejected as well, which is what its caller sees.
    pool.on('connect', (client) => client.on('error', () => undefined));
    pool.on('error', () => undefined);
    return pool;
  }

  /** Looks at each new connection of one of several nodes. */
  function verifier(url: string) {
    async function verify(client: PoolClient): Promise<void> {
      const identity = await readIdentity(client);
      // One may be the standby of another: it serves only once it has taken over.
      if (identity.isStandby) throw new Error('the server is a standby');
      reference ??= { url, identity };
      if (!isSameDatabase(reference.identity, identity)) throw new DifferentDatabasesError(reference.url, url);
    }
    return (client: PoolClient, done: (error?: Error) => void): void => {
      verify(client).then(
        () => done(),
        (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
      );
    };
  }

  /** Leaves a node out until it can be used again. A single node always stays in. */
  function leaveOut(node: Node, error: DatabaseUnavailableError): void {
    node.problem = error.cause instanceof DifferentDatabasesError ? error.cause.message : undefined;
    if (nodes.length === 1 || node.probe || isClosed) return;
    node.probe = setTimeout(() => {
      node.pool.connect().then(
        (client) => {
          client.release();
          node.probe = undefined;
        },
        (reason: unknown) => {
          node.probe = undefined;
          leaveOut(node, new DatabaseUnavailableError(reason));
        },
      );
    }, PROBE_MS).unref();
    // Whoever comes back first is the database: all of them may have been replaced.
    if (nodes.every(({ probe }) => probe !== undefined)) reference = undefined;
  }

  /** The nodes in the order in which to try them: in turn, those that are away last. */
  function inTurn(): Node[] {
    turn = (turn + 1) % nodes.length;
    const rotated = [...nodes.slice(turn), ...nodes.slice(0, turn)];
    return rotated.toSorted((one, other) => Number(one.probe !== undefined) - Number(other.probe !== undefined));
  }

  async function connect(order: readonly Node[]): Promise<{ node: Node; client: PoolClient }> {
    let failure: unknown;
    for (const node of order) {
      try {
        return { node, client: await reach(() => node.pool.connect()) };
      } catch (error) {
        // A wrong password is not a node that is away.
        if (!(error instanceof DatabaseUnavailableError)) throw error;
        failure = error;
        leaveOut(node, error);
      }
    }
    throw failure;
  }

  async function coordinatorFirst(): Promise<readonly Node[]> {
    for (const node of inTurn()) {
      node.isCoordinator ??= await connect([node])
        .then(async ({ client }) => {
          try {
            return await isCoordinator(client);
          } finally {
            client.release();
          }
        })
        .catch(() => undefined);
      if (node.isCoordinator) return [node, ...inTurn().filter((other) => other !== node)];
    }
    return inTurn();
  }

  return {
    count: nodes.length,
    async use(work, { coordinator = false } = {}) {
      const order = coordinator && nodes.length > 1 ? await coordinatorFirst() : inTurn();
      const { node, client } = await connect(order);
      let broken: Error | undefined;
      try {
        return await work(client);
      } catch (error) {
        if (error instanceof DatabaseUnavailableError) {
          broken = error;
          if (!error.isElsewhere) leaveOut(node, error);
        }
        throw error;
      } finally {
        client.release(broken);
      }
    },
    away: () =>
      nodes
        .filter(({ probe }) => probe !== undefined)
        .map(({ url, problem }) => {
          const effect = 'This process uses the other nodes.';
          return { node: url, effect: problem === undefined ? effect : `${effect} ${problem}.` };
        }),
    async check() {
      for (const node of nodes)
        try {
          const { client } = await connect([node]);
          try {
            await refuseOldPooler(client, () => node.pool.connect());
          } finally {
            client.release();
          }
        } catch (error) {
          if (!(error instanceof DatabaseUnavailableError)) throw error;
          if (error.cause instanceof DifferentDatabasesError) throw error.cause;
        }
    },
    async close() {
      isClosed = true;
      for (const { probe } of nodes) clearTimeout(probe);
      const deadline = setTimeout(() => sockets.forEach((socket) => socket.destroy()), CLOSE_TIMEOUT_MS);
      await Promise.all(nodes.map(({ pool }) => pool.end()));
      clearTimeout(deadline);
    },
  };
}

/** What a node says about itself. */
interface NodeIdentity {
  /** Its server and database: the same on a server's standby, and after a restart. */
  readonly database: string;
  /** Whether it is part of a distributed database, whose nodes are servers of their own. */
  readonly hasCitus: boolean;
  readonly isStandby: boolean;
}

/** URLs of one network lead to different databases. */
class DifferentDatabasesError extends Error {
  override readonly name = 'DifferentDatabasesError';
  constructor(one: string, other: string) {
    super(
      `${one} and ${other} are different databases. Without the citus extension every --database-url must lead to the same one: leave the others out, or distribute the database first`,
    );
  }
}

/** Reads who a node is. */
async function readIdentity(client: ClientBase): Promise<NodeIdentity> {
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
function isSameDatabase(one: NodeIdentity, other: NodeIdentity): boolean {
  return one.database === other.database || (one.hasCitus && other.hasCitus);
}

/** Whether a node may change the schema. Without the citus extension every node may. */
async function isCoordinator(client: ClientBase): Promise<boolean> {
  const { rowCount } = await client.query("SELECT 1 FROM pg_extension WHERE extname = 'citus'");
  if (!rowCount) return true;
  const { rows } = await client.query<{ groupid: number }>('SELECT groupid FROM pg_dist_local_group');
  return rows[0]?.groupid === 0;
}

/** Sends together what is written before Node returns to its event loop: a system call costs more than a statement's bytes. */
function coalescing(socket: Socket): Socket {
  // Connecting replaces `write`.
  return socket.once('connect', () => {
    const write = socket.write.bind(socket) as (...parts: unknown[]) => boolean;
    let isWaiting = false;
    socket.write = (...parts: unknown[]) => {
      if (!isWaiting) {
        isWaiting = true;
        socket.cork();
        process.nextTick(() => {
          isWaiting = false;
          socket.uncork();
        });
      }
      return write(...parts);
    };
  });
}

/** A database's URL for messages, without what may be secret: the password, and the parameters, which may name another. */
export function hidePassword(url: string): string {
  // An `@` after the host: a slash or a question mark in the password has ended the host before it.
  if (!/^\w+:\/\/[^@/?#]*(?:@[^@/?#]*)?(?:[/?#][^@]*)?$/.test(url)) return 'of --database-url';
  try {
    const address = new URL(url);
    address.password = '';
    address.search = '';
    address.hash = '';
    return address.href;
  } catch {
    return 'of --database-url';
  }
}

/** Transactions after which a pooler that changes connections between them has nearly always done so. */
const TRIES = 5;

/**
 * Throws an error if a pooler lies between this process and the server that gives each transaction another connection and
 * leaves prepared statements behind: PgBouncer before 1.21, or one without `max_prepared_statements`.
 */
async function refuseOldPooler(client: ClientBase, connect: () => Promise<PoolClient>): Promise<void> {
  const server = await readServerProcess(client);
  // Without a pooler, the server has said at the start which of its processes this is.
  if ('processID' in client && client.processID === server) return;
  const name = `offerlet_${Math.random().toString(36).slice(2)}`;
  const text = 'SELECT count(*) AS same FROM pg_prepared_statements WHERE name = $1';
  const { rows } = await client.query<{ same: number }>({ name, text, values: [name] });
  // A pooler that carries prepared statements gives them names of its own.
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
