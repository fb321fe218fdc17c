import type { Queries } from '../database/database.ts';

/** Rows per statement: few round trips, with at most a few megabytes of JSON each. */
const CHUNK = 5_000;

/** Inserts many rows as JSON, which is the fastest way into PGlite: a list of values takes twice as long. */
export async function insert(
  db: Queries,
  table: string,
  rows: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}).join(', ');
  for (let start = 0; start < rows.length; start += CHUNK) {
    await db.query(
      `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::${table}, $1::json)`,
      [JSON.stringify(rows.slice(start, start + CHUNK))],
    );
  }
}
