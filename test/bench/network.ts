import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNetwork } from '../../src/network.ts';
import { openPglite } from '../../src/network/database/pglite.ts';
import { openPostgres } from '../../src/network/database/postgres.ts';
import { startPostgres } from '../network/databases.ts';
import { compareIngest } from './network/ingest.ts';
import { measureReports } from './network/reports.ts';

const MB = 1024 * 1024;

/** `npm run bench -- network [batches per round]`: the network next to the same statement sent straight to its database. */
export async function run(args: string[]): Promise<void> {
  const batches = Number(args[0] ?? 100);
  await measureStart();
  console.log('\nPGlite, one caller, batches of 20: goal ≥ 0.70 of the same statement sent straight to the database');
  await compareIngest({ batches, callers: 1, place: { memory: true }, open: () => openPglite() });
  const cluster = await startPostgres().catch((error: unknown) =>
    console.log(`\nNo PostgreSQL here: ${String(error)}`),
  );
  if (cluster) {
    const [ours, floor] = [await cluster.freshUrl(), await cluster.freshUrl()];
    console.log('\nPostgreSQL, 8 connections, batches of 20: goal ≥ 0.60');
    const open = async (): Promise<ReturnType<typeof openPostgres>> => openPostgres(floor, { connections: 8 });
    await compareIngest({ batches, callers: 8, place: { databaseUrl: ours }, open });
    await cluster.stop();
  }
  await measureReports();
  console.log(`\nMemory of this process, both databases included: ${(process.memoryUsage.rss() / MB).toFixed(0)} MB`);
}

async function measureStart(): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'offerlet-bench-'));
  try {
    for (const [what, goal] of [
      ['a new directory with the demo', 6],
      ['the same directory again', 2],
    ] as const) {
      const began = performance.now();
      const network = await createNetwork({ data, log: () => undefined });
      console.log(`Start on ${what}: ${((performance.now() - began) / 1_000).toFixed(2)} s (goal < ${goal} s)`);
      await network.close();
    }
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}
