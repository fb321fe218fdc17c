import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync, chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { ofSuite } from '../../fixtures/opened.ts';
import { createNetwork, partitionEvents } from '../../../src/network.ts';
import { openPostgres } from '../../../src/network/database/postgres.ts';
import { freePort } from '../../fixtures/serve.ts';
import { CITUS_NODES, DATABASE_KINDS, startPostgres } from '../databases.ts';
import { event, NOW, testNetworkOf } from '../testNetwork.ts';

/** The PgBouncer of this machine, or one that is named: `OFFERLET_TEST_PGBOUNCER=/path/to/pgbouncer`. */
const COMMAND = process.env['OFFERLET_TEST_PGBOUNCER'] ?? 'pgbouncer';
const VERSION = versionOf(COMMAND);
const carriesStatements = VERSION !== undefined && VERSION >= 1.21;

function versionOf(command: string): number | undefined {
  try {
    return Number(/PgBouncer (\d+\.\d+)/.exec(execFileSync(command, ['--version'], { encoding: 'utf8' }))?.[1]);
  } catch {
    return undefined;
  }
}

const canRun = DATABASE_KINDS.includes('postgres') && CITUS_NODES.length === 0 && VERSION !== undefined;

describe.runIf(canRun)(`behind PgBouncer ${VERSION}`, () => {
  const cluster = ofSuite(startPostgres);

  /** Starts a pooler of two connections before a new database. */
  async function startPooler(settings: Record<string, string | number>): Promise<{ url: string; stop(): void }> {
    const direct = new URL(await cluster.freshUrl());
    const directory = mkdtempSync(join(tmpdir(), 'offerlet-pooler-'));
    chmodSync(directory, 0o777);
    const port = await freePort();
    const database = direct.pathname.slice(1);
    const all = {
      listen_addr: '127.0.0.1',
      listen_port: port,
      auth_type: 'any',
      default_pool_size: 2,
      unix_socket_dir: '',
      ...settings,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
    const target = `${database} = host=${direct.searchParams.get('host')} dbname=${database} user=offerlet`;
    const file = join(directory, 'pgbouncer.ini');
    writeFileSync(file, ['[databases]', target, '[pgbouncer]', ...lines, ''].join('\n'));
    const asRoot = process.getuid?.() === 0 ? ['--user', 'postgres'] : [];
    const server = spawn(COMMAND, ['-q', ...asRoot, file], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    server.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const url = `postgresql://offerlet@127.0.0.1:${port}/${database}`;
    const db = openPostgres(url, { connections: 1 });
    const isUp = async (): Promise<boolean> =>
      (await Promise.allSettled([db.query('SELECT 1')]))[0].status === 'fulfilled';
    while (!(await isUp())) {
      if (server.exitCode !== null) throw new Error(`PgBouncer has ended: ${said}`);
      await sleep(100);
    }
    await db.close();
    return {
      url,
      stop() {
        server.kill();
        rmSync(directory, { recursive: true, force: true });
      },
    };
  }

  const statements = carriesStatements ? { max_prepared_statements: 200 } : {};

  test.runIf(carriesStatements)(
    'in transaction mode, requests of many clients are stored and counted once',
    async () => {
      const pooler = await startPooler({ pool_mode: 'transaction', ...statements });
      const start = () => createNetwork({ databaseUrl: pooler.url, seed: 'empty', now: NOW, log: () => undefined });
      const [one, two] = [await start(), await start()];
      const worlds = [testNetworkOf(one), testNetworkOf(two)];
      await worlds[0]?.offer({ price_per_conversion: 1, budget: 10 });
      await Promise.all(
        Array.from({ length: 30 }, async (_, index) => {
          const world = worlds[index % 2];
          const session = await world?.session();
          if (!session) throw new Error('There is no network');
          // Those that come once the budget is spent are shown nothing.
          const events =
            session.items.length === 0 ? [] : [event('BRAND_CLICK', session), event('CONVERSION', session)];
          const sent = await world?.batch([event('WIDGET_LOAD', session), ...events]);
          expect(sent?.status).toBe(202);
        }),
      );
      const summary = await worlds[1]?.summary();
      expect(summary).toMatchObject({ feed_loads: 30, billable_ad_spend_amount: 10 });
      await Promise.all([one.close(), two.close()]);
      pooler.stop();
    },
  );

  test('in transaction mode without prepared statements, nothing starts, and says what to change', async () => {
    const pooler = await startPooler({
      pool_mode: 'transaction',
      ...(carriesStatements ? { max_prepared_statements: 0 } : {}),
    });
    const advice = 'PgBouncer 1.21 or newer with max_prepared_statements = 200';
    const starting = createNetwork({ databaseUrl: pooler.url, seed: 'empty', log: () => undefined });
    await expect(starting).rejects.toThrow(advice);
    for (let runs = 0; runs < 2; runs += 1) {
      const quiet = { isDryRun: true, onPlan: () => undefined, onStep: async () => undefined };
      await expect(partitionEvents({ databaseUrl: pooler.url, ...quiet })).rejects.toThrow(advice);
    }
    pooler.stop();
  });

  test('in session mode, a network starts', async () => {
    const pooler = await startPooler({
      pool_mode: 'session',
      default_pool_size: 20,
      ...(carriesStatements ? { max_prepared_statements: 0 } : {}),
    });
    const network = await createNetwork({ databaseUrl: pooler.url, seed: 'empty', now: NOW, log: () => undefined });
    const world = testNetworkOf(network);
    await world.offer();
    expect((await world.session()).items).toHaveLength(1);
    await network.close();
    pooler.stop();
  });
});
