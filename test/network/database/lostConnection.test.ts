import { connect, createServer, type AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createNetwork, NetworkStartError, type Network } from '../../../src/network.ts';
import { type Database, DatabaseUnavailableError } from '../../../src/network/database/database.ts';
import { openPostgres } from '../../../src/network/database/postgres.ts';
import { DATABASE_KINDS, startPostgres } from '../databases.ts';
import { event, NOW, testNetworkOf, type Answered, type Body } from '../testNetwork.ts';
import { ofSuite } from '../../fixtures/opened.ts';

const ROUNDS = 20;
const PRICE = 2.5;

describe.runIf(DATABASE_KINDS.includes('postgres'))('a connection that PostgreSQL ends', () => {
  const cluster = ofSuite(startPostgres);
  let network: Network;
  let admin: Database;
  let databaseUrl: string;
  beforeAll(async () => {
    databaseUrl = await cluster.freshUrl();
    admin = openPostgres(databaseUrl);
    network = await createNetwork({
      databaseUrl,
      seed: 'empty',
      now: NOW,
      networkUrl: 'http://127.0.0.1:4600',
      log: () => undefined,
    });
  });
  afterAll(async () => {
    await network?.close();
    await admin?.close();
  });

  /** Holds the row of the offer, so that billing a conversion waits inside its transaction; ends that backend meanwhile. */
  async function endBilling(work: () => Promise<Answered>, others: () => Promise<Answered[]>) {
    let ended = 0;
    const [billed, rest] = await admin.transaction(async (transaction) => {
      await transaction.query('SELECT offer_id FROM offers FOR UPDATE');
      const billing = work();
      while (ended === 0) {
        const [row] = await admin.query<{ ended: number }>(
          `SELECT count(pg_terminate_backend(pid)) AS ended FROM pg_stat_activity
           WHERE datname = current_database() AND wait_event_type = 'Lock' AND state = 'active'`,
        );
        ended = row?.ended ?? 0;
        if (ended === 0) await pause(5);
      }
      return Promise.all([billing, others()]);
    });
    return { ended, billed, rest };
  }

  test('costs nobody anything while it bills, and no money goes missing', async () => {
    const world = testNetworkOf(network);
    await world.offer({ price_per_conversion: PRICE, budget: ROUNDS * PRICE });
    const acknowledged: string[] = [];
    const send = async (sent: Record<string, unknown>): Promise<Answered> => {
      const answer = await world.batch([sent]);
      if (answer.status === 202) acknowledged.push(String(sent['event_id']));
      return answer;
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      const session = await world.session();
      await send(event('BRAND_CLICK', session));
      const { ended, billed, rest } = await endBilling(
        () => send(event('CONVERSION', session)),
        () => Promise.all([send(event('WIDGET_LOAD', session)), send(event('BRAND_DISPLAY', session))]),
      );
      expect(ended).toBe(1);
      expect([billed, ...rest].map(({ status }) => status)).toEqual([202, 202, 202]);
    }
    const { events } = await world.control('GET', '/sandbox/events');
    const stored = events.filter((entry: Body) => entry.status === 'stored').map((entry: Body) => entry.event.event_id);
    expect(stored.toSorted()).toEqual(acknowledged.toSorted());
    expect(acknowledged).toHaveLength(4 * ROUNDS);
    await expect
      .poll(() => world.summary(), { timeout: 30_000 })
      .toMatchObject({
        feed_loads: ROUNDS,
        impressions: ROUNDS,
        clicks: ROUNDS,
        conversions: ROUNDS,
        attributed_ad_spend_amount: ROUNDS * PRICE,
        billable_ad_spend_amount: ROUNDS * PRICE,
      });
  });

  test('while it commits is a 500, as nobody knows whether the events are stored', async () => {
    const direct = new URL(databaseUrl);
    const proxy = createServer((socket) => {
      let isCut = false;
      const server = connect(`${direct.searchParams.get('host')}/.s.PGSQL.5432`);
      for (const each of [socket, server]) each.on('error', () => undefined);
      server.on('data', (chunk) => isCut || socket.write(chunk)).on('close', () => socket.destroy());
      socket.on('data', (chunk) => {
        isCut ||= isCutting && chunk.includes('INSERT INTO daily_facts') && chunk.includes('COMMIT');
        server.write(chunk);
        if (isCut) setTimeout(() => socket.destroy(), 200);
      });
    });
    let isCutting = false;
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const { port } = proxy.address() as AddressInfo;
    const far = await createNetwork({
      databaseUrl: `postgresql://offerlet@127.0.0.1:${port}${direct.pathname}`,
      networkUrl: 'http://127.0.0.1:4600',
      log: () => undefined,
    });
    // The first process has the keys of an earlier start.
    const world = testNetworkOf({ ...far, describe: network.describe });
    const session = await world.session();
    isCutting = true;
    const load = event('WIDGET_LOAD', session);
    const { status, headers } = await world.batch([load]);
    expect([status, headers.get('retry-after')]).toEqual([500, null]);
    expect(await admin.query('SELECT 1 AS stored FROM events WHERE event_id = $1', [load['event_id']])).toHaveLength(1);
    await far.close();
    proxy.close();
  });

  test('between two statements of a transaction fails that transaction alone', async () => {
    const broken = admin.transaction(async (transaction) => {
      const [row] = await transaction.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      await admin.query('SELECT pg_terminate_backend($1)', [row?.pid]);
      await pause(50);
      await transaction.query("INSERT INTO settings VALUES ('lost', '1')");
    });
    await expect(broken).rejects.toBeInstanceOf(DatabaseUnavailableError);
    expect(await admin.query("SELECT 1 FROM settings WHERE name = 'lost'")).toEqual([]);
  });
});

test.runIf(DATABASE_KINDS.includes('postgres'))('a connection lost during the seed is one line', async () => {
  const cluster = await startPostgres();
  const databaseUrl = await cluster.freshUrl();
  const admin = openPostgres(databaseUrl, { connections: 1 });
  const starting = createNetwork({ databaseUrl, seed: 'demo', log: () => undefined }).catch((error: unknown) => error);
  // The schema is committed before the seed begins.
  let ended = 0;
  while (ended === 0) {
    const [row] = await admin.query<{ ended: number }>(
      `SELECT count(pg_terminate_backend(pid)) AS ended FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND to_regclass('sessions') IS NOT NULL AND state <> 'idle' AND query LIKE 'INSERT INTO hourly_facts%'`,
    );
    ended = row?.ended ?? 0;
  }
  const error = await starting;
  expect(error).toBeInstanceOf(NetworkStartError);
  expect(String(error)).toMatch(/^NetworkStartError: The network cannot start\. [^\n]+$/);
  await admin.close();
  await cluster.stop();
});
