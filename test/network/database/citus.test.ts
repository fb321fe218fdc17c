import { expect, test } from 'vitest';
import type { Database, Parameter, Queries } from '../../../src/network/database/database.ts';
import { migrate } from '../../../src/network/database/migrate.ts';
import { MIGRATIONS } from '../../../src/network/database/migrations.ts';
import { REFERENCE_TABLES, SHARDED_TABLES } from '../../../src/network/database/tables.ts';
import { INGEST } from '../../../src/network/ingest/ingestStatement.ts';

/** A database that has an extension or not, and writes down what it is told. */
function recording(extension?: string): { db: Database; said: string[] } {
  const said: string[] = [];
  async function query<Row>(sql: string, params: readonly Parameter[] = []): Promise<Row[]> {
    if (sql.includes('pg_extension')) return (sql.includes(`'${extension}'`) ? [{ present: 1 }] : []) as Row[];
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
  return { said, db: { ...queries, transaction: (work) => work(queries), close: async () => undefined } };
}

test('with citus, every table is distributed by publisher or copied to each node before it is filled', async () => {
  const { db, said } = recording('citus');
  expect(await migrate(db)).toBe(MIGRATIONS.length);
  const distributed = said.filter((line) => line.includes('create_'));
  const [first] = SHARDED_TABLES;
  expect(distributed.toSorted()).toEqual(
    [
      ...REFERENCE_TABLES.map((table) => `SELECT create_reference_table($1) | ${table}`),
      ...SHARDED_TABLES.map((table) =>
        table === first
          ? `SELECT create_distributed_table($1, 'publisher_id') | ${table}`
          : `SELECT create_distributed_table($1, 'publisher_id', colocate_with => $2) | ${table} | ${first}`,
      ),
    ].toSorted(),
  );
  for (const table of [...SHARDED_TABLES, ...REFERENCE_TABLES]) {
    const made = said.findIndex((line) => line.includes(`CREATE TABLE ${table} (`));
    const spread = said.findIndex((line) => line.includes('create_') && line.split(' | ')[1] === table);
    const filled = said.findIndex((line) => line.includes(`INSERT INTO ${table} `));
    expect(made >= 0 && made < spread && (filled < 0 || spread < filled), table).toBe(true);
  }
});

test('without citus nothing is distributed', async () => {
  const { db, said } = recording();
  await migrate(db);
  expect(said.filter((line) => line.includes('create_'))).toEqual([]);
});

test('the ingest statement uses only what a distributed PostgreSQL supports', () => {
  const targets = [...INGEST.matchAll(/ON CONFLICT \(([^)]+)\)/g)].map(([, columns]) => columns ?? '');
  expect(targets.length).toBe(5);
  for (const columns of targets) expect(columns.split(', ')[0]).toBe('publisher_id');
  const returned = [...INGEST.matchAll(/RETURNING ([^\n]+)/g)].map(([, columns]) => columns ?? '');
  expect(returned.length).toBe(3);
  for (const columns of returned) expect(columns).toMatch(/^\w+(, \w+)*$/);
  expect(INGEST).not.toMatch(/date_trunc|now\(\)|random\(\)|gen_random_uuid|REFERENCES/i);
});
