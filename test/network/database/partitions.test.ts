import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createNetwork, partitionEvents, type Network } from '../../../src/network.ts';
import { openPostgres } from '../../../src/network/database/postgres.ts';
import type { Database } from '../../../src/network/database/database.ts';
import { CITUS_NODES, DATABASE_KINDS, startPostgres } from '../databases.ts';
import { event, NOW, testNetworkOf, type Shown } from '../testNetwork.ts';
import { ofSuite } from '../../fixtures/opened.ts';

// `offerlet network partitions`, on a database that a network uses.

describe.runIf(DATABASE_KINDS.includes('postgres'))('events that are partitioned by time', () => {
  const cluster = ofSuite(startPostgres);
  let databaseUrl: string;
  let db: Database;
  let network: Network;
  let world: ReturnType<typeof testNetworkOf>;
  beforeAll(async () => {
    databaseUrl = await cluster.freshUrl();
    db = openPostgres(databaseUrl, { connections: 1 });
    network = await createNetwork({ databaseUrl, seed: 'empty', now: NOW, log: () => undefined });
    world = testNetworkOf(network);
    await world.offer();
  });
  afterAll(async () => {
    await network?.close();
    await db?.close();
  });

  async function sendFrom(time: string): Promise<{ session: Shown; sent: Record<string, unknown>[] }> {
    await world.control('POST', '/sandbox/clock', { now: time });
    const session = await world.session();
    const sent = ['BRAND_CLICK', 'CONVERSION'].map((name) => event(name, session, { event_datetime: time }));
    expect((await world.batch(sent)).status).toBe(202);
    return { session, sent };
  }
  async function partition(now: string, parts: { keepMonths?: number; isDryRun?: boolean } = {}): Promise<string[]> {
    const planned: string[] = [];
    const done: string[] = [];
    await partitionEvents({
      databaseUrl,
      isDryRun: false,
      now: new Date(now),
      onPlan: (steps) => void planned.push(...steps.map(({ what, table }) => `${what} ${table}`)),
      async onStep({ what, table }, run) {
        await run();
        done.push(`${what} ${table}`);
      },
      ...parts,
    });
    if (parts.isDryRun !== true) expect(done).toEqual(planned);
    return planned;
  }
  const rowsOf = async (table: string): Promise<number> =>
    Number((await db.query(`SELECT count(*) AS n FROM ${table}`))[0]?.['n']);

  test('are stored, recognized and detached by month, and no report changes', async () => {
    const before = await sendFrom('2025-11-05T10:00:00Z');
    const first = ['split events_before', 'create events_2026_01'];
    expect(await partition(NOW, { isDryRun: true })).toEqual(first);
    expect(await partition(NOW)).toEqual(first);
    expect(await partition(NOW, { keepMonths: 2 })).toEqual([]);
    expect(await rowsOf('events')).toBe(2);
    const november = await sendFrom('2025-11-20T10:30:00Z');
    // Sent again, each is a duplicate in whichever part it lies.
    for (const { sent } of [before, november]) expect((await world.batch(sent)).status).toBe(202);
    const january = await sendFrom('2026-01-02T10:00:00Z');
    expect((await world.batch(january.sent)).status).toBe(202);
    expect([await rowsOf('events_before'), await rowsOf('events_2026_01'), await rowsOf('events')]).toEqual([4, 2, 6]);
    const summary = (): Promise<unknown> =>
      world.summary({ from: '2025-11-01', to: '2026-01-02', metrics: 'clicks,conversions,attributed_ad_spend_amount' });
    const all = { clicks: 3, conversions: 3, attributed_ad_spend_amount: 7.5 };
    expect(await summary()).toEqual(all);
    // What was there before the first month is older than what is kept once that month is.
    expect(await partition('2026-02-28T00:00:00Z', { keepMonths: 2 })).toEqual([
      'create events_2026_02',
      'create events_2026_03',
      'create events_2026_04',
    ]);
    expect(await partition('2026-03-01T00:00:00Z', { keepMonths: 2 })).toEqual([
      'create events_2026_05',
      'detach events_before',
    ]);
    expect([await rowsOf('events'), await rowsOf('events_before')]).toEqual([2, 4]);
    expect(await summary()).toEqual(all);
  });

  test('a run after missed months creates no partition that it would detach, unless events are in it', async () => {
    const september = await sendFrom('2026-09-02T10:00:00Z');
    await sendFrom('2026-07-02T10:00:00Z');
    expect(await rowsOf('events_other')).toBe(4);
    expect(await partition('2026-10-15T00:00:00Z', { keepMonths: 2 })).toEqual([
      ...['01', '02', '03', '04', '05'].map((month) => `detach events_2026_${month}`),
      'create events_2026_07',
      'detach events_2026_07',
      'create events_2026_08',
      'create events_2026_09',
      'create events_2026_10',
      'create events_2026_11',
      'create events_2026_12',
    ]);
    expect([await rowsOf('events_other'), await rowsOf('events_2026_07'), await rowsOf('events')]).toEqual([0, 2, 2]);
    // Its events are recognized as before.
    await world.batch(september.sent);
    expect(await rowsOf('events_2026_09')).toBe(2);
    expect(await partition('2026-10-15T00:00:00Z', { keepMonths: 2 })).toEqual([]);
  });

  test('a new month makes PostgreSQL read nothing but the default partition, which is empty', async () => {
    const other = await cluster.freshUrl();
    const fresh = await createNetwork({ databaseUrl: other, seed: 'empty', now: NOW, log: () => undefined });
    const steps: string[] = [];
    await partitionEvents({
      databaseUrl: other,
      isDryRun: false,
      now: new Date(NOW),
      onPlan: () => undefined,
      onStep: (step, run) => run().finally(() => steps.push(step.table)),
    });
    expect(steps).toEqual(['events_before', 'events_2026_01']);
    const there = openPostgres(other, { connections: 1 });
    const rows = await there.query(
      `SELECT relname::text AS name, pg_get_expr(relpartbound, oid) AS bound FROM pg_class WHERE relispartition AND relkind = 'r' ORDER BY 1`,
    );
    expect(rows).toMatchObject([
      { name: 'events_2026_01' },
      { name: 'events_before', bound: expect.stringMatching(/^FOR VALUES FROM \(MINVALUE\) TO \('019b/) },
      { name: 'events_other', bound: 'DEFAULT' },
    ]);
    expect(await there.query("SELECT conname FROM pg_constraint WHERE conname = 'events_before_range'")).toEqual([]);
    await there.close();
    await fresh.close();
  });

  // On a cluster, the time to wait for a lock applies to the coordinator only.
  test.skipIf(CITUS_NODES.length > 0)(
    'two runs at once both succeed, and neither makes a writer wait for a long transaction such as a pg_dump',
    async () => {
      const locked = 'SELECT 1 AS yes FROM pg_locks WHERE NOT granted AND relation IS NOT NULL';
      const dump = openPostgres(databaseUrl, { connections: 1 });
      let runs: Promise<string[][]> | undefined;
      await dump.transaction(async (reading) => {
        await reading.query('SELECT count(*) FROM events');
        runs = Promise.all([partition('2027-01-15T00:00:00Z'), partition('2027-01-15T00:00:00Z')]);
        while ((await db.query(locked)).length === 0) await pause(10);
        await sendFrom('2026-12-20T10:00:00Z');
      });
      await dump.close();
      expect(await runs).toEqual([
        ['create events_2027_01', 'create events_2027_02', 'create events_2027_03'],
        ['create events_2027_01', 'create events_2027_02', 'create events_2027_03'],
      ]);
      expect(await partition('2027-01-15T00:00:00Z')).toEqual([]);
    },
  );
});
