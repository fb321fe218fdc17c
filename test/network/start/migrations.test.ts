import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createNetwork } from '../../../src/network.ts';
import { openPglite } from '../../../src/network/database/pglite.ts';
import { openPostgres } from '../../../src/network/database/postgres.ts';
import {
  createSchema,
  MIGRATIONS,
  REFERENCE_TABLES,
  SCHEMA_VERSION,
  SHARDED_TABLES,
} from '../../../src/network/database/schema.ts';
import { type Cluster, DATABASE_KINDS, startPostgres } from '../databases.ts';
import { event, NOW, testNetworkOf } from '../testNetwork.ts';

/** What a next version may add beside running processes: to each table a column that they do not write. */
const ADDITIVE = {
  sql: [...SHARDED_TABLES, ...REFERENCE_TABLES]
    .map((table) => `ALTER TABLE ${table} ADD COLUMN added text;\n`)
    .join(''),
  oldest: SCHEMA_VERSION,
};

/** Opens offers, reports a click on the first, changes the channel's data; returns the clicks of all time. */
async function use({ session, batch, control, offer, summary }: ReturnType<typeof testNetworkOf>): Promise<unknown> {
  await offer();
  await control('POST', '/sandbox/faults', { route: '/health', status: 503 });
  await control('POST', '/sandbox/keys', { kind: 'management' });
  expect(await batch([event('BRAND_CLICK', await session())])).toMatchObject({ status: 202 });
  return (await summary())['clicks'];
}

describe.each(DATABASE_KINDS)('a newer schema on %s', (kind) => {
  const data = mkdtempSync(join(tmpdir(), 'offerlet-migrations-'));
  let cluster: Cluster | undefined;
  let place: { data: string } | { databaseUrl: string };
  beforeAll(async () => {
    cluster = kind === 'postgres' ? await startPostgres() : undefined;
    place = cluster ? { databaseUrl: await cluster.freshUrl() } : { data };
  });
  afterAll(async () => {
    await cluster?.stop();
    rmSync(data, { recursive: true });
  });
  const start = async () =>
    testNetworkOf(await createNetwork({ ...place, seed: 'empty', now: NOW, log: () => undefined }));

  test('a process one version back goes on beside it, and starts again after a rollback', async () => {
    const before = await start();
    expect(await use(before)).toBe(1);
    // The directory of PGlite has one process at a time.
    if (kind === 'pglite') await before.close();
    const newer = 'data' in place ? await openPglite(join(data, 'database')) : openPostgres(place.databaseUrl);
    expect(await createSchema(newer, [...MIGRATIONS, ADDITIVE])).toBe(true);
    await newer.close();
    if (kind === 'postgres') {
      expect(await use(before)).toBe(2);
      await before.close();
    }
    const after = await start();
    expect(await use(after)).toBe(kind === 'postgres' ? 3 : 2);
    await after.close();
  });
});
