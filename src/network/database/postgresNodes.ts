import { Socket } from 'node:net';
import { Pool, types, type PoolClient } from 'pg';
import type { Degraded } from './database.ts';
import { coalescing } from './coalescing.ts';
import { DatabaseUnavailableError, reach } from './DatabaseUnavailableError.ts';
import { hidePassword } from './hidePassword.ts';
import {
  DifferentDatabasesError,
  isCoordinator,
  isSameDatabase,
  readIdentity,
  type NodeIdentity,
} from './nodeIdentity.ts';
import { readInt8, readText, TYPE } from './values.ts';

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
export interface PostgresNodes {
  /** Runs `work` on a connection of its own. A connection whose work found the database unavailable is ended. */
  use<T>(work: (client: PoolClient) => Promise<T>, options?: { readonly coordinator?: boolean }): Promise<T>;
  /** How many nodes there are. */
  readonly count: number;
  /** Those that cannot be used now. */
  away(): readonly Degraded[];
  /** Connects to each node. Throws a `DifferentDatabasesError` if two that can be reached are not one database. */
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
          client.release();
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
