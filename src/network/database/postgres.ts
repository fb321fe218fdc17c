import type { ClientBase, QueryConfig, QueryResult } from 'pg';
import {
  type Database,
  type Parameter,
  type NodeChoice,
  type Queries,
  type Transaction,
  type TransactionOptions,
  DatabaseUnavailableError,
  reach,
  createLater,
  retry,
} from './database.ts';
import { findDegraded } from './citus.ts';
import { openNodes, SILENT_MS } from './postgresNodes.ts';

/** Milliseconds for one statement; then its connection is closed, and the caller gets a 503. A server that is stopped accepts statements and never replies. */
const STATEMENT_TIMEOUT_MS = 15_000;

/** Milliseconds for a server to report that a statement has taken too long. One that does not even do that is silent. */
const REPLY_MS = 1_000;

/**
 * The most connections of a process to each of so many nodes: 8 to a single server, and 16 together to several, at least 2 each.
 * Nodes connect to each other as well, one for one at most: see docs/operators/scale.md#connections.
 */
export function connectionsFor(nodes: number): number {
  return nodes === 1 ? 8 : Math.max(2, Math.ceil(16 / nodes));
}

/** How to open a PostgreSQL database. */
export interface PostgresOptions {
  /** The most connections to each node. */
  readonly connections?: number;
  /** Milliseconds that a statement may take outside of a transaction. */
  readonly statementTimeoutMs?: number;
}

/** A database on a server, or on several nodes. */
export interface PostgresDatabase extends Database {
  /** Throws an error if two nodes that can be reached are not one database, or behind a pooler that is too old. The others are checked when they come. */
  checkNodes(): Promise<void>;
}

/** Opens a PostgreSQL database (15 or newer): a server, or the nodes of a distributed one. */
export function openPostgres(urls: string | readonly string[], options: PostgresOptions = {}): PostgresDatabase {
  const list = typeof urls === 'string' ? [urls] : urls;
  const { connections = connectionsFor(list.length), statementTimeoutMs = STATEMENT_TIMEOUT_MS } = options;
  const nodes = openNodes(list, {
    connections,
    statementTimeoutMs,
  });
  async function run<T>(work: (db: Queries) => Promise<T>, choice: NodeChoice = {}): Promise<T> {
    const tries = choice.isAnywhere === true ? nodes.count() : 1;
    const timeout = tries === 1 ? statementTimeoutMs : SILENT_MS;
    for (let left = tries; ; left -= 1)
      try {
        return await retry(() => nodes.use((client) => work(queries(client, timeout)), choice));
      } catch (error) {
        if (!(error instanceof DatabaseUnavailableError) || left <= 1) throw error;
      }
  }
  const db: PostgresDatabase = {
    kind: 'postgres',
    query: (sql, params) => run((on) => on.query(sql, params)),
    hot: (sql, params, choice) => run((on) => on.hot(sql, params), choice),
    exec: (sql) => run((on) => on.exec(sql)),
    transaction: (work, rules = {}) => retry(() => nodes.use((client) => inTransaction(client, work, rules), rules)),
    findDegraded: () => findDegraded(db, nodes.away()),
    checkNodes: () => nodes.check(),
    close: () => nodes.close(),
  };
  return db;
}

async function inTransaction<T>(
  client: ClientBase,
  work: (db: Transaction) => Promise<T>,
  { statementTimeoutMs = STATEMENT_TIMEOUT_MS }: TransactionOptions,
): Promise<T> {
  const db = queries(client, statementTimeoutMs + REPLY_MS);
  const sent: Promise<unknown>[] = [];
  // The first statement that failed says why. Those sent after it fail only because the transaction has.
  let failure: { readonly error: unknown } | undefined;
  const later = createLater();
  function send(statement: Promise<unknown>): void {
    statement.catch((error: unknown) => (failure ??= { error }));
    sent.push(statement);
  }
  try {
    // The server gives up as well: nobody else waits for the locks of a network that is gone. Not as options of the connection,
    // which poolers refuse.
    send(
      db.exec(
        `BEGIN; SET LOCAL statement_timeout = ${statementTimeoutMs}; SET LOCAL idle_in_transaction_session_timeout = ${STATEMENT_TIMEOUT_MS}`,
      ),
    );
    const result = await work({
      ...db,
      send: (sql, params) => send(db.hot(sql, params)),
      afterCommit: <Row>(sql: string, params?: readonly Parameter[]) => later.add(() => db.hot<Row>(sql, params)),
    });
    const commit = reach(() => client.query('COMMIT'));
    send(commit);
    later.run();
    await Promise.all(sent);
    // After a failed statement a COMMIT rolls back, and reports success.
    if ((await commit).command !== 'COMMIT') throw new Error('The transaction was rolled back.');
    await later.settled();
    return result;
  } catch (thrown) {
    await Promise.allSettled(sent);
    const error = failure?.error ?? thrown;
    later.fail(error);
    // Where the database is unavailable, the connection is ended. That rolls back too, without waiting for a server that may not reply.
    if (!(error instanceof DatabaseUnavailableError)) await reach(() => client.query('ROLLBACK'));
    throw error;
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
      return (await run({ name: nameOf(text), text, values: [...params] })).rows as Row[];
    },
    async exec(text) {
      await run({ text });
    },
  };
}
