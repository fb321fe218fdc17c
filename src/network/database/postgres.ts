import { Socket } from 'node:net';
import { Pool, types, type ClientBase, type QueryConfig, type QueryResult } from 'pg';
import type { Database, Parameter, Queries, Transaction, TransactionOptions } from './database.ts';
import { retry } from './retry.ts';
import { DatabaseUnavailableError, reach } from './DatabaseUnavailableError.ts';
import { readInt8, readText, TYPE } from './values.ts';

const parsers = new Map<number, (text: string) => unknown>([
  [TYPE.int8, readInt8],
  [TYPE.numeric, readText],
  [TYPE.date, readText],
]);

/** Milliseconds to wait for a connection; then the caller gets a 503. */
const CONNECT_TIMEOUT_MS = 5_000;
/** Milliseconds for one statement; then its connection is given up, and the caller gets a 503. A server that is stopped accepts statements and never replies. */
const STATEMENT_TIMEOUT_MS = 15_000;
/** Milliseconds for the connections to end when the database is closed. */
const CLOSE_TIMEOUT_MS = 3_000;

/** Opens a pool of connections to a PostgreSQL server (15 or newer). */
export function openPostgres(url: string, options: { connections?: number } = {}): Database {
  const sockets = new Set<Socket>();
  const pool = new Pool({
    connectionString: url,
    max: options.connections ?? 8,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: STATEMENT_TIMEOUT_MS,
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
  const db = queries(pool);
  return {
    kind: 'postgres',
    query: (sql, params) => retry(() => db.query(sql, params)),
    hot: (sql, params) => retry(() => db.hot(sql, params)),
    exec: (sql) => retry(() => db.exec(sql)),
    transaction: (work, rules = {}) => retry(() => inTransaction(pool, work, rules)),
    async close() {
      const deadline = setTimeout(() => sockets.forEach((socket) => socket.destroy()), CLOSE_TIMEOUT_MS);
      await pool.end();
      clearTimeout(deadline);
    },
  };
}

/** Sends together what is written before Node returns to its event loop: a system call costs more than a statement's bytes. */
function coalescing(socket: Socket): Socket {
  const write = socket.write.bind(socket) as (...parts: unknown[]) => boolean;
  socket.write = (...parts: unknown[]) => {
    if (socket.writableCorked === 0) {
      socket.cork();
      process.nextTick(() => socket.uncork());
    }
    return write(...parts);
  };
  return socket;
}

async function inTransaction<T>(
  pool: Pool,
  work: (db: Transaction) => Promise<T>,
  { statementTimeoutMs = STATEMENT_TIMEOUT_MS }: TransactionOptions,
): Promise<T> {
  const client = await reach(() => pool.connect());
  const db = queries(client, statementTimeoutMs);
  const sent: Promise<unknown>[] = [];
  // The first statement that failed says why. Those sent after it fail only because the transaction has.
  let failure: { readonly error: unknown } | undefined;
  function send(statement: Promise<unknown>): void {
    statement.catch((error: unknown) => (failure ??= { error }));
    sent.push(statement);
  }
  let broken: Error | undefined;
  try {
    // The server gives up as well: nobody else waits for the locks of a network that is gone. Not as options of the connection,
    // which poolers refuse.
    send(
      db.exec(
        `BEGIN; SET LOCAL statement_timeout = ${statementTimeoutMs}; SET LOCAL idle_in_transaction_session_timeout = ${STATEMENT_TIMEOUT_MS}`,
      ),
    );
    const result = await work({ ...db, send: (sql, params) => send(db.hot(sql, params)) });
    const commit = reach(() => client.query('COMMIT'));
    send(commit);
    await Promise.all(sent);
    // After a failed statement a COMMIT rolls back, and reports success.
    if ((await commit).command !== 'COMMIT') throw new Error('The transaction was rolled back.');
    return result;
  } catch (thrown) {
    await Promise.allSettled(sent);
    const error = failure?.error ?? thrown;
    // Ending the connection rolls back too, without waiting for a server that may not reply.
    if (error instanceof DatabaseUnavailableError) broken = error;
    else
      await client.query('ROLLBACK').catch((cause: unknown) => {
        broken = cause instanceof Error ? cause : new Error('the connection is lost');
      });
    throw error;
  } finally {
    client.release(broken);
  }
}

const names = new Map<string, string>();

/** The name under which a server stores the plan of a statement. There are some hundreds at most: hot texts are constant but for their number of rows. */
function nameOf(text: string): string {
  const name = names.get(text) ?? `hot${names.size}`;
  names.set(text, name);
  return name;
}

/** The driver knows a timeout per statement; its types do not. */
type Statement = QueryConfig<unknown[]> & { readonly query_timeout: number };

function queries(on: Pool | ClientBase, query_timeout = STATEMENT_TIMEOUT_MS): Queries {
  const run = (statement: Omit<Statement, 'query_timeout'>): Promise<QueryResult> => {
    const timed: Statement = { ...statement, query_timeout };
    return reach(() => on.query(timed));
  };
  return {
    kind: 'postgres',
    async query<Row>(text: string, params: readonly Parameter[] = []): Promise<Row[]> {
      return (await run({ text, values: [...params] })).rows as Row[];
    },
    async hot<Row>(text: string, params: readonly Parameter[] = []): Promise<Row[]> {
      return (await run({ name: nameOf(text), text, values: [...params] })).rows as Row[];
    },
    async exec(text) {
      await run({ text });
    },
  };
}
