import type { Database } from '../../src/network/database/database.ts';
import { openPglite } from '../../src/network/database/pglite.ts';
import { openPostgres } from '../../src/network/database/postgres.ts';
import { startPostgres } from '../network/databases.ts';
import { compareIngest } from './network/ingest.ts';
import { measureRecommendations } from './network/recommendations.ts';
import { measureReports } from './network/reports.ts';

/**
 * `npm run bench -- network [batches per round] [--database-url URL]`: the network next to the same rows stored straight in
 * its database. With a URL it measures that database only, which it writes to.
 */
export async function run(args: string[]): Promise<void> {
  const url = args[args.indexOf('--database-url') + 1];
  const batches = Number(args.find((arg) => /^\d+$/.test(arg)) ?? 100);
  if (args.includes('--database-url') && url !== undefined) return measureServer(url, url, batches);
  console.log('PGlite, one caller, batches of 20: goal ≥ 0.80 of the same rows stored straight in the database');
  const open = (): Promise<Database> => openPglite();
  await compareIngest({ batches, callers: 1, place: { memory: true }, open });
  await measureRecommendations(await open());
  const cluster = await startPostgres().catch((error: unknown) =>
    console.log(`\nNo PostgreSQL here: ${String(error)}`),
  );
  if (cluster) {
    await measureServer(await cluster.freshUrl(), await cluster.freshUrl(), batches);
    await measureRecommendations(openPostgres(await cluster.freshUrl()));
    await cluster.stop();
  }
  await measureReports();
}

async function measureServer(ours: string, floor: string, batches: number): Promise<void> {
  console.log(`\nPostgreSQL, 8 connections, batches of 20: goal ≥ 0.75, ≥ 12,000 events/s`);
  const open = async (): Promise<Database> => openPostgres(floor, { connections: 8 });
  await compareIngest({ batches, callers: 8, place: { databaseUrl: ours }, open });
}
