import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'redis';
import { createDedupeRedis } from '../../src/relay-redis.ts';
import { startRedis } from '../fixtures/startRedis.ts';
import { batch, newOrder } from './relay/bodies.ts';
import { compare } from './relay/compare.ts';
import { buildRelay, measure, serve, type Served } from './relay/processes.ts';

/**
 * `npm run bench -- relay [seconds per run] [rounds]`: the relay, with and without a file of accepted events, next to a
 * pass-through, in turns; then what accepted events take in a file and in a Redis. Without a round, only that.
 */
export async function run(args: string[]): Promise<void> {
  const seconds = Number(args[0] ?? 4);
  const rounds = Number(args[1] ?? 3);
  const folder = await mkdtemp(join(tmpdir(), 'offerlet-bench-'));
  const served: Served[] = [];
  const start = async (role: string, ...args: string[]): Promise<Served> => {
    const server = await serve([role, ...args]);
    served.push(server);
    return server;
  };
  try {
    const relayModule = await buildRelay(folder);
    const address = `http://127.0.0.1:${(await start('network')).port}`;
    const servers = {
      bare: await start('bare', address),
      relay: await start('relay', address, relayModule),
      file: await start('file', address, relayModule, join(folder, 'data')),
    };
    if (rounds > 0) {
      console.log(`in turns, ${rounds} × ${seconds} s each, 16 connections, each in a separate process`);
      const offers = { path: '/recommendations', seconds, rounds, servers };
      await compare({ ...offers, title: 'offers: each of another order', body: newOrder, goal: 0.7 });
      const events = { path: '/events/batch', seconds, rounds, servers };
      await compare({ ...events, title: 'batches of 20 new events', body: batch, goal: 0.4, fileGoal: 0.3 });
    }
    console.log('\naccepted events, after collecting garbage');
    console.log(await measure(['day', '', relayModule, join(folder, 'day')]));
    console.log(await measureRedis());
  } finally {
    for (const each of served) each.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** What Redis says that it uses for 100,000 events, in batches of ten. */
async function measureRedis(): Promise<string> {
  const { url, server } = await startRedis();
  const client = await createClient({ url }).connect();
  const used = async (): Promise<number> => Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1]);
  const store = createDedupeRedis({ sendCommand: (command) => client.sendCommand(command) });
  const cells = Array<string>(10).fill('2026-11-23T10 BRAND_CLICK THANK_YOU INLINE ');
  const before = await used();
  for (let at = 0; at < 10_000; at++) {
    const keys = cells.map(() => randomUUID().replaceAll('-', ''));
    await store.claim(keys);
    await store.accept(keys, '192.0.2.1', cells);
  }
  const bytes = (await used()) - before;
  client.destroy();
  server.kill();
  return `  100,000 events in a Redis: ${Math.round(bytes / 100_000)} bytes each`;
}
