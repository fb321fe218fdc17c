import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createNetwork } from '../../../src/network.ts';
import { buildNetwork } from './buildNetwork.ts';
import { DATABASE_KINDS, startPostgres, type Cluster } from '../databases.ts';
import { ask, event, testNetworkOf, type Shown } from '../testNetwork.ts';

const run = promisify(execFile);

describe.runIf(DATABASE_KINDS.includes('postgres'))('two networks on one PostgreSQL', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startPostgres();
  }, 60_000);
  afterAll(() => cluster.stop());

  test('processes that start and write concurrently lose nothing and count once', async () => {
    const module = await buildNetwork('two');
    const databaseUrl = await cluster.freshUrl();
    const writer = (): Promise<{ stdout: string }> =>
      run(process.execPath, [
        join(import.meta.dirname, 'writer.mjs'),
        module,
        JSON.stringify({ databaseUrl, rounds: 30 }),
      ]);
    const said = await Promise.all([writer(), writer()]);
    const acknowledged = said.flatMap(({ stdout }) =>
      stdout
        .trim()
        .split('\n')
        .flatMap((line) => (JSON.parse(line) as { acknowledged?: string[] }).acknowledged ?? []),
    );
    expect(new Set(acknowledged).size).toBe(2 * 30 * 3);
    const { stdout } = await run(process.execPath, [
      join(import.meta.dirname, 'writer.mjs'),
      module,
      JSON.stringify({ databaseUrl, rounds: 0 }),
    ]);
    const { present, loads } = JSON.parse(stdout) as { present: string[]; loads: number };
    expect({ present: new Set(present).size, loads }).toEqual({ present: 180, loads: 180 });
    rmSync(new URL('..', module), { recursive: true, force: true });
  }, 120_000);

  test('changes in one process apply in the other at once: keys, clock, faults, exclusions, sessions', async () => {
    const databaseUrl = await cluster.freshUrl();
    const start = () => createNetwork({ databaseUrl, seed: 'empty', log: () => undefined });
    const [one, two] = [await start(), await start()];
    const [left, right] = [testNetworkOf(one), testNetworkOf(two)];
    expect(two.describe()).toEqual(one.describe());
    await left.control('POST', '/sandbox/clock', { now: '2025-11-20T10:30:00Z' });
    expect((await right.control('GET', '/sandbox/health')).now).toBe('2025-11-20T10:30:00.000Z');
    await left.offer();
    const session: Shown = await right.session();
    const click = event('BRAND_CLICK', session);
    await Promise.all([left.batch([click]), right.batch([click]), left.batch([event('CONVERSION', session)])]);
    expect(await right.summary()).toMatchObject({ clicks: 1, conversions: 1, attributed_ad_spend_amount: 2.5 });
    await left.control('POST', '/sandbox/faults', { route: '/recommendations', status: 503 });
    expect((await right.post('/recommendations', ask())).status).toBe(503);
    const key = await left.control('POST', '/sandbox/keys', { kind: 'management' });
    await right.control('DELETE', `/sandbox/keys/${key.id}`);
    expect((await left.call('GET', '/adnet/channel/details/', { key: key.key })).status).toBe(401);
    // Both processes have cached the session, which the reset deleted.
    await right.control('POST', '/sandbox/reset', { seed: 'empty' });
    expect(await left.batch([event('BRAND_CLICK', session)])).toMatchObject({
      status: 502,
      body: { results: [{ success: false, error: { code: 'UNKNOWN_SESSION' } }] },
    });
    await Promise.all([one.close(), two.close()]);
  }, 60_000);
});
