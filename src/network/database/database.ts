import { setTimeout as pause } from 'node:timers/promises';
import { own } from '../../wire/json.ts';

/** The value of one parameter. Pass lists and objects as JSON text. */
export type Parameter = unknown;

/** Runs statements: on the database itself, or in one transaction. */
export interface Queries {
  readonly kind: 'pglite' | 'postgres';
  /** Returns the rows of one statement: int8 as a number, numeric and date as text, timestamptz as a Date, json as its value. */
  query<Row = Record<string, unknown>>(sql: string, params?: readonly Parameter[]): Promise<Row[]>;
  /** The same for the few statements that are sent all the time: a server plans each once per connection. */
  hot<Row = Record<string, unknown>>(sql: string, params?: readonly Parameter[]): Promise<Row[]>;
  /** Runs any number of statements without parameters. */
  exec(sql: string): Promise<void>;
}

/** The statements of one transaction. */
export interface Transaction extends Queries {
  /**
   * Sends a statement without waiting for it; its rows are dropped. If it fails, so does the transaction. A server gets it
   * together with the next statement, or with the COMMIT: one round trip for all of them.
   */
  send(sql: string, params?: readonly Parameter[]): void;
}

/** How a transaction runs. */
export interface TransactionOptions {
  /** Milliseconds that a statement may take, where the default of a server's is too short. */
  readonly statementTimeoutMs?: number;
}

/** A PostgreSQL database, embedded or on a server, with the same SQL and the same values. */
export interface Database extends Queries {
  /** Runs `work` in one transaction, again from the start after a conflict. It must have no other effects. */
  transaction<T>(work: (db: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Runs long reads in one transaction where they hold nobody up: a server has separate connections for them, and ends each
   * statement after ten seconds. One that takes longer rejects with a `SlowReadError`.
   */
  read<T>(work: (db: Queries) => Promise<T>): Promise<T>;
  /** Why nothing can be written, where it is known from the start. */
  readonly readOnlyBecause?: string;
  /** How busy the connections of a server are. */
  pools?(): readonly PoolState[];
  /** Closes the database after the statements in progress. */
  close(): Promise<void>;
}

/** The connections of one pool, and what waits for one of them. */
export interface PoolState {
  readonly pool: 'requests' | 'reads';
  readonly busy: number;
  readonly waiting: number;
}

/** The numbers of PostgreSQL types that the two drivers read differently. */
export const TYPE = { int8: 20, date: 1082, numeric: 1700 } as const;

/** Reads an int8 as a number, or as text if a number cannot represent it exactly. */
export function readInt8(text: string): number | string {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : text;
}

/** Leaves exact decimals (`1.50`) and dates (`2025-11-20`) as text. */
export function readText(text: string): string {
  return text;
}

/** The database is unreachable, is shutting down or is out of space. The caller gets a 503 and may try again. */
export class DatabaseUnavailableError extends Error {
  override readonly name: string = 'DatabaseUnavailableError';
  /** A statement took longer than the server lets it. */
  readonly isSlow: boolean;
  constructor(cause: unknown) {
    super(`The database is not available: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.isSlow = own(cause, 'code') === TOO_SLOW;
  }
}

/** The reply to a COMMIT was lost: nobody knows whether the work is done. So the caller gets a 500, not the 503 that says "try again". */
export class UnconfirmedCommitError extends DatabaseUnavailableError {
  override readonly name = 'UnconfirmedCommitError';
}

/** A read took longer than the server lets it. */
export class SlowReadError extends Error {
  override readonly name = 'SlowReadError';
}

/** SQLSTATE of a statement that has taken too long. */
const TOO_SLOW = '57014';
/** SQLSTATE of a write on a standby, which a failover has just made of the primary or will make into one. */
const READ_ONLY = '25006';
/** SQLSTATE classes of errors in the statement; any other error means that the database is unavailable. */
const OF_THE_STATEMENT = /^(?:0A|2[0-9A-Z]|3[0-9A-Z]|40|42|44|P0)/;

/** Returns the result of a call to a driver. Errors that are not about the statement become a `DatabaseUnavailableError`. */
export async function reach<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw isOfTheStatement(error) ? error : new DatabaseUnavailableError(error);
  }
}

function isOfTheStatement(error: unknown): boolean {
  const code = sqlState(error);
  return code.length === 5 && code !== READ_ONLY && OF_THE_STATEMENT.test(code);
}

function sqlState(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

/** Serialization failure and deadlock: the work can safely run again. */
const CONFLICT_CODES = new Set(['40001', '40P01']);
/** Maximum attempts. Ten writers that compete for one row need fewer. */
const MAX_TRIES = 10;

/** Whether the database requires that the same work runs again. */
function isConflict(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && CONFLICT_CODES.has(String(error.code));
}

/** Runs `work`, and again after a serialization failure or a deadlock; returns its result. */
export async function retry<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isConflict(error) || tries === MAX_TRIES) throw error;
      await pause(Math.random() * 5 * 2 ** Math.min(tries, 6));
    }
  }
}

/** A statement and its parameters. */
export type SqlStatement = readonly [sql: string, params: readonly Parameter[]];

/** The most rows of one statement. A server stores a plan for each number of rows, and longer ones hardly cost less per row. */
const MAX_ROWS = 40;

/**
 * Builds the INSERT statements of any number of one publisher's rows, which therefore touch one shard: every row shares
 * `$1`, the publisher_id. The rows are VALUES: a distributed PostgreSQL cannot route a SELECT, and for a few rows they are
 * the fastest form on every other as well. Rows in one fixed order keep concurrent writers from deadlocking.
 */
export function insertRows(options: {
  /** The table, with an alias if `suffix` needs one. */
  readonly into: string;
  /** The columns after publisher_id. */
  readonly columns: readonly string[];
  /** What follows the rows: ON CONFLICT and RETURNING. */
  readonly suffix?: string;
}): (publisherId: string, rows: readonly (readonly Parameter[])[]) => SqlStatement[] {
  const { into, columns, suffix = '' } = options;
  // One text per number of rows, so that the server knows the statement again.
  const texts: string[] = [];
  const textFor = (count: number): string => {
    const rows = Array.from({ length: count }, (_, row) => {
      const places = columns.map((_column, index) => `$${row * columns.length + index + 2}`);
      return `($1, ${places.join(', ')})`;
    });
    return `INSERT INTO ${into} (publisher_id, ${columns.join(', ')}) VALUES ${rows.join(', ')} ${suffix}`;
  };
  return (publisherId, rows) => {
    const statements: SqlStatement[] = [];
    for (let start = 0; start < rows.length; start += MAX_ROWS) {
      const some = rows.slice(start, start + MAX_ROWS);
      statements.push([(texts[some.length] ??= textFor(some.length)), [publisherId, ...some.flat()]]);
    }
    return statements;
  };
}

/** Sends statements of the core path together, in this order; returns the rows of all of them. */
export async function hotEach<Row>(db: Queries, statements: readonly SqlStatement[]): Promise<Row[]> {
  return (await Promise.all(statements.map(([sql, params]) => db.hot<Row>(sql, params)))).flat();
}
