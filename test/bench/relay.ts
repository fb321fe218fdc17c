import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { batch, question } from './relay/bodies.ts';
import { compare } from './relay/compare.ts';
import { buildModule, serve, type Served } from './relay/processes.ts';

/** `npm run bench -- relay [seconds per run] [rounds]`: the relay next to a bare node:http pass-through, in turns. */
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
    const relayModule = await buildModule(folder);
    const address = `http://127.0.0.1:${(await start('network')).port}`;
    const servers = {
      direct: await start('direct'),
      bare: await start('bare', address),
      relay: await start('relay', address, relayModule),
    };
    console.log(
      `relay and bare node:http pass-through in turns, ${rounds} × ${seconds} s each, 16 connections, each in a process of its own`,
    );
    await compare({ path: '/recommendations', body: question, seconds, rounds, servers });
    await compare({ path: '/events/batch', body: batch, seconds, rounds, servers });
  } finally {
    for (const each of served) each.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
