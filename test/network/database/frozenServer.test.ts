import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createNetwork, type Network } from '../../../src/network.ts';
import { type Database, SlowReadError } from '../../../src/network/database/database.ts';
import { openPostgres } from '../../../src/network/database/postgres.ts';
import { DATABASE_KINDS, startPostgres } from '../databases.ts';
import { ask, NOW, testNetworkOf } from '../testNetwork.ts';
import { ofSuite } from '../../fixtures/opened.ts';

describe.runIf(DATABASE_KINDS.includes('postgres'))('a PostgreSQL server', () => {
  const cluster = ofSuite(startPostgres);
  let network: Network;
  let admin: Database;
  let frozen: number[] = [];
  let databaseUrl: string;
  beforeAll(async () => {
    databaseUrl = await cluster.freshUrl();
    admin = openPostgres(databaseUrl, { connections: 1 });
    network = await createNetwork({ databaseUrl, seed: 'empty', now: NOW, log: () => undefined });
  });
  afterAll(async () => {
    for (const pid of frozen) process.kill(pid, 'SIGCONT');
    await admin?.close();
  });

  async function backends(): Promise<number[]> {
    const rows = await admin.query<{ pid: number }>(
      "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()",
    );
    return rows.map(({ pid }) => pid);
  }

  test('that is read-only after a failover costs a 503 with Retry-After', async () => {
    const world = testNetworkOf(network);
    const setReadOnly = async (isReadOnly: boolean): Promise<void> => {
      await admin.exec(`ALTER DATABASE test_1 SET default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`);
      for (const pid of await backends()) await admin.query('SELECT pg_terminate_backend($1)', [pid]);
      await expect.poll(backends).toEqual([]);
    };
    await setReadOnly(true);
    const answer = await world.post('/recommendations', ask());
    expect({ status: answer.status, after: answer.headers.get('retry-after') }).toEqual({ status: 503, after: '1' });
    // The session of `admin` is from before: it may still write.
    await setReadOnly(false);
    expect((await world.post('/recommendations', ask())).status).toBe(200);
  });

  test('ends reads that take too long, and these leave the connections of others alone', async () => {
    const db = openPostgres(databaseUrl, { connections: 1, readTimeoutMs: 500 });
    const slow = Array.from({ length: 8 }, () => db.read((on) => on.query('SELECT pg_sleep(60) AS slow')));
    let ended = 0;
    for (const each of slow) each.catch(() => (ended += 1));
    expect(await db.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    // Those behind it on the same connections, whose time begins later, wait still.
    expect(ended).toBeLessThan(8);
    const [requests, reads] = db.pools?.() ?? [];
    expect(requests).toEqual({ pool: 'requests', busy: 0, waiting: 0 });
    expect((reads?.busy ?? 0) + (reads?.waiting ?? 0)).toBeGreaterThan(0);
    const results = await Promise.allSettled(slow);
    expect(results.map((each) => each.status === 'rejected' && each.reason instanceof SlowReadError)).not.toContain(
      false,
    );
    const running =
      "SELECT pid FROM pg_stat_activity WHERE query LIKE '%pg_sleep(60)%' AND state = 'active' AND pid <> pg_backend_pid()";
    expect(await admin.query(running)).toEqual([]);
    await db.close();
  });

  test('that accepts statements and never replies costs a 503, and closing ends', async () => {
    const world = testNetworkOf(network);
    const key = network.describe().keys.management ?? '';
    const details = () => world.call('GET', '/adnet/channel/details/', { key });
    expect((await details()).status).toBe(200);
    const both = await Promise.all([details(), details()]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    frozen = await backends();
    expect(frozen.length).toBeGreaterThan(1);
    for (const pid of frozen) process.kill(pid, 'SIGSTOP');
    const answer = await details();
    expect({ status: answer.status, after: answer.headers.get('retry-after') }).toEqual({ status: 503, after: '1' });
    // On a new connection it works again. Once that is frozen too, closing waits neither for its statement nor for its end.
    expect((await details()).status).toBe(200);
    frozen = await backends();
    for (const pid of frozen) process.kill(pid, 'SIGSTOP');
    const waiting = details();
    await network.close();
    expect((await waiting).status).toBe(503);
  });
});
