import { beforeAll, describe, expect, test } from 'vitest';
import { ofSuite } from '../../fixtures/opened.ts';
import { createNetwork } from '../../../src/network.ts';
import {
  type Database,
  DatabaseUnavailableError,
  type Queries,
  reach,
} from '../../../src/network/database/database.ts';
import { openPostgres } from '../../../src/network/database/postgres.ts';
import { createSchema, MIGRATIONS, REFERENCE_TABLES, SHARDED_TABLES } from '../../../src/network/database/schema.ts';
import { CITUS_NODES, DATABASE_KINDS, openTestDatabase, startPostgres } from '../databases.ts';
import { event, testNetworkOf } from '../testNetwork.ts';

test.each(['53100', '53200', '57P01', '08006', 'ECONNREFUSED', ''])(
  'a failure of the database itself (%s) is told apart from one of the statement',
  async (code) => {
    const failing = reach(() => Promise.reject(Object.assign(new Error('could not extend file'), { code })));
    await expect(failing).rejects.toBeInstanceOf(DatabaseUnavailableError);
    const wrong = reach(() => Promise.reject(Object.assign(new Error('duplicate key'), { code: '23505' })));
    await expect(wrong).rejects.not.toBeInstanceOf(DatabaseUnavailableError);
  },
);

/** Two that meet go on together; who comes later does not wait. */
function createMeeting(): { meet(): Promise<void> } {
  let waiting = 2;
  let goOn: () => void;
  const met = new Promise<void>((resolve) => (goOn = resolve));
  return {
    meet() {
      waiting -= 1;
      if (waiting === 0) goOn();
      return met;
    },
  };
}

describe.runIf(DATABASE_KINDS.includes('postgres'))('PostgreSQL under load, and gone', () => {
  const cluster = ofSuite(startPostgres);

  test('transactions that deadlock or conflict all complete, and none is lost', async () => {
    const db = openPostgres(await cluster.freshUrl());
    await db.exec(
      'CREATE TABLE counters (id integer PRIMARY KEY, n integer NOT NULL); INSERT INTO counters VALUES (1, 0), (2, 0)',
    );
    const add = (transaction: Queries, id: number): Promise<unknown> =>
      transaction.query('UPDATE counters SET n = n + 1 WHERE id = $1', [id]);
    let runs = 0;
    const deadlock = createMeeting();
    const crosswise = ([first, second]: readonly [number, number]): Promise<void> =>
      db.transaction(async (transaction) => {
        runs += 1;
        await add(transaction, first);
        await deadlock.meet();
        await add(transaction, second);
      });
    await Promise.all([crosswise([1, 2]), crosswise([2, 1])]);
    expect(runs).toBe(3);
    const conflict = createMeeting();
    const serially = (): Promise<void> =>
      db.transaction(async (transaction) => {
        runs += 1;
        await transaction.exec('SET TRANSACTION ISOLATION LEVEL SERIALIZABLE');
        await transaction.query('SELECT n FROM counters');
        await conflict.meet();
        for (const id of [1, 2]) await add(transaction, id);
      });
    await Promise.all([serially(), serially()]);
    expect(runs).toBe(6);
    expect(await db.query('SELECT n FROM counters ORDER BY id')).toEqual([{ n: 4 }, { n: 4 }]);
    await db.close();
  });

  test('a hot statement is planned once, and again when its table or its connection changes', async () => {
    const db = openPostgres(await cluster.freshUrl(), { connections: 1 });
    const planned = (): Promise<unknown[]> =>
      db.query("SELECT 1 AS yes FROM pg_prepared_statements WHERE name LIKE 'hot%'");
    await db.exec('CREATE TABLE kept (id integer PRIMARY KEY, n integer); INSERT INTO kept VALUES (1, 10), (2, 20)');
    const read = (id: number): Promise<unknown[]> => db.hot('SELECT n FROM kept WHERE id = $1', [id]);
    for (const id of [1, 2, 1, 2, 1, 2, 1]) expect(await read(id)).toEqual([{ n: id * 10 }]);
    expect(await planned()).toHaveLength(1);
    await db.exec(
      'ALTER TABLE kept ADD COLUMN m integer; DROP INDEX IF EXISTS kept_n; CREATE INDEX kept_n ON kept (n)',
    );
    expect(await read(2)).toEqual([{ n: 20 }]);
    await db.exec('TRUNCATE kept');
    expect(await read(2)).toEqual([]);
    await db.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
    // The end of the connection may be noticed by the next statement only.
    await expect.poll(() => read(2).catch(String)).toEqual([]);
    await db.close();
  });

  // A citus cluster is not the tests' to stop.
  test.runIf(CITUS_NODES.length === 0)(
    'a server that stops is a 503, never a 202, and does not end the process',
    async () => {
      const network = await createNetwork({
        databaseUrl: await cluster.freshUrl(),
        seed: 'empty',
        log: () => undefined,
      });
      const world = testNetworkOf(network);
      await world.offer();
      const session = await world.session();
      const load = event('WIDGET_LOAD', session, { event_datetime: new Date().toISOString() });
      expect((await world.batch([load])).status).toBe(202);
      await cluster.stop();
      expect([(await world.batch([load])).status, (await world.call('GET', '/health')).status]).toEqual([503, 503]);
      await network.close();
    },
  );
});

describe.each(DATABASE_KINDS)('the database on %s', (kind) => {
  let db: Database;
  const open = ofSuite(() => openTestDatabase(kind));
  beforeAll(() => void ({ db } = open));

  test('both drivers return the same values', async () => {
    const [row] = await db.query(
      `SELECT 5::int8 AS small, sum(x) AS total, 9007199254740993::int8 AS big, 1.50::numeric AS money, date '2025-11-20' AS day,
         timestamptz '2025-11-20T10:00:00Z' AS at, $1::jsonb AS json, true AS yes, null AS nothing FROM generate_series(1, 3) x`,
      ['{"a":[1]}'],
    );
    expect(row).toEqual({
      small: 5,
      total: 6,
      big: '9007199254740993',
      money: '1.50',
      day: '2025-11-20',
      at: new Date('2025-11-20T10:00:00Z'),
      json: { a: [1] },
      yes: true,
      nothing: null,
    });
  });

  test('a second start leaves the schema unchanged', async () => {
    expect(await createSchema(db)).toBe(false);
  });

  test('a database is migrated once, and refuses versions that it has left behind', async () => {
    const newer = [...MIGRATIONS, { sql: 'ALTER TABLE settings ADD COLUMN added text', oldest: MIGRATIONS.length + 1 }];
    expect([await createSchema(db, newer), await createSchema(db, newer)]).toEqual([true, false]);
    await expect(createSchema(db)).rejects.toThrow('version 1 of this offerlet cannot run on it');
    await db.query('ALTER TABLE settings DROP COLUMN added');
    await db.query('UPDATE schema_versions SET version = 1');
  });

  test('a failed transaction changes nothing', async () => {
    const work = db.transaction(async (transaction) => {
      await transaction.query("INSERT INTO settings VALUES ('left', '1')");
      throw new Error('stop');
    });
    await expect(work).rejects.toThrow('stop');
    expect(await db.query("SELECT 1 FROM settings WHERE name = 'left'")).toEqual([]);
  });

  test('work runs again after a conflict', async () => {
    let tries = 0;
    const result = await db.transaction(async () => {
      tries += 1;
      if (tries < 3) throw Object.assign(new Error('deadlock detected'), { code: '40P01' });
      return 'done';
    });
    expect({ result, tries }).toEqual({ result: 'done', tries: 3 });
  });

  test('every unique key of a sharded table holds publisher_id', async () => {
    const keys = await db.query<{ table_name: string; definition: string }>(
      `SELECT t.relname AS table_name, pg_get_indexdef(i.indexrelid) AS definition
       FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid JOIN pg_namespace n ON n.oid = t.relnamespace
       WHERE n.nspname = 'public' AND i.indisunique AND t.relname = ANY(string_to_array($1, ','))`,
      [SHARDED_TABLES.join(',')],
    );
    expect(new Set(keys.map((key) => key.table_name))).toEqual(new Set(SHARDED_TABLES));
    for (const key of keys) expect(key.definition, key.table_name).toMatch(/\(.*\bpublisher_id\b.*\)/);
  });

  // The extension brings its own tables and functions.
  test.runIf(CITUS_NODES.length === 0)(
    'no triggers, no functions of our own, no foreign keys, and no table that is neither sharded nor small',
    async () => {
      expect(await db.query('SELECT tgname FROM pg_trigger WHERE NOT tgisinternal')).toEqual([]);
      expect(
        await db.query(
          "SELECT proname FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = 'public'",
        ),
      ).toEqual([]);
      expect(
        await db.query(
          "SELECT conname FROM pg_constraint c JOIN pg_namespace n ON n.oid = c.connamespace WHERE n.nspname = 'public' AND contype = 'f'",
        ),
      ).toEqual([]);
      const tables = await db.query<{ tablename: string }>(
        "SELECT tablename FROM pg_tables WHERE schemaname = 'public'",
      );
      expect(tables.map((table) => table.tablename).sort()).toEqual(
        [...SHARDED_TABLES, ...REFERENCE_TABLES, 'schema_versions'].sort(),
      );
    },
  );
});
