import { createConnection, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createNetwork, distributeDatabase, NetworkStartError, partitionEvents } from '../../../src/network.ts';
import { openPostgres } from '../../../src/network/database/postgres.ts';
import { DATABASE_KINDS, startPostgres, type Cluster } from '../databases.ts';
import { event, NOW, testNetworkOf } from '../testNetwork.ts';

// Each node of a distributed database serves everything. Here both are ways to one server, each of which can go away.

/** A way to a server: a port that forwards to its socket while it is open. */
interface Way {
  readonly url: string;
  open(): Promise<void>;
  /** Refuses connections and ends those that there are. */
  close(): Promise<void>;
}

async function wayTo(socketUrl: string): Promise<Way> {
  const target = new URL(socketUrl);
  const path = `${target.searchParams.get('host') ?? ''}/.s.PGSQL.5432`;
  const sockets = new Set<Socket>();
  const accept = (from: Socket): void => {
    const to = createConnection(path);
    for (const [socket, other] of [
      [from, to],
      [to, from],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    from.pipe(to).pipe(from);
  };
  let server: Server = createServer(accept);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgresql://offerlet@127.0.0.1:${port}${target.pathname}`,
    async open() {
      server = createServer(accept);
      await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

describe.runIf(DATABASE_KINDS.includes('postgres'))('several nodes', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startPostgres();
  }, 60_000);
  afterAll(() => cluster.stop());

  test('alternate, the others serve while one is away, and it takes part again once it is back', async () => {
    const url = await cluster.freshUrl();
    const [one, two] = [await wayTo(url), await wayTo(url)];
    const db = openPostgres([one.url, two.url], { connections: 2 });
    const backends = new Set<unknown>();
    for (let n = 0; n < 4; n += 1) backends.add((await db.query('SELECT pg_backend_pid() AS pid'))[0]?.['pid']);
    expect(backends.size).toBe(2);
    expect(await db.findDegraded()).toEqual([]);

    await one.close();
    // At most the statement that notices fails: the next ones use the other node.
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => db.query('SELECT 1 AS one')));
    expect(results.filter(({ status }) => status === 'rejected').length).toBeLessThanOrEqual(2);
    for (let n = 0; n < 10; n += 1) expect(await db.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(await db.findDegraded()).toEqual([{ node: one.url, effect: 'This process uses the other nodes.' }]);

    await one.open();
    await expect.poll(() => db.findDegraded(), { timeout: 10_000 }).toEqual([]);
    backends.clear();
    for (let n = 0; n < 4; n += 1) backends.add((await db.query('SELECT pg_backend_pid() AS pid'))[0]?.['pid']);
    expect(backends.size).toBe(2);

    await Promise.all([one.close(), two.close()]);
    await expect(db.query('SELECT 1 AS one')).rejects.toThrow('The database is not available');
    await db.close();
  }, 60_000);

  test('a network on two nodes loses no event when one goes away, and /health names it', async () => {
    const url = await cluster.freshUrl();
    const [one, two] = [await wayTo(url), await wayTo(url)];
    const network = await createNetwork({
      databaseUrl: [one.url, two.url],
      seed: 'empty',
      now: NOW,
      log: () => undefined,
    });
    const world = testNetworkOf(network);
    await world.offer();
    const session = await world.session();
    expect((await world.call('GET', '/health')).body).toMatchObject({ status: 'ok' });
    const acknowledged: string[] = [];
    const send = async (): Promise<void> => {
      const load = event('BRAND_CLICK', session);
      // As a relay does: a 503 is sent again.
      while ((await world.batch([load])).status !== 202);
      acknowledged.push(String(load['event_id']));
    };
    const sending = Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let n = 0; n < 20; n += 1) await send();
      }),
    );
    await expect.poll(() => acknowledged.length, { timeout: 20_000 }).toBeGreaterThan(20);
    await two.close();
    await sending;
    expect(await world.summary()).toMatchObject({ clicks: 160 });
    expect((await world.call('GET', '/health')).body).toMatchObject({
      status: 'degraded',
      degraded: [{ node: two.url }],
    });
    await network.close();
    await one.close();
  }, 60_000);

  test('different databases without citus are refused, whatever the time to wait', async () => {
    const urls = [await cluster.freshUrl(), await cluster.freshUrl()];
    const starting = createNetwork({ databaseUrl: urls, wait: 30, seed: 'empty', log: () => undefined });
    await expect(starting).rejects.toThrow(
      /test_\d+ and \S+test_\d+ are different databases\. Without the citus extension every --database-url must lead to the same one/,
    );
    await expect(starting).rejects.toBeInstanceOf(NetworkStartError);
  }, 60_000);

  test('another database that comes later is not used, and /health names it', async () => {
    const [mine, other] = [await wayTo(await cluster.freshUrl()), await wayTo(await cluster.freshUrl())];
    await other.close();
    const network = await createNetwork({
      databaseUrl: [other.url, mine.url],
      seed: 'empty',
      now: NOW,
      log: () => undefined,
    });
    const world = testNetworkOf(network);
    const health = async (): Promise<string> => JSON.stringify((await world.call('GET', '/health')).body);
    await expect.poll(health).toContain('This process uses the other nodes.');
    await other.open();
    await expect.poll(health, { timeout: 20_000 }).toContain('different databases');
    for (let n = 0; n < 10; n += 1) expect((await world.call('GET', '/health')).body.status).toBe('degraded');
    await world.offer();
    expect((await world.session()).items).toHaveLength(1);
    await network.close();
    await Promise.all([mine.close(), other.close()]);
  }, 60_000);

  test('a start waits for a server that is away, and says so', async () => {
    const way = await wayTo(await cluster.freshUrl());
    await way.close();
    const options = { databaseUrl: way.url, seed: 'empty' } as const;
    await expect(createNetwork({ ...options, log: () => undefined })).rejects.toThrow('ECONNREFUSED');
    const said: string[] = [];
    const starting = createNetwork({ ...options, wait: 30, log: ({ message }) => said.push(message) });
    await expect.poll(() => said.length, { timeout: 10_000 }).toBeGreaterThan(1);
    await way.open();
    const network = await starting;
    expect(said[0]).toMatch(/^Waiting for the database\. .*ECONNREFUSED.*\. Next try in 0\.\d s, for \d+ s more\.$/);
    await network.close();
    await way.close();
  }, 60_000);

  test('a database without citus is not distributed, and the reason is one line', async () => {
    const databaseUrl = await cluster.freshUrl();
    const distributing = distributeDatabase({
      databaseUrl,
      isDryRun: false,
      onPlan: () => undefined,
      onStep: (_, run) => run(),
    });
    await expect(distributing).rejects.toThrow(/^The database has no citus extension\. Run CREATE EXTENSION citus/);
    await expect(distributing).rejects.toBeInstanceOf(NetworkStartError);
  });

  test('what the server refuses when it is distributed or partitioned is one line', async () => {
    const databaseUrl = (await cluster.freshUrl()).replace(/test_\d+/, 'no_such_database');
    for (const change of [distributeDatabase, partitionEvents]) {
      const changing = change({ databaseUrl, isDryRun: true, onPlan: () => undefined, onStep: (_, run) => run() });
      await expect(changing).rejects.toThrow(/^database "no_such_database" does not exist$/);
      await expect(changing).rejects.toBeInstanceOf(NetworkStartError);
    }
  });

  test('a start does not wait for what waiting cannot change', async () => {
    const databaseUrl = (await cluster.freshUrl()).replace(/test_\d+/, 'no_such_database');
    const started = performance.now();
    await expect(createNetwork({ databaseUrl, wait: 30, log: () => undefined })).rejects.toThrow('does not exist');
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});
