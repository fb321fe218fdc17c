import { createConnection, createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { ofSuite } from '../../fixtures/opened.ts';
import { createNetwork, NetworkStartError, partitionEvents } from '../../../src/network.ts';
import { freePort } from '../../fixtures/serve.ts';
import { DATABASE_KINDS, startPostgres } from '../databases.ts';

describe.runIf(DATABASE_KINDS.includes('postgres'))('a server that cannot be used', () => {
  const cluster = ofSuite(startPostgres);

  test('a start waits for a server that is away, and says so', async () => {
    const port = await freePort();
    const server = new URL(await cluster.freshUrl());
    const databaseUrl = `postgresql://offerlet@127.0.0.1:${port}${server.pathname}`;
    await expect(createNetwork({ databaseUrl, log: () => undefined })).rejects.toThrow('ECONNREFUSED');
    const said: string[] = [];
    const starting = createNetwork({ databaseUrl, seed: 'empty', wait: 30, log: ({ message }) => said.push(message) });
    await expect.poll(() => said.length).toBeGreaterThan(1);
    const way = createServer((from) => {
      const to = createConnection(`${server.searchParams.get('host')}/.s.PGSQL.5432`);
      for (const socket of [from, to]) socket.on('error', () => undefined);
      from.pipe(to).pipe(from);
    });
    await new Promise<void>((resolve) => way.listen(port, '127.0.0.1', resolve));
    const network = await starting;
    expect(said[0]).toMatch(/^Waiting for the database\. .*ECONNREFUSED.*\. Next try in 0\.\d s, for \d+ s more\.$/);
    await network.close();
    way.close();
  });

  test('what the server refuses when it is partitioned is one line', async () => {
    const databaseUrl = (await cluster.freshUrl()).replace(/test_\d+/, 'no_such_database');
    const changing = partitionEvents({
      databaseUrl,
      isDryRun: true,
      onPlan: () => undefined,
      onStep: (_, run) => run(),
    });
    await expect(changing).rejects.toThrow(/^database "no_such_database" does not exist$/);
    await expect(changing).rejects.toBeInstanceOf(NetworkStartError);
  });

  test('a start does not wait for what waiting cannot change', async () => {
    const databaseUrl = (await cluster.freshUrl()).replace(/test_\d+/, 'no_such_database');
    const said: string[] = [];
    const starting = createNetwork({ databaseUrl, wait: 30, log: ({ message }) => said.push(message) });
    await expect(starting).rejects.toThrow('does not exist');
    expect(said).toEqual([]);
  });
});
