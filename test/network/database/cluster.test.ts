import { describe, expect, test } from 'vitest';
import { ofTest } from '../../fixtures/opened.ts';
import { createNetwork } from '../../../src/network.ts';
import type { Database } from '../../../src/network/database/database.ts';
import { createSchema, SHARDED_TABLES } from '../../../src/network/database/schema.ts';
import { openPostgres } from '../../../src/network/database/postgres.ts';
import { CITUS_NODES, nodeUrl, startPostgres } from '../databases.ts';
import { ask, event, NOW, testNetworkOf, type Body, type Shown } from '../testNetwork.ts';
import { openRecordedNetwork } from './recordedNetwork.ts';

// Scenes on a real citus cluster: npm run test:citus -- URL…, the coordinator first, then at least two workers.

/** Enough that each worker holds some: each is on either with the same probability. */
const PUBLISHERS = 24;

describe.runIf(CITUS_NODES.length > 2)('on a citus cluster', () => {
  const cluster = ofTest(startPostgres);
  // Each database with citus occupies a background worker of each server until it is dropped, and there are 8 by default.

  /** One URL per node for a new database. */
  async function freshNodes(): Promise<string[]> {
    const database = new URL(await cluster.freshUrl()).pathname.slice(1);
    return CITUS_NODES.map((node) => nodeUrl(node, database));
  }

  test('each statement of the core path is one task', async () => {
    const db = openPostgres(await cluster.freshUrl());
    await createSchema(db);
    const { world, said } = await openRecordedNetwork(db);
    said.length = 0;
    const session = await world.session();
    const names = ['WIDGET_LOAD', 'WIDGET_DISPLAY', 'BRAND_DISPLAY', 'BRAND_CLICK', 'CONVERSION'];
    for (const round of [1, 2])
      expect({ round, status: (await world.batch(names.map((name) => event(name, session)))).status }).toEqual({
        round,
        status: 202,
      });
    const sharded = said.filter(({ sql }) => SHARDED_TABLES.some((table) => new RegExp(`\\b${table}\\b`).test(sql)));
    expect(sharded.length).toBeGreaterThan(10);
    for (const { sql, params } of sharded) {
      const plan = await db.query<Record<string, string>>(`EXPLAIN ${sql}`, params);
      const lines = plan.map((line) => line['QUERY PLAN']).join('\n');
      expect(lines, sql).toMatch(/Task Count: 1\b/);
      expect(lines, sql).not.toMatch(/pull to coordinator|Subplan/i);
    }
    await db.close();
  });

  /** A network on all nodes with several publishers, and which of them each worker holds. */
  async function openTenants(): Promise<{
    network: Awaited<ReturnType<typeof createNetwork>>;
    world: ReturnType<typeof testNetworkOf>;
    tenants: { key: string; session: Shown; port: number; shard: number; reportKey: string }[];
    nodes: string[];
    coordinator: Database;
  }> {
    const nodes = await freshNodes();
    const network = await createNetwork({ databaseUrl: nodes[0], seed: 'empty', now: NOW, log: () => undefined });
    const world = testNetworkOf(network);
    const coordinator = openPostgres(nodes[0] ?? '');
    await world.offer();
    const tenants = [];
    for (let n = 0; n < PUBLISHERS; n += 1) {
      const tenant: Body = await world.control('POST', '/sandbox/channels', { name: `Channel ${n}` });
      const [place] = await coordinator.query<{ port: number; shard: number }>(
        `SELECT nodeport AS port, shardid AS shard FROM citus_shards
         WHERE table_name = 'events'::regclass AND shardid = get_shard_id_for_distribution_column('events', $1::uuid)`,
        [tenant.publisher.publisher_remote_id],
      );
      const { body } = await post(world, tenant.keys.integration, '/recommendations', ask());
      tenants.push({
        key: tenant.keys.integration,
        reportKey: tenant.keys.publisher_reporting,
        session: {
          session_id: body.session_id,
          items: body.recommendation_groups.flatMap((group: Body) => group.items),
        },
        port: place?.port ?? 0,
        shard: place?.shard ?? 0,
      });
    }
    return { network, world, tenants, nodes, coordinator };
  }

  const post = (world: ReturnType<typeof testNetworkOf>, key: string, path: string, body: unknown) =>
    world.call('POST', path, { key, body, headers: { version: '1.0.0', 'content-type': 'application/json' } });

  test('a worker that is away costs its own publishers a 503, and nothing is lost', async () => {
    const { network, world, tenants, nodes, coordinator } = await openTenants();
    const [, , lastWorker = ''] = nodes;
    const lost = new URL(lastWorker);
    const send = (tenant: (typeof tenants)[number]): Promise<number> =>
      post(world, tenant.key, '/events/batch', { events: [event('BRAND_CLICK', tenant.session)] }).then(
        ({ status }) => status,
      );
    expect(new Set(await Promise.all(tenants.map(send)))).toEqual(new Set([202]));
    // Closing the database on the worker looks to the others as if the worker had gone.
    const admin = openPostgres(nodeUrl(lastWorker, 'postgres'), { connections: 1 });
    const name = lost.pathname.slice(1);
    await admin.exec(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
    const expected = tenants.map(({ port }) => (port === Number(lost.port) ? 503 : 202));
    expect(new Set(expected).size).toBe(2);
    // The first statement on a connection that was lost fails for anybody.
    await Promise.all(tenants.map(send));
    for (let round = 0; round < 3; round += 1) {
      const statuses = [];
      for (const tenant of tenants) statuses.push(await send(tenant));
      expect(statuses).toEqual(expected);
    }
    const report = await world.call('GET', '/adnet/reporting/v2/report/?metrics=clicks', {
      key: network.describe().keys.management ?? '',
    });
    expect(report).toMatchObject({
      status: 503,
      body: { detail: expect.stringContaining('cannot reach its database') },
    });
    const reports = [];
    for (const { reportKey } of tenants) {
      const path = '/api/analysis/publisher-reporting/v2/report/?metrics=clicks&from=2025-11-20&to=2025-11-20';
      reports.push((await world.call('GET', path, { key: reportKey })).status);
    }
    expect(reports).toEqual(expected.map((status) => (status === 202 ? 200 : 503)));

    await admin.exec(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    await expect.poll(async () => new Set(await Promise.all(tenants.map(send)))).toEqual(new Set([202]));
    await Promise.all([admin.close(), coordinator.close(), network.close()]);
  });

  test('shards that move under load lose and double nothing', async () => {
    const { network, world, tenants, coordinator } = await openTenants();
    const workers = await coordinator.query<{ host: string; port: number }>(
      'SELECT nodename AS host, nodeport AS port FROM pg_dist_node WHERE groupid <> 0 ORDER BY nodeport',
    );
    const sent = tenants.map(() => 0);
    const over = new AbortController();
    const loads = tenants.map(async (tenant, index) => {
      while (!over.signal.aborted) {
        const events = [event('BRAND_CLICK', tenant.session)];
        // As a relay does: whatever is not accepted is sent again.
        while ((await post(world, tenant.key, '/events/batch', { events })).status !== 202);
        sent[index] = (sent[index] ?? 0) + 1;
      }
    });
    for (const { shard, port } of tenants.slice(0, 3)) {
      const [from, to] = [workers.find((node) => node.port === port), workers.find((node) => node.port !== port)];
      await coordinator
        .query("SELECT citus_move_shard_placement($1, $2, $3, $4, $5, 'block_writes')", [
          shard,
          from?.host,
          from?.port,
          to?.host,
          to?.port,
        ])
        // Two of the publishers may share a shard, which has moved by then.
        .catch((error: unknown) => expect(String(error)).toMatch(/already|does not|could not find/i));
    }
    over.abort();
    await Promise.all(loads);
    for (const [index, { reportKey }] of tenants.entries()) {
      const path = '/api/analysis/publisher-reporting/v2/report/?metrics=clicks&from=2025-11-20&to=2025-11-20';
      const { body } = await world.call('GET', path, { key: reportKey });
      expect(body.summary.clicks).toBe(sent[index]);
    }
    await Promise.all([coordinator.close(), network.close()]);
  });
});
