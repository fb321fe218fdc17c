/** One value of a parameter: lists and objects go in as JSON text. */
export type Parameter = unknown;

/** What runs statements: the database itself, or one transaction of it. */
export interface Queries {
  readonly kind: 'pglite' | 'postgres';
  /** The rows of one statement. int8 comes back as a number, numeric and date as text, timestamptz as a Date, json as its value. */
  query<Row = Record<string, unknown>>(sql: string, params?: readonly Parameter[]): Promise<Row[]>;
  /** The same for one of the few statements that are sent all the time: a server plans it once for each connection. */
  hot<Row = Record<string, unknown>>(sql: string, params?: readonly Parameter[]): Promise<Row[]>;
  /** Runs any number of statements that take no parameters. */
  exec(sql: string): Promise<void>;
}

/** A PostgreSQL database, embedded or served: the same SQL, the same values either way. */
export interface Database extends Queries {
  /** Runs the work in one transaction, again from the start when the database asks for that. The work must have no other effects. */
  transaction<T>(work: (db: Queries) => Promise<T>): Promise<T>;
  /** Ends when the last statement has. */
  close(): Promise<void>;
}
