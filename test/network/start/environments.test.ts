import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createNetwork, type Network } from '../../../src/network.ts';
import { openNetworkDatabase } from '../../../src/network/start/openNetworkDatabase.ts';
import { testNetworkOf, type Body } from '../testNetwork.ts';

// Two networks share one database here, one after the other: the embedded one lets in one process at a time.

let data: string;
let open: Network | undefined;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'offerlet-environments-'));
});
afterEach(async () => {
  await stop();
  rmSync(data, { recursive: true, force: true });
});

async function stop(): Promise<void> {
  await open?.close();
  open = undefined;
}

async function start(environment: 'staging' | 'production') {
  await stop();
  open = await createNetwork({ data, environment, seed: 'empty', log: () => undefined });
  const world = testNetworkOf(open);
  const details = async (key: string): Promise<{ status: number; body: Body }> =>
    world.call('GET', '/adnet/channel/details/', { key });
  return { ...world, details, keys: open.describe().keys };
}

test('production accepts no key that a staging control created', async () => {
  const before = await start('production');
  const own = before.keys.management ?? '';
  const staging = await start('staging');
  const minted = await staging.control('POST', '/sandbox/keys', { kind: 'management', environment: 'production' });
  const rotated = await staging.control('POST', `/sandbox/keys/${minted.id}/rotate`);
  const tenant = await staging.control('POST', '/sandbox/channels', { name: 'Mine', environment: 'production' });
  const live = [minted.key, rotated.key, tenant.keys.management, tenant.keys.publishable];
  for (const key of live) {
    expect(key).toMatch(/^adnet_\w+_live_/);
    // What such a key is for: seeing what staging answers to a live key.
    expect((await staging.details(key)).body.detail).toContain('does not match the service environment (staging)');
  }

  const production = await start('production');
  expect((await production.details(own)).status).toBe(200);
  for (const key of live) expect((await production.details(key)).status, key).toBe(401);
  expect((await production.details(rotated.key)).body.detail).toContain('A staging network created this key');
}, 60_000);

test('a staging control can neither rotate nor revoke a key of production', async () => {
  const { keys } = await start('production');
  const id = await readFirstKeyId();
  const staging = await start('staging');
  expect((await staging.call('POST', `/sandbox/keys/${id}/rotate`)).status).toBe(404);
  expect((await staging.call('DELETE', `/sandbox/keys/${id}`)).status).toBe(404);
  const production = await start('production');
  expect((await production.details(keys.management ?? '')).status).toBe(200);
}, 60_000);

test('production ignores a clock that a staging control stopped', async () => {
  const staging = await start('staging');
  await staging.control('POST', '/sandbox/clock', { now: '2025-11-20T10:30:00Z' });
  const production = await start('production');
  const { body } = await production.post('/recommendations', {
    user_details: { phone: '1' },
    placement_details: { view: 'CHECKOUT', display_mode: 'INLINE' },
  });
  const load = {
    event_name: 'WIDGET_LOAD',
    event_datetime: new Date().toISOString(),
    session_id: body.session_id,
  };
  expect((await production.post('/events', load)).status).toBe(201);
}, 60_000);

async function readFirstKeyId(): Promise<string> {
  await stop();
  const db = await openNetworkDatabase({ data });
  const [row] = await db.query<{ id: string }>(
    "SELECT value->>0 AS id FROM settings WHERE name = 'first_key_ids_production'",
  );
  await db.close();
  return row?.id ?? '';
}
