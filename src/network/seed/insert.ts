import type { Queries } from '../database/database.ts';

/** Rows in one statement: few round trips, and the JSON text stays below a few megabytes. */
const CHUNK = 5_000;

/** Inserts many rows at once: as one JSON text for each few thousand, the fastest way into PGlite (a list of values takes twice as long). */
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
