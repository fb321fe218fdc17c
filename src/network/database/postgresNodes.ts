import { Socket } from 'node:net';
import { type ClientBase, Pool, type PoolClient, type QueryConfig, types } from 'pg';
import {
  DatabaseUnavailableError,
  type Degraded,
  type NodeChoice,
  reach,
  readInt8,
  readText,
  TYPE,
} from './database.ts';
import {
  DifferentDatabasesError,
  isCoordinator,
  isSameDatabase,
  type NodeIdentity,
  readIdentity,
  refuseOldPooler,
} from './nodeIdentity.ts';
import { createBreaker } from './createBreaker.ts';
import { createPlacements } from './citus.ts';

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
/** Milliseconds after which work that found a node unavailable has waited for one that is silent, instead of being refused. */
export const SILENT_MS = 2_000;
/**
 * Uses of a connection to a node with citus after which it forgets its plans. From 13.2.1 on, citus keeps another plan of an
 * INSERT each time it runs (github.com/citusdata/citus/pull/8824): 0.5 MB for a batch of 20 events.
 */
const USES_OF_PLANS = 100;
/** Milliseconds between two polls of the list of workers. */
const MEET_MS = 30_000;

/**
 * The nodes of one database. Each serves every request, so connections come from all in turn, and from those that are left when
 * some are away; what concerns one publisher, from the node that holds it.
 */
interface PostgresNodes {
  /** Runs `work` on a separate connection. A connection whose work found the database unavailable is ended. */
  use<T>(work: (client: PoolClient) => Promise<T>, choice?: NodeChoice): Promise<T>;
  /** How many nodes there are. */
  count(): number;
  /** Those that cannot be used now. */
  away(): readonly Degraded[];
  /** Connects to each node. Throws an error if two that can be reached are not one database, or if a pooler is too old. */
  check(): Promise<void>;
  close(): Promise<void>;
}

interface Node {
  /** Its URL for messages. */
  readonly url: string;
  readonly connectionString: string;
  readonly pool: Pool;
  /** Whether the database named it, instead of an operator. */
  readonly isMet: boolean;
  probe?: ReturnType<typeof setTimeout> | undefined;
  /** Why it is left out, where it is not simply away. */
  problem?: string | undefined;
  /** Who it is; unknown until a first connection. */
  identity?: NodeIdentity | undefined;
}

/** Opens one pool of connections per URL. Nothing is connected yet. */
export function openNodes(
  urls: readonly string[],
  { connections, statementTimeoutMs }: { readonly connections: number; readonly statementTimeoutMs: number },
): PostgresNodes {
  const sockets = new Set<Socket>();
  const nodes = urls.map((url) => openNode(url, false));
  const breaker = createBreaker(SILENT_MS);
  const placements = createPlacements((work) => use(work));
  /** The first node that was reached, which the others must match. */
  let reference: { readonly url: string; readonly identity: NodeIdentity } | undefined;
  let turn = 0;
  let isClosed = false;
  let metAt = Number.NEGATIVE_INFINITY;
  const uses = new WeakMap<PoolClient, number>();

  function openNode(connectionString: string, isMet: boolean): Node {
    const url = hidePassword(connectionString);
    const node: Node = {
      url,
      connectionString,
      isMet,
      pool: openPool(connectionString, (client) => verify(node, client)),
    };
    return node;
  }

  function openPool(connectionString: string, check: (client: PoolClient) => Promise<void>): Pool {
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
      ...(urls.length > 1
        ? {
            verify(client: PoolClient, done: (error?: Error) => void): void {
              check(client).then(
                () => done(),
                (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
              );
            },
          }
        : {}),
    });
    // A client emits 'error' when its connection is lost. Without a listener that would end the process, and the pool has one
    // only while the client is idle. The statement under way is rejected as well, which is what its caller sees.
    pool.on('connect', (client) => client.on('error', () => undefined));
    pool.on('error', () => undefined);
    return pool;
  }

  /** Looks at each new connection of one of several nodes. */
  async function verify(node: Node, client: PoolClient): Promise<void> {
    const identity = await readIdentity(client);
    // One may be the standby of another: it serves only once it has taken over.
    if (identity.isStandby) throw new Error('the server is a standby');
    reference ??= { url: node.url, identity };
    if (!isSameDatabase(reference.identity, identity)) throw new DifferentDatabasesError(reference.url, node.url);
    node.identity = identity;
  }

  /** Leaves a node out until it can be used again, which it may be at once. A single node always stays in. */
  function leaveOut(node: Node, error: DatabaseUnavailableError, delayMs = 0): void {
    node.problem = error.cause instanceof DifferentDatabasesError ? error.cause.message : undefined;
    if (nodes.length === 1 || node.probe || isClosed) return;
    node.probe = setTimeout(() => {
      probe(node.pool).then(
        () => (node.probe = undefined),
        (reason: unknown) => {
          node.probe = undefined;
          if (nodes.includes(node)) leaveOut(node, new DatabaseUnavailableError(reason), PROBE_MS);
        },
      );
    }, delayMs).unref();
    // The node that comes back first is the database: all of them may have been replaced.
    if (nodes.every(({ probe }) => probe !== undefined)) reference = undefined;
  }

  /** The nodes in the order in which to try them: in turn, those that are away last. */
  function inTurn(step = 1): Node[] {
    turn = (turn + step) % nodes.length;
    const rotated = [...nodes.slice(turn), ...nodes.slice(0, turn)];
    return rotated.toSorted((one, other) => Number(one.probe !== undefined) - Number(other.probe !== undefined));
  }

  async function connect(order: readonly Node[], isForOne = false): Promise<{ node: Node; client: PoolClient }> {
    let failure: unknown;
    for (const node of order) {
      const started = performance.now();
      try {
        return { node, client: await reach(() => node.pool.connect()) };
      } catch (error) {
        // A wrong password is not a node that is away.
        if (!(error instanceof DatabaseUnavailableError)) throw error;
        failure = error;
        leaveOut(node, error);
        // The others would wait for a silent node as well, with connections that its publishers must not take from everybody.
        if (isForOne && performance.now() - started >= SILENT_MS) throw error;
      }
    }
    throw failure;
  }

  async function coordinatorFirst(): Promise<readonly Node[]> {
    for (const node of inTurn()) {
      if (!node.identity)
        await connect([node]).then(
          ({ client }) => client.release(),
          () => undefined,
        );
      if (node.identity && isCoordinator(node.identity)) return [node, ...inTurn().filter((other) => other !== node)];
    }
    return inTurn();
  }

  /** Those of a group first. */
  function nearest(group: number | undefined): readonly Node[] {
    if (group === undefined) return inTurn();
    const isNear = (node: Node): boolean => node.identity?.group === group && node.probe === undefined;
    // Work for one publisher does not advance the rotation, or two successive calls would use the same two nodes.
    return inTurn(0).toSorted((one, other) => Number(isNear(other)) - Number(isNear(one)));
  }

  function groupOf(publisherId: string): number | undefined {
    if (nodes.length === 1 || reference?.identity.hasCitus !== true) return undefined;
    if (performance.now() - metAt > MEET_MS) {
      metAt = performance.now();
      // Publishers of workers that cannot be reached now are served through the other nodes.
      void use(meetWorkers).catch(() => undefined);
    }
    return placements.groupOf(publisherId);
  }

  /** Connects to workers that were added, and leaves those that were removed, if the nodes know each other as this process does. */
  async function meetWorkers(client: ClientBase): Promise<void> {
    const { rows } = await client.query<{ at: string }>(
      `SELECT nodename || ':' || nodeport AS at FROM pg_dist_node WHERE groupid <> 0 AND isactive AND noderole = 'primary'`,
    );
    const [model] = nodes.filter(({ connectionString }) => rows.some(({ at }) => at === addressOf(connectionString)));
    if (!model || isClosed) return;
    for (const { at } of rows)
      if (!nodes.some(({ connectionString }) => addressOf(connectionString) === at)) {
        const url = new URL(model.connectionString);
        url.host = at;
        nodes.push(openNode(url.href, true));
      }
    const isGone = (node: Node): boolean =>
      node.isMet && !rows.some(({ at }) => at === addressOf(node.connectionString));
    for (const node of nodes.filter(isGone)) {
      nodes.splice(nodes.indexOf(node), 1);
      clearTimeout(node.probe);
      void node.pool.end();
    }
  }

  /** Gives a connection back. */
  function release(node: Node, client: PoolClient, broken?: Error): void {
    const count = (uses.get(client) ?? 0) + 1;
    uses.set(client, count);
    // The next user of the connection waits for it.
    if (!broken && node.identity?.hasCitus === true && count % USES_OF_PLANS === 0)
      client.query('DISCARD PLANS').catch(() => undefined);
    client.release(broken);
  }

  function use<T>(work: (client: PoolClient) => Promise<T>, choice: NodeChoice = {}): Promise<T> {
    const group = choice.near === undefined ? undefined : groupOf(choice.near);
    const needs = choice.isEverywhere === true ? 'every node' : group === undefined ? undefined : `group ${group}`;
    return breaker.run(needs, () => useOne(work, { ...choice, group }));
  }

  async function useOne<T>(
    work: (client: PoolClient) => Promise<T>,
    { group, onCoordinator }: NodeChoice & { readonly group: number | undefined },
  ): Promise<T> {
    const order = onCoordinator === true && nodes.length > 1 ? await coordinatorFirst() : nearest(group);
    const { node, client } = await connect(order, group !== undefined);
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
      release(node, client, broken);
    }
  }

  return {
    count: () => nodes.length,
    use,
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
            node.identity ??= await readIdentity(client);
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

/** Resolves if a server replies: a connection of the pool may be to one that has become silent. */
async function probe(pool: Pool): Promise<void> {
  const client = await pool.connect();
  const statement: QueryConfig & { readonly query_timeout: number } = { text: 'SELECT 1', query_timeout: SILENT_MS };
  try {
    await client.query(statement);
    client.release();
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/** The host and port of a node, as other nodes name it; undefined for a socket. */
function addressOf(connectionString: string): string | undefined {
  if (hidePassword(connectionString) === HIDDEN) return undefined;
  const { hostname, port, searchParams } = new URL(connectionString);
  return searchParams.has('host') ? undefined : `${hostname}:${port || '5432'}`;
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

/** Stands for a URL that cannot be shown. */
const HIDDEN = 'of --database-url';

/** A database's URL for messages, without what may be secret: the password, and the parameters, which may name another. */
export function hidePassword(url: string): string {
  // An `@` after the host: a slash or a question mark in the password has ended the host before it.
  if (!/^\w+:\/\/[^@/?#]*(?:@[^@/?#]*)?(?:[/?#][^@]*)?$/.test(url)) return HIDDEN;
  try {
    const address = new URL(url);
    address.password = '';
    address.search = '';
    address.hash = '';
    return address.href;
  } catch {
    return HIDDEN;
  }
}
