import { PGlite, type Transaction } from '@electric-sql/pglite';
import type { Database, Parameter, Queries } from './database.ts';
import { retry } from './retry.ts';
import { readInt8, readText, TYPE } from './values.ts';

const parsers = { [TYPE.int8]: readInt8, [TYPE.numeric]: readText, [TYPE.date]: readText };

/** The embedded database in a directory, or in memory without one. */
export async function openPglite(directory?: string): Promise<Database> {
  const pglite = await PGlite.create(directory === undefined ? 'memory://' : directory, { parsers });
  const db = queries(pglite);
  return {
    kind: 'pglite',
    query: (sql, params) => retry(() => db.query(sql, params)),
    exec: (sql) => retry(() => db.exec(sql)),
    transaction: (work) => retry(() => pglite.transaction((transaction) => work(queries(transaction)))),
    close: () => pglite.close(),
  };
}

function queries(on: PGlite | Transaction): Queries {
  return {
    kind: 'pglite',
    async query<Row>(sql: string, params: readonly Parameter[] = []): Promise<Row[]> {
      return (await on.query<Row>(sql, [...params])).rows;
    },
    async exec(sql) {
      await on.exec(sql);
    },
  };
}
