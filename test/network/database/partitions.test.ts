import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createNetwork, type Network } from '../../../src/network.ts';
import { openPostgres } from '../../../src/network/database/postgres.ts';
import type { Database } from '../../../src/network/database/database.ts';
import { CITUS_NODES, DATABASE_KINDS, startPostgres, type Cluster } from '../databases.ts';
import { event, NOW, testNetworkOf, type Shown } from '../testNetwork.ts';

// Runs the SQL of docs/operators/scale.md#retention on a database that a network uses.

const PAGE = readFileSync(new URL('../../../docs/operators/scale.md', import.meta.url), 'utf8');
const [SPLIT = '', NEXT = '', DETACH = '', REPAIR = ''] = [...PAGE.matchAll(/```sql\n([^]*?)```/g)].map(
  ([, sql = '']) => sql,
);

describe.runIf(DATABASE_KINDS.includes('postgres'))('events that are partitioned by time', () => {
  let cluster: Cluster;
  let db: Database;
  let network: Network;
  let world: ReturnType<typeof testNetworkOf>;
  beforeAll(async () => {
    cluster = await startPostgres();
    const databaseUrl = await cluster.freshUrl();
    db = openPostgres(databaseUrl, { connections: 1 });
    network = await createNetwork({ databaseUrl, seed: 'empty', now: NOW, log: () => undefined });
    world = testNetworkOf(network);
    await world.offer();
  }, 60_000);
  afterAll(async () => {
    await network?.close();
    await db?.close();
    await cluster?.stop();
  });

  async function sendFrom(time: string): Promise<{ session: Shown; sent: Record<string, unknown>[] }> {
    await world.control('POST', '/sandbox/clock', { now: time });
    const session = await world.session();
    const sent = ['BRAND_CLICK', 'CONVERSION'].map((name) => event(name, session, { event_datetime: time }));
    expect((await world.batch(sent)).status).toBe(202);
    return { session, sent };
  }
  const run = async (sql: string): Promise<void> => {
    for (const statement of sql.split(';\n')) {
      if (!statement.trim()) continue;
      await db.exec(statement);
      // As the page says.
      const [, created] = /^CREATE TABLE (\w+) \(LIKE/.exec(statement.trim()) ?? [];
      if (created !== undefined && CITUS_NODES.length > 0)
        await db.query("SELECT create_distributed_table($1, 'publisher_id', colocate_with => 'sessions')", [created]);
    }
  };
  const rowsOf = async (table: string): Promise<number> =>
    Number((await db.query(`SELECT count(*) AS n FROM ${table}`))[0]?.['n']);

  test('are stored, recognized and dropped by month, and no report changes', async () => {
    const before = await sendFrom('2025-11-05T10:00:00Z');
    await run(SPLIT);
    expect(await rowsOf('events')).toBe(2);
    const november = await sendFrom('2025-11-20T10:30:00Z');
    await run(NEXT);
    const december = await sendFrom('2025-12-02T10:00:00Z');
    expect(await rowsOf('events_2025_12')).toBe(2);
    expect(await rowsOf('events')).toBe(6);
    const summary = (): Promise<unknown> =>
      world.summary({ from: '2025-11-01', to: '2025-12-02', metrics: 'clicks,conversions,attributed_ad_spend_amount' });
    const all = { clicks: 3, conversions: 3, attributed_ad_spend_amount: 7.5 };
    expect(await summary()).toEqual(all);
    // Sent again, each is a duplicate in whichever part it lies.
    for (const { sent } of [before, november, december]) expect((await world.batch(sent)).status).toBe(202);
    expect(await summary()).toEqual(all);
    await run(DETACH);
    expect(await rowsOf('events')).toBe(2);
    expect(await summary()).toEqual(all);
    await sendFrom('2025-12-03T10:00:00Z');
    // A month without a partition.
    const january = await sendFrom('2026-01-02T10:00:00Z');
    expect(await rowsOf('events_other')).toBe(2);
    const withoutMoving = REPAIR.replace(/WITH moved[^]*?;\n/, '');
    await expect(run(withoutMoving)).rejects.toThrow('would be violated by some row');
    await db.exec('ROLLBACK');
    await run(REPAIR);
    expect([await rowsOf('events_other'), await rowsOf('events_2026_01')]).toEqual([0, 2]);
    // Its events are recognized as before.
    await world.batch(january.sent);
    expect(await rowsOf('events_2026_01')).toBe(2);
  }, 60_000);
});
