import type { Parameter, Queries } from './database.ts';

/** A statement and its parameters. */
export type Statement = readonly [sql: string, params: readonly Parameter[]];

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
}): (publisherId: string, rows: readonly (readonly Parameter[])[]) => Statement[] {
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
    const statements: Statement[] = [];
    for (let start = 0; start < rows.length; start += MAX_ROWS) {
      const some = rows.slice(start, start + MAX_ROWS);
      statements.push([(texts[some.length] ??= textFor(some.length)), [publisherId, ...some.flat()]]);
    }
    return statements;
  };
}

/** Sends statements of the core path together, in this order; returns the rows of all of them. */
export async function hotEach<Row>(db: Queries, statements: readonly Statement[]): Promise<Row[]> {
  return (await Promise.all(statements.map((statement) => db.hot<Row>(...statement)))).flat();
}
