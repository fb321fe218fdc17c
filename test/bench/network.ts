import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNetwork } from '../../src/network.ts';
import type { Database } from '../../src/network/database/database.ts';
import { openPglite } from '../../src/network/database/pglite.ts';
import { openPostgres } from '../../src/network/database/postgres.ts';
import { startPostgres } from '../network/databases.ts';
import { compareIngest } from './network/ingest.ts';
import { measureNodes } from './network/nodes.ts';
import { measureRecommendations } from './network/recommendations.ts';
import { measureReports } from './network/reports.ts';

const MB = 1024 * 1024;

/**
 * `npm run bench -- network [batches per round] [--database-url URL]…`: the network next to the same rows stored straight in
 * its database. With URLs it measures that database only, which it writes to: a server, or the nodes of a distributed one.
 * `--nodes COORDINATOR,WORKER,…`: one server, and clusters of one worker and more, on this machine.
 */
export async function run(args: string[]): Promise<void> {
  const urls = args.flatMap((arg, index) => (args[index - 1] === '--database-url' ? [arg] : []));
  const batches = Number(args.find((arg) => /^\d+$/.test(arg)) ?? 100);
  const nodes = args.flatMap((arg, index) => (args[index - 1] === '--nodes' ? arg.split(',') : []));
  if (nodes.length > 0) return measureNodes(nodes);
  if (urls.length > 0) return measureServer(urls, urls, batches);
  const nodeAlone = process.memoryUsage.rss();
  await measureStart();
  console.log('\nPGlite, one caller, batches of 20: goal ≥ 0.80 of the same rows stored straight in the database');
  const open = (): Promise<Database> => openPglite();
  await compareIngest({ batches, callers: 1, place: { memory: true }, open });
  await measureRecommendations(await open());
  const cluster = await startPostgres().catch((error: unknown) =>
    console.log(`\nNo PostgreSQL here: ${String(error)}`),
  );
  if (cluster) {
    await measureServer([await cluster.freshUrl()], [await cluster.freshUrl()], batches);
    await measureRecommendations(openPostgres(await cluster.freshUrl()));
    await cluster.stop();
  }
  await measureReports();
  const [alone, now] = [nodeAlone, process.memoryUsage.rss()].map((bytes) => (bytes / MB).toFixed(0));
  console.log(
    `\nMemory of this process: ${alone} MB before the first start, ${now} MB now, with what two databases left behind`,
  );
}

async function measureServer(ours: readonly string[], floor: readonly string[], batches: number): Promise<void> {
  console.log(`\nPostgreSQL (${ours.length} URL), 8 connections, batches of 20: goal ≥ 0.75, ≥ 12,000 events/s`);
  const open = async (): Promise<Database> => openPostgres(floor, { connections: 8 });
  await compareIngest({ batches, callers: 8, place: { databaseUrl: ours }, open });
}

async function measureStart(): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'offerlet-bench-'));
  try {
    for (const [what, goal] of [
      ['a new directory with the demo', 6],
      ['the same directory again', 2],
    ] as const) {
      const floor = await seconds(() => openPglite(join(data, 'alone')));
      const ours = await seconds(() => createNetwork({ data: join(data, 'network'), log: () => undefined }));
      console.log(`Start on ${what} (goal < ${goal} s)`);
      console.log(`  floor, the embedded database alone ${floor.toFixed(2)} s   ours ${ours.toFixed(2)} s`);
    }
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

/** How long something takes to open; it is closed again. */
async function seconds(open: () => Promise<{ close(): Promise<void> }>): Promise<number> {
  const began = performance.now();
  const opened = await open();
  const took = (performance.now() - began) / 1_000;
  await opened.close();
  return took;
}
