import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { batch, newOrder, sameOrder } from './relay/bodies.ts';
import { compare } from './relay/compare.ts';
import { buildRelay, measure, serve, type Served } from './relay/processes.ts';

/**
 * `npm run bench -- relay [seconds per run] [rounds]`: the relay, with and without a file of accepted events, next to a
 * pass-through, in turns; then what its memory takes.
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
      storeless: await start('storeless', address, relayModule),
      relay: await start('relay', address, relayModule),
      file: await start('file', address, relayModule, join(folder, 'data')),
    };
    console.log(`in turns, ${rounds} × ${seconds} s each, 16 connections, each in a separate process`);
    const offers = { path: '/recommendations', seconds, rounds, servers };
    await compare({ ...offers, title: 'offers, misses: each of another order', body: newOrder, goal: 0.7 });
    await compare({ ...offers, title: 'offers, hits: the same order again', body: sameOrder });
    const events = { path: '/events/batch', seconds, rounds, servers };
    await compare({ ...events, title: 'batches of 20 new events', body: batch, goal: 0.4, fileGoal: 0.3 });
    console.log('\nmemory, after collecting garbage');
    for (const what of ['ids', 'day']) console.log(await measure([what, '', relayModule, join(folder, what)]));
  } finally {
    for (const each of served) each.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
