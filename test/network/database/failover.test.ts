import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createNetwork, type Network } from '../../../src/network.ts';
import type { Database } from '../../../src/network/database/database.ts';
import { openPostgres } from '../../../src/network/database/postgres.ts';
import { CITUS_NODES } from '../databases.ts';
import { event, NOW, testNetworkOf, type Body, type Shown } from '../testNetwork.ts';
import { type CitusServer, hasLocalCitus, openServers } from './localCitus.ts';

// Servers that are killed and frozen, so they are the test's own: npm run test:citus, with citus installed on this machine.

/** Enough that each worker holds some: each is on either with the same probability. */
const PUBLISHERS = 12;
/** Two processes, as one load balancer has, by the names that their connections have. */
const PROCESSES = ['first', 'second'];
/** The longest that a scene may take. */
const PATIENCE_MS = 90_000;

const isAsked = CITUS_NODES.length > 2;
const canRun = isAsked && (await hasLocalCitus());

test.runIf(isAsked && !canRun)('failures of nodes are left out where this machine has no citus', ({ skip }) => {
  const sentence =
    'Not tested: added, frozen and killed nodes. They need PostgreSQL with citus on this machine, and Linux.';
  console.warn(sentence);
  skip(sentence);
});

type World = ReturnType<typeof testNetworkOf>;

const HEADERS = { version: '1.0.0', 'content-type': 'application/json' };

interface Tenant {
  readonly key: string;
  readonly reportKey: string;
  readonly session: Shown;
  /** Of the worker that holds it. */
  port: number;
  readonly id: string;
  /** Clicks that got a 202. */
  acknowledged: number;
  /** The click that was not accepted yet. */
  unsent?: unknown;
}

describe.runIf(canRun)('a citus cluster of this machine', () => {
  let servers: Awaited<ReturnType<typeof openServers>>;
  let coordinator: CitusServer;
  let workers: CitusServer[];
  let networks: Network[];
  let worlds: World[];
  let requests = 0;
  let stopSending = async (): Promise<void> => undefined;
  const tenants: Tenant[] = [];

  beforeAll(async () => {
    servers = await openServers();
    coordinator = await servers.server();
    workers = [await servers.server(), await servers.server()];
    const db = openPostgres(coordinator.url, { connections: 1, statementTimeoutMs: 60_000 });
    await db.query('SELECT citus_set_coordinator_host($1, $2)', ['127.0.0.1', coordinator.port]);
    for (const { port } of workers) await db.query('SELECT citus_add_node($1, $2)', ['127.0.0.1', port]);
    await db.exec('SET citus.shard_count = 4');
    const start = (name: string) => {
      const databaseUrl = [coordinator, ...workers].map(({ url }) => `${url}?application_name=${name}`);
      return createNetwork({ databaseUrl, seed: 'empty', now: NOW, log: () => undefined });
    };
    networks = await Promise.all(PROCESSES.map(start));
    worlds = networks.map(testNetworkOf);
    await nextWorld().offer({ budget: '100000' });
    for (let n = 0; n < PUBLISHERS; n += 1) await addTenant();
    await locate(db);
    await db.close();
  }, 180_000);
  afterAll(async () => {
    for (const network of networks ?? []) await network.close();
    await servers?.stop();
  }, 60_000);

  afterEach(async () => {
    workers.forEach((worker) => worker.thaw());
    // Also after a failure: nothing else may send the same clicks.
    await stopSending();
  });

  /** Adds a publisher that has opened a session. */
  async function addTenant(): Promise<void> {
    const tenant: Body = await nextWorld().control('POST', '/sandbox/channels', { name: `Channel ${tenants.length}` });
    const { body } = await post(tenant.keys.integration, '/recommendations', {
      user_details: { phone: '1' },
      placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' },
    });
    tenants.push({
      key: tenant.keys.integration,
      reportKey: tenant.keys.publisher_reporting,
      session: {
        session_id: body.session_id,
        items: body.recommendation_groups.flatMap((group: Body) => group.items),
      },
      id: tenant.publisher.publisher_remote_id,
      port: 0,
      acknowledged: 0,
    });
  }

  /** Reads which worker holds each publisher. */
  async function locate(db: Database): Promise<void> {
    for (const tenant of tenants) {
      const [place] = await db.query<{ port: number }>(
        'SELECT nodeport AS port FROM pg_dist_shard_placement WHERE shardid = get_shard_id_for_distribution_column($1, $2::uuid)',
        ['events', tenant.id],
      );
      tenant.port = place?.port ?? 0;
    }
  }

  function nextWorld(): World {
    const world = worlds[(requests += 1) % worlds.length];
    if (!world) throw new Error('There is no network');
    return world;
  }

  const call = async (method: string, path: string, options: { key?: string; body?: unknown } = {}) =>
    nextWorld().call(method, path, { ...options, headers: HEADERS });
  const post = (key: string, path: string, body: unknown) => call('POST', path, { key, body });
  const heldBy = ({ port }: CitusServer): Tenant[] => tenants.filter((tenant) => tenant.port === port);
  const health = async (): Promise<Body> => (await call('GET', '/health')).body;

  /** Sends one click, as a relay does: the same one again if the last was not accepted. Returns the status. */
  async function click(tenant: Tenant, world = nextWorld()): Promise<number> {
    tenant.unsent ??= event('BRAND_CLICK', tenant.session);
    const { status } = await world.call('POST', '/events/batch', {
      key: tenant.key,
      body: { events: [tenant.unsent] },
      headers: HEADERS,
    });
    if (status !== 202) return status;
    tenant.unsent = undefined;
    tenant.acknowledged += 1;
    return status;
  }

  /** Sends one click after the other for each publisher until `stop`. */
  function sendAll(): { stop(): Promise<void> } {
    const over = new AbortController();
    const sending = tenants.map(async (tenant) => {
      // One that may have been stored is sent until it is known to be.
      while (!over.signal.aborted || tenant.unsent) if ((await click(tenant)) !== 202) await sleep(20);
    });
    stopSending = async () => {
      over.abort();
      await Promise.all(sending);
    };
    return { stop: stopSending };
  }

  /** Waits until each of them has stored more clicks. */
  async function expectProgress(some: readonly Tenant[], clicks: number): Promise<void> {
    const before = some.map(({ acknowledged }) => acknowledged);
    const least = (): number => Math.min(...some.map(({ acknowledged }, index) => acknowledged - (before[index] ?? 0)));
    await expect.poll(least, { timeout: PATIENCE_MS }).toBeGreaterThanOrEqual(clicks);
  }

  /** Each publisher's report has the clicks that were acknowledged, each once. */
  async function expectExact(): Promise<void> {
    for (const { reportKey, acknowledged } of tenants) {
      const path = '/api/analysis/publisher-reporting/v2/report/?metrics=clicks&from=2025-11-20&to=2025-11-20';
      const { body } = await call('GET', path, { key: reportKey });
      expect(body.summary.clicks).toBe(acknowledged);
    }
  }

  /** Reports a conversion of an offer with a budget; returns its status, and how to send it again. */
  async function convert({ key, session }: Tenant): Promise<{ status: number; again(): Promise<number> }> {
    const events = [event('BRAND_CLICK', session), event('CONVERSION', session)];
    const again = async (): Promise<number> => (await post(key, '/events/batch', { events })).status;
    return { status: await again(), again };
  }

  test('both workers hold publishers', () => {
    for (const worker of workers) expect(heldBy(worker).length).toBeGreaterThan(0);
  });

  test(
    'while a worker is frozen, the publishers of others go on, and conversions with a budget do not wait for it',
    async () => {
      const [frozen, other] = workers;
      if (!frozen || !other) throw new Error('There are no workers');
      const sending = sendAll();
      await expectProgress(tenants, 3);
      frozen.freeze();
      const [one, ...healthy] = heldBy(other);
      if (!one) throw new Error('The worker holds no publisher');
      await expectProgress(healthy, 20);
      // The first ones wait until the worker is known to be silent; then they are refused at once.
      const refused: (() => Promise<number>)[] = [];
      const refuse = async (): Promise<number> => {
        const began = performance.now();
        const { status, again } = await convert(one);
        refused.push(again);
        expect(status).toBe(503);
        return performance.now() - began;
      };
      await Promise.all([refuse(), refuse(), refuse()]);
      await expect.poll(refuse, { timeout: PATIENCE_MS }).toBeLessThan(1_000);
      await expectProgress(healthy, 5);
      expect(JSON.stringify(await health())).toContain(String(frozen.port));
      frozen.thaw();
      await expectProgress(tenants, 3);
      await sending.stop();
      for (const again of refused) {
        await expect.poll(again, { timeout: PATIENCE_MS }).toBe(202);
        one.acknowledged += 1;
      }
      await expect.poll(async () => (await health()).status, { timeout: PATIENCE_MS }).toBe('ok');
      await expectExact();
    },
    2 * PATIENCE_MS,
  );

  test(
    'a worker that is added holds publishers, and running processes reach it even when it is the only one left',
    async () => {
      const added = await servers.server();
      workers.push(added);
      const sending = sendAll();
      await expectProgress(tenants, 3);
      const db = openPostgres(coordinator.url, { connections: 1, statementTimeoutMs: PATIENCE_MS });
      await db.query('SELECT citus_add_node($1, $2)', ['127.0.0.1', added.port]);
      await db.exec(documented(/^After adding a node, `(SELECT citus_rebalance_start\(\))`/m));
      await db.query('SELECT citus_rebalance_wait()');
      await locate(db);
      await sending.stop();
      // Publishers are assigned by hash: those so far may all be on other workers.
      for (; heldBy(added).length === 0; await locate(db)) await addTenant();
      await db.close();
      const onAdded = openPostgres(added.url, { connections: 1 });
      const processes = async (): Promise<string[]> => {
        for (const world of worlds) await Promise.all(heldBy(added).map((tenant) => click(tenant, world)));
        const rows = await onAdded.query<{ name: string }>(
          'SELECT DISTINCT application_name AS name FROM pg_stat_activity WHERE application_name = ANY($1) ORDER BY 1',
          [PROCESSES],
        );
        return rows.map(({ name }) => name);
      };
      await expect.poll(processes, { timeout: PATIENCE_MS }).toEqual(PROCESSES);
      await onAdded.close();
      const others = [coordinator, ...workers.filter((worker) => worker !== added)];
      await Promise.all(others.map((server) => server.kill()));
      for (const world of worlds)
        for (const tenant of heldBy(added))
          await expect.poll(() => click(tenant, world), { timeout: PATIENCE_MS }).toBe(202);
      await Promise.all(others.map((server) => server.start()));
      const again = sendAll();
      await expectProgress(tenants, 3);
      await again.stop();
      await expectExact();
    },
    3 * PATIENCE_MS,
  );

  test(
    'a synchronous standby takes over by the documented commands, and has every acknowledged event',
    async () => {
      const [lost] = workers;
      if (!lost) throw new Error('There are no workers');
      const standby = await servers.standbyOf(lost);
      const sending = sendAll();
      await expectProgress(tenants, 3);
      await lost.kill();
      const promote = documented(/`(SELECT pg_promote\(\))`/);
      const update = documented(/^(SELECT citus_update_node\(.*\);)$/m);
      const on = async (url: string, sql: string): Promise<void> => {
        const db = openPostgres(url, { connections: 1, statementTimeoutMs: 60_000 });
        await db.exec(sql);
        await db.close();
      };
      await on(standby.url, promote);
      const db = openPostgres(coordinator.url, { connections: 1 });
      const [node] = await db.query<{ id: number }>('SELECT nodeid AS id FROM pg_dist_node WHERE nodeport = $1', [
        lost.port,
      ]);
      await db.close();
      const command = update.replace('ID', String(node?.id)).replace('STANDBY-HOST', '127.0.0.1');
      await on(coordinator.url, command.replace('PORT', String(standby.port)));
      await expectProgress(tenants, 10);
      await sending.stop();
      await expectExact();
    },
    2 * PATIENCE_MS,
  );

  test(
    'without its coordinator, sessions, events and reports go on, and /health says what does not',
    async () => {
      const sending = sendAll();
      await expectProgress(tenants, 3);
      await coordinator.kill();
      await expectProgress(tenants, 10);
      const { status, degraded } = await health();
      expect(status).toBe('degraded');
      const effects = degraded.map(({ effect }: Body) => effect).join(' ');
      expect(effects).toContain('It is the coordinator: nodes cannot be added');
      await sending.stop();
      await expectExact();
      await coordinator.start();
      const [tenant] = tenants;
      if (!tenant) throw new Error('There is no publisher');
      const { again } = await convert(tenant);
      tenant.acknowledged += 1;
      await expect.poll(again, { timeout: PATIENCE_MS }).toBe(202);
      await expectExact();
    },
    2 * PATIENCE_MS,
  );
});

/** A command of the page, which an operator copies. */
function documented(pattern: RegExp): string {
  const page = readFileSync(new URL('../../../docs/operators/scale.md', import.meta.url), 'utf8');
  const command = pattern.exec(page)?.[1];
  if (command === undefined) throw new Error(`The page has no ${pattern.source}`);
  return command;
}
