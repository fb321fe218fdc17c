import { Socket } from 'node:net';
import { type ClientBase, Pool, type PoolClient, type QueryConfig, type QueryResult, types } from 'pg';
import { own } from '../../wire/json.ts';
import { hasCitus } from './citus.ts';
import {
  type Database,
  type Parameter,
  type Queries,
  type Transaction,
  type TransactionOptions,
  DatabaseUnavailableError,
  SlowReadError,
  UnconfirmedCommitError,
  reach,
  readInt8,
  readText,
  retry,
  TYPE,
} from './database.ts';
import { refuseOldPooler } from './refuseOldPooler.ts';

/** The most connections of a process, and those that only its long reads use. */
const CONNECTIONS = 8;
const READ_CONNECTIONS = 3;
/** Milliseconds to wait for a connection; then the caller gets a 503. */
const CONNECT_TIMEOUT_MS = 5_000;
/** Milliseconds for one statement; then its connection is closed, and the caller gets a 503. A server that is stopped accepts statements and never replies. */
const STATEMENT_TIMEOUT_MS = 15_000;
/** Milliseconds for one statement of a long read. */
const READ_TIMEOUT_MS = 10_000;
/** Milliseconds for a server to report that a statement has taken too long. One that does not even do that is silent. */
const REPLY_MS = 1_000;
/** Milliseconds for the connections to end when the database is closed. */
const CLOSE_TIMEOUT_MS = 3_000;
/**
 * Uses of a connection to citus after which it forgets its plans. From 13.2.1 on, citus keeps another plan of an INSERT each time
 * it runs (github.com/citusdata/citus/pull/8824): 0.5 MB for a batch of 20 events.
 */
const USES_OF_PLANS = 100;

/** How to open a PostgreSQL database. */
export interface PostgresOptions {
  /** The most connections. */
  readonly connections?: number;
  /** Milliseconds that a statement may take outside of a transaction. */
  readonly statementTimeoutMs?: number;
  /** Milliseconds that a statement of `read` may take. */
  readonly readTimeoutMs?: number;
}

/** A database on a server. */
export interface PostgresDatabase extends Database {
  /** Connects for the first time. Throws an error if the server cannot be reached or is behind a pooler that is too old. */
  check(): Promise<void>;
}

/** Opens a PostgreSQL database (15 or newer): a server, or the coordinator of a distributed one. Nothing is connected yet. */
export function openPostgres(url: string, options: PostgresOptions = {}): PostgresDatabase {
  const { connections = CONNECTIONS, statementTimeoutMs = STATEMENT_TIMEOUT_MS } = options;
  const { readTimeoutMs = READ_TIMEOUT_MS } = options;
  const sockets = new Set<Socket>();
  const main = openPool(url, { connections, statementTimeoutMs, sockets });
  const readers = openPool(url, { connections: READ_CONNECTIONS, statementTimeoutMs, sockets });
  const uses = new WeakMap<PoolClient, number>();
  let isOnCitus = false;

  /** Runs `work` on a separate connection. A connection whose work found the database unavailable is ended. */
  async function use<T>(work: (client: PoolClient) => Promise<T>, pool = main): Promise<T> {
    const client = await reach(() => pool.connect());
    let broken: Error | undefined;
    try {
      return await work(client);
    } catch (error) {
      if (error instanceof DatabaseUnavailableError) broken = error;
      throw error;
    } finally {
      const count = (uses.get(client) ?? 0) + 1;
      uses.set(client, count);
      // The next user of the connection waits for it.
      if (!broken && isOnCitus && count % USES_OF_PLANS === 0) client.query('DISCARD PLANS').catch(() => undefined);
      client.release(broken);
    }
  }

  const run = <T>(work: (db: Queries) => Promise<T>): Promise<T> =>
    retry(() => use((client) => work(queries(client, statementTimeoutMs))));
  return {
    kind: 'postgres',
    query: (sql, params) => run((on) => on.query(sql, params)),
    hot: (sql, params) => run((on) => on.hot(sql, params)),
    exec: (sql) => run((on) => on.exec(sql)),
    transaction: (work, rules = {}) => retry(() => use((client) => inTransaction(client, work, rules))),
    async read(work) {
      try {
        const rules = { statementTimeoutMs: readTimeoutMs, isReadOnly: true };
        return await retry(() => use((client) => inTransaction(client, work, rules), readers));
      } catch (error) {
        if (!(error instanceof DatabaseUnavailableError && error.isSlow)) throw error;
        throw new SlowReadError(`A read took longer than ${readTimeoutMs} ms.`, { cause: error });
      }
    },
    check: () =>
      use(async (client) => {
        isOnCitus = await hasCitus(queries(client, statementTimeoutMs));
        await refuseOldPooler(client, () => main.connect());
      }),
    pools: () =>
      (
        [
          ['requests', main],
          ['reads', readers],
        ] as const
      ).map(([pool, { totalCount, idleCount, waitingCount }]) => ({
        pool,
        busy: totalCount - idleCount,
        waiting: waitingCount,
      })),
    async close() {
      const deadline = setTimeout(() => sockets.forEach((socket) => socket.destroy()), CLOSE_TIMEOUT_MS);
      await Promise.all([main.end(), readers.end()]);
      clearTimeout(deadline);
    },
  };
}

const parsers = new Map<number, (text: string) => unknown>([
  [TYPE.int8, readInt8],
  [TYPE.numeric, readText],
  [TYPE.date, readText],
]);

function openPool(
  connectionString: string,
  {
    connections,
    statementTimeoutMs,
    sockets,
  }: { readonly connections: number; readonly statementTimeoutMs: number; readonly sockets: Set<Socket> },
): Pool {
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
      getTypeParser: (id, format) => parsers.get(id) ?? (types.getTypeParser(id, format) as (text: string) => unknown),
    },
  });
  // A client emits 'error' when its connection is lost. Without a listener that would end the process, and the pool has one
  // only while the client is idle. The statement under way is rejected as well, which is what its caller sees.
  pool.on('connect', (client) => client.on('error', () => undefined));
  pool.on('error', () => undefined);
  return pool;
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

async function inTransaction<T>(
  client: ClientBase,
  work: (db: Transaction) => Promise<T>,
  { statementTimeoutMs = STATEMENT_TIMEOUT_MS, isReadOnly = false }: TransactionOptions & { isReadOnly?: boolean },
): Promise<T> {
  const db = queries(client, statementTimeoutMs + REPLY_MS);
  const sent: Promise<unknown>[] = [];
  // The first statement that failed says why. Those sent after it fail only because the transaction has.
  let failure: { readonly error: unknown } | undefined;
  let isCommitting = false;
  function send(statement: Promise<unknown>): void {
    statement.catch((error: unknown) => (failure ??= { error }));
    sent.push(statement);
  }
  try {
    // The server gives up as well: nobody else waits for the locks of a network that is gone. Not as options of the connection,
    // which poolers refuse.
    send(
      db.exec(
        `BEGIN${isReadOnly ? ' READ ONLY' : ''}; SET LOCAL statement_timeout = ${statementTimeoutMs}; SET LOCAL idle_in_transaction_session_timeout = ${STATEMENT_TIMEOUT_MS}`,
      ),
    );
    const result = await work({
      ...db,
      send: (sql, params) => send(db.hot(sql, params)),
    });
    isCommitting = true;
    const commit = reach(() => client.query('COMMIT'));
    send(commit);
    await Promise.all(sent);
    // After a failed statement a COMMIT rolls back, and reports success.
    if ((await commit).command !== 'COMMIT') throw new Error('The transaction was rolled back.');
    return result;
  } catch (thrown) {
    await Promise.allSettled(sent);
    const error = failure?.error ?? thrown;
    // Where the database is unavailable, the connection is ended. That rolls back too, without waiting for a server that may not reply.
    if (!(error instanceof DatabaseUnavailableError)) await reach(() => client.query('ROLLBACK'));
    // An error of the server's own to a statement before the COMMIT has rolled it back.
    else if (isCommitting && !isReadOnly && own(error.cause, 'severity') === undefined)
      throw new UnconfirmedCommitError(error.cause);
    throw error;
  }
}

const names = new Map<string, string>();

/** The name under which a server stores the plan of a statement. There are some hundreds at most: hot texts are constant but for their number of rows. */
function statementName(text: string): string {
  const name = names.get(text) ?? `hot${names.size}`;
  names.set(text, name);
  return name;
}

/** The driver knows a timeout per statement; its types do not. */
type Statement = QueryConfig<unknown[]> & { readonly query_timeout: number };

function queries(client: ClientBase, query_timeout: number): Queries {
  const run = (statement: Omit<Statement, 'query_timeout'>): Promise<QueryResult> => {
    const timed: Statement = { ...statement, query_timeout };
    return reach(() => client.query(timed));
  };
  return {
    kind: 'postgres',
    async query<Row>(text: string, params: readonly Parameter[] = []): Promise<Row[]> {
      return (await run({ text, values: [...params] })).rows as Row[];
    },
    async hot<Row>(text: string, params: readonly Parameter[] = []): Promise<Row[]> {
      return (await run({ name: statementName(text), text, values: [...params] })).rows as Row[];
    },
    async exec(text) {
      await run({ text });
    },
  };
}
