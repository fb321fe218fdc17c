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
  /** Returns the rows of a statement that runs once the transaction is committed; a server gets it together with the COMMIT. */
  afterCommit<Row = Record<string, unknown>>(sql: string, params?: readonly Parameter[]): Promise<Row[]>;
}

/** How a transaction runs. */
export interface TransactionOptions {
  /** Milliseconds that a statement may take, where the default of a server's is too short. */
  readonly statementTimeoutMs?: number;
  /** Whether to run on the one node of a distributed database that may change the schema, if it can be reached. */
  readonly onCoordinator?: boolean;
}

/** A part of the database that cannot be reached. */
export interface Degraded {
  /** The node: host and port, or a URL without its password. */
  readonly node: string;
  /** What does not work meanwhile, as a sentence. */
  readonly effect: string;
}

/** A PostgreSQL database, embedded or on a server, with the same SQL and the same values. */
export interface Database extends Queries {
  /** Runs `work` in one transaction, again from the start after a conflict. It must have no other effects. */
  transaction<T>(work: (db: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** The parts that cannot be reached while the rest can; empty where there are no parts. */
  findDegraded(): Promise<readonly Degraded[]>;
  /** Closes the database after the statements in progress. */
  close(): Promise<void>;
}
