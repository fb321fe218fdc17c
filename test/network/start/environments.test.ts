import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeFolder } from '../../fixtures/makeFolder.ts';
import { createNetwork, type Network } from '../../../src/network.ts';
import { openNetworkDatabase } from '../../../src/network/database/openNetworkDatabase.ts';
import { ask, event, testNetworkOf, type Body } from '../testNetwork.ts';

// Two networks share one database here, one after the other: the embedded one lets in one process at a time.

let data: string;
let open: Network | undefined;
beforeEach(() => void (data = makeFolder()));
afterEach(() => stop());

async function stop(): Promise<void> {
  await open?.close();
  open = undefined;
}

async function start(environment: 'staging' | 'production', options: { showKeys?: boolean } = {}) {
  await stop();
  open = await createNetwork({ data, environment, seed: 'empty', log: () => undefined, ...options });
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
    // Such a key shows how staging responds to a live key.
    expect((await staging.details(key)).body.detail).toContain('does not match the service environment (staging)');
  }

  const production = await start('production');
  expect((await production.details(own)).status).toBe(200);
  for (const key of live) expect((await production.details(key)).status, key).toBe(401);
  expect((await production.details(rotated.key)).body.detail).toContain('A staging network created this key');
});

test('a staging control can neither rotate nor revoke a key of production', async () => {
  const { keys } = await start('production');
  const id = await readFirstKeyId();
  const staging = await start('staging');
  expect((await staging.call('POST', `/sandbox/keys/${id}/rotate`)).status).toBe(404);
  expect((await staging.call('DELETE', `/sandbox/keys/${id}`)).status).toBe(404);
  const production = await start('production');
  expect((await production.details(keys.management ?? '')).status).toBe(200);
});

test('production ignores a clock that a staging control stopped', async () => {
  const staging = await start('staging');
  await staging.control('POST', '/sandbox/clock', { now: '2025-11-20T10:30:00Z' });
  const production = await start('production');
  const { body } = await production.post('/recommendations', ask());
  const load = { event_name: 'WIDGET_LOAD', event_datetime: new Date().toISOString(), session_id: body.session_id };
  expect((await production.post('/events', load)).status).toBe(201);
});

test('production stores of an event what it counts, staging the event as it arrived', async () => {
  const sent: Body[] = [];
  for (const environment of ['production', 'staging'] as const) {
    const { session, post } = await start(environment, { showKeys: true });
    const { session_id } = await session();
    sent.push({
      event_name: 'WIDGET_LOAD',
      event_datetime: new Date().toISOString(),
      session_id,
      email: 'a@b.example',
    });
    expect((await post('/events', sent.at(-1))).status).toBe(201);
  }
  const { call } = testNetworkOf(open as Network);
  const shown = await Promise.all(
    sent.map(async ({ session_id }) => (await call('GET', `/sandbox/events?session_id=${session_id}`)).body.events),
  );
  expect(shown).toMatchObject([[{ status: 'stored' }], [{ status: 'stored', event: sent[1] }]]);
  expect(shown[0][0]).not.toHaveProperty('event');
});

test('production takes no event of a session that staging opened', async () => {
  const { publisher } = (await start('production')).network.describe();
  const staging = await start('staging');
  expect(staging.network.describe().publisher).toEqual(publisher);
  const ago = new Date(Date.now() - 20 * 86_400_000).toISOString();
  await staging.control('POST', '/sandbox/clock', { now: ago });
  const { session_id } = await staging.session();
  const load = { event_name: 'WIDGET_LOAD', event_datetime: ago, session_id };
  expect((await staging.post('/events', load)).status).toBe(201);
  const production = await start('production', { showKeys: true });
  const own = await production.session();
  const unknown = await production.post('/events', { ...load, session_id: randomUUID() });
  const refused = await production.post('/events', load);
  expect({ status: refused.status, body: refused.body }).toEqual({ status: 400, body: unknown.body });
  const mixed = await production.batch([
    event('WIDGET_LOAD', { session_id, items: [] }, { event_datetime: new Date().toISOString() }),
    event('WIDGET_LOAD', own, { event_datetime: new Date().toISOString() }),
  ]);
  expect(mixed.status).toBe(207);
});

test('what changes everything is refused to a staging control on the database of a production network', async () => {
  const own = (await start('production')).keys.management ?? '';
  const staging = await start('staging');
  for (const [method, path, body] of [
    ['POST', '/sandbox/reset', { seed: 'empty' }],
    ['PUT', '/sandbox/settings', { report_row_limit: 1 }],
    ['POST', '/sandbox/activity', { rows: [] }],
  ] as const) {
    const refused = await staging.call(method, path, { body });
    expect(refused.status, path).toBe(409);
    expect(JSON.stringify(refused.body), path).toContain('A production network shares this database');
  }
  const production = await start('production');
  expect((await production.details(own)).status).toBe(200);
});

async function readFirstKeyId(): Promise<string> {
  await stop();
  const db = await openNetworkDatabase({ data });
  const [row] = await db.query<{ id: string }>(
    "SELECT value->>0 AS id FROM settings WHERE name = 'first_key_ids_production'",
  );
  await db.close();
  return row?.id ?? '';
}
