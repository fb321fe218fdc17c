import { Pool, types, type ClientBase } from 'pg';
import type { Database, Parameter, Queries } from './database.ts';
import { retry } from './retry.ts';
import { reach } from './DatabaseUnavailableError.ts';
import { readInt8, readText, TYPE } from './values.ts';

const parsers = new Map<number, (text: string) => unknown>([
  [TYPE.int8, readInt8],
  [TYPE.numeric, readText],
  [TYPE.date, readText],
]);

/** Milliseconds to wait for a connection; then the caller gets a 503. */
const CONNECT_TIMEOUT_MS = 5_000;

/** Opens a pool of connections to a PostgreSQL server (15 or newer). */
export function openPostgres(url: string, options: { connections?: number } = {}): Database {
  const pool = new Pool({
    connectionString: url,
    max: options.connections ?? 8,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
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
    transaction: (work) => retry(() => inTransaction(pool, work)),
    close: () => pool.end(),
  };
}

async function inTransaction<T>(pool: Pool, work: (db: Queries) => Promise<T>): Promise<T> {
  const client = await reach(() => pool.connect());
  let broken: Error | undefined;
  try {
    await reach(() => client.query('BEGIN'));
    const result = await work(queries(client));
    await reach(() => client.query('COMMIT'));
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((cause: unknown) => {
      broken = cause instanceof Error ? cause : new Error('the connection is lost');
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

const names = new Map<string, string>();

/** The name under which a server stores the plan of a statement. There are a few dozen, because only constant texts are hot. */
function nameOf(text: string): string {
  const name = names.get(text) ?? `hot${names.size}`;
  names.set(text, name);
  return name;
}

function queries(on: Pool | ClientBase): Queries {
  return {
    kind: 'postgres',
    async query<Row>(sql: string, params: readonly Parameter[] = []): Promise<Row[]> {
      return (await reach(() => on.query(sql, [...params]))).rows as Row[];
    },
    async hot<Row>(text: string, params: readonly Parameter[] = []): Promise<Row[]> {
      return (await reach(() => on.query({ name: nameOf(text), text, values: [...params] }))).rows as Row[];
    },
    async exec(sql) {
      await reach(() => on.query(sql));
    },
  };
}
