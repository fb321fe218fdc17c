import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Database, Parameter, Queries } from '../../../src/network/database/database.ts';
import { createSchema, REFERENCE_TABLES, SHARDED_TABLES } from '../../../src/network/database/schema.ts';

/** A database that has an extension or not, and records its statements. */
function recording(extension?: string): { db: Database; said: string[] } {
  const said: string[] = [];
  async function query<Row>(sql: string, params: readonly Parameter[] = []): Promise<Row[]> {
    if (sql.includes('pg_extension')) return (sql.includes(`'${extension}'`) ? [{ present: 1 }] : []) as Row[];
    if (sql.includes('pg_dist_local_group')) return [{ groupid: 0 }] as Row[];
    said.push([sql, ...params].join(' | '));
    return [];
  }
  const queries: Queries = {
    kind: 'postgres',
    query,
    hot: query,
    async exec(sql) {
      said.push(sql);
    },
  };
  return {
    said,
    db: {
      ...queries,
      read: (work) => work(queries),
      transaction: (work) => work({ ...queries, send: () => undefined }),
      close: async () => undefined,
    },
  };
}

test('with citus, every table is distributed by publisher or copied to each node once, after it was made', async () => {
  const { db, said } = recording('citus');
  expect(await createSchema(db)).toBe(true);
  const distributed = said.filter((line) => line.includes('create_'));
  const [first] = SHARDED_TABLES;
  expect(distributed.toSorted()).toEqual(
    [
      ...['schema_versions', ...REFERENCE_TABLES].map((table) => `SELECT create_reference_table($1) | ${table}`),
      ...SHARDED_TABLES.map((table) =>
        table === first
          ? `SELECT create_distributed_table($1, 'publisher_id') | ${table}`
          : `SELECT create_distributed_table($1, 'publisher_id', colocate_with => $2) | ${table} | ${first}`,
      ),
    ].toSorted(),
  );
  expect(readFileSync('docs/operators/scale.md', 'utf8')).toContain(
    `for ${SHARDED_TABLES.map((table) => `\`${table}\``)
      .join(', ')
      .replace(/, (?=\S+$)/, ' and ')}, by \`publisher_id\``,
  );
  for (const table of [...SHARDED_TABLES, ...REFERENCE_TABLES]) {
    const made = said.findIndex((line) => line.includes(`CREATE TABLE ${table} (`));
    const spread = said.findIndex((line) => line.includes('create_') && line.split(' | ')[1] === table);
    expect(made >= 0 && made < spread, table).toBe(true);
  }
});

test('without citus nothing is distributed', async () => {
  const { db, said } = recording();
  await createSchema(db);
  expect(said.filter((line) => line.includes('create_'))).toEqual([]);
});
