import { lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createNetwork, NetworkStartError, type NetworkOptions } from '../../../src/network.ts';
import { openPglite } from '../../../src/network/database/pglite.ts';
import { makeFolder } from '../../fixtures/makeFolder.ts';
import { event, NOW, testNetworkOf } from '../testNetwork.ts';

// A new directory takes the embedded database seconds of computing, and this machine may be busy.

const start = (options: NetworkOptions): ReturnType<typeof createNetwork> =>
  createNetwork({ seed: 'empty', log: () => undefined, ...options });

test('a staging network has its directory alone, shows the same keys at every start, and stores them there for its account only', async () => {
  const data = makeFolder();
  const elsewhere = join(makeFolder(), 'elsewhere');
  writeFileSync(elsewhere, 'precious', { mode: 0o644 });
  // As a folder that somebody else has made might have it.
  if (process.platform !== 'win32') symlinkSync(elsewhere, join(data, 'keys.json'));
  const first = await start({ data });
  const described = first.describe();
  const refused = await start({ data }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(NetworkStartError);
  expect(String(refused)).toMatch(new RegExp(`^.*in use by process ${process.pid}.*$`));
  expect((await testNetworkOf(first).call('GET', '/health')).status).toBe(200);
  await first.close();
  expect(readFileSync(elsewhere, 'utf8')).toBe('precious');
  expect(lstatSync(join(data, 'keys.json')).isFile()).toBe(true);
  expect(statSync(join(data, 'keys.json')).mode & 0o777).toBe(0o600);
  expect(readdirSync(data).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  const second = await start({ data });
  expect(second.describe()).toEqual(described);
  expect(described.keys.management).toMatch(/^adnet_sk_test_/);
  expect(
    (await testNetworkOf(second).call('GET', '/adnet/channel/details/', { key: described.keys.management ?? '' }))
      .status,
  ).toBe(200);
  await second.close();
});

test('what a process left unbilled, the next one bills when it starts', async () => {
  const data = makeFolder();
  const first = await start({ data, now: NOW });
  const world = testNetworkOf(first);
  await world.offer();
  const shown = await world.session();
  await world.batch(['BRAND_CLICK', 'CONVERSION'].map((name) => event(name, shown)));
  const billed = await world.summary();
  await first.close();
  // As if it had been killed before it billed.
  const db = await openPglite(join(data, 'database'));
  await db.query('UPDATE conversions SET attributed = false', []);
  await db.close();
  const second = await start({ data });
  const spent = 2 * (billed['attributed_ad_spend_amount'] ?? 0);
  const summary = (): Promise<object> => testNetworkOf(second).summary();
  await expect.poll(summary, { timeout: 10_000 }).toMatchObject({ attributed_ad_spend_amount: spent });
  expect(spent).toBeGreaterThan(0);
  await second.close();
});

test('production shows its keys once; showKeys issues new ones and revokes the old', async () => {
  const data = makeFolder();
  const first = await start({ data, environment: 'production' });
  const keys = first.describe().keys;
  expect(keys.management).toMatch(/^adnet_sk_live_/);
  expect((await testNetworkOf(first).call('POST', '/sandbox/clock', { body: { now: null } })).status).toBe(404);
  await first.close();
  const second = await start({ data, environment: 'production' });
  expect(second.describe().keys).toEqual({});
  expect(
    (await testNetworkOf(second).call('GET', '/adnet/channel/details/', { key: keys.management ?? '' })).status,
  ).toBe(200);
  await second.close();
  const third = await start({ data, environment: 'production', showKeys: true });
  const status = async (key = ''): Promise<number> =>
    (await testNetworkOf(third).call('GET', '/adnet/channel/details/', { key })).status;
  expect([await status(keys.management), await status(third.describe().keys.management)]).toEqual([401, 200]);
  await third.close();
});

test.each([
  ['a file in place of a directory', { data: '/dev/null' }, '/dev/null'],
  ['a server that is not there', { databaseUrl: 'postgresql://user:secret@127.0.0.1:1/none' }, 'ECONNREFUSED'],
  ['an invalid time', { now: 'noon' }, '--now'],
  ['a stopped clock in production', { now: '2025-11-20T10:30:00Z', environment: 'production' as const }, '--now'],
])('%s is refused in one line', async (_what, options, word) => {
  const refused = await start(options).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(NetworkStartError);
  expect(String(refused)).toContain(word);
  expect(String(refused)).not.toContain('secret');
  expect(String(refused)).not.toContain('\n');
});

test('an unavailable database is a 503 in the shape of each surface, never a 202', async () => {
  const lines: string[] = [];
  const network = await createNetwork({
    memory: true,
    seed: 'empty',
    log: (entry) => lines.push(JSON.stringify(entry)),
  });
  const world = testNetworkOf(network);
  await network.close();
  const batch = await world.batch([{ event_name: 'WIDGET_LOAD' }]);
  expect({ status: batch.status, body: batch.body, after: batch.headers.get('retry-after') }).toEqual({
    status: 503,
    body: { message: expect.any(String) },
    after: '1',
  });
  expect(await world.call('GET', '/adnet/channel/details/', { key: 'adnet_sk_test_x' })).toMatchObject({
    status: 503,
    body: { detail: expect.any(String) },
  });
  expect(lines.join('\n')).not.toMatch(/adnet_/);
  expect(lines.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ level: 'error', route: '/events/batch' }),
  );
});
