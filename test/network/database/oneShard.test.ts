import { beforeAll, beforeEach, expect, test } from 'vitest';
import { randomUUID } from 'node:crypto';
import type { Database, Parameter } from '../../../src/network/database/database.ts';
import { REFERENCE_TABLES } from '../../../src/network/database/schema.ts';
import { openTestDatabase } from '../databases.ts';
import { ask, event, type TestNetwork } from '../testNetwork.ts';
import { whyNotOneShard } from './oneShard.ts';
import { openRecordedNetwork, type Said } from './recordedNetwork.ts';
import { ofSuite } from '../../fixtures/opened.ts';

// Every statement of the core path (a session, events, conversions, a publisher's report) touches one publisher's shard.

let world: Omit<TestNetwork, 'url'>;
let said: Said[];
let db: Database;
const open = ofSuite(() => openTestDatabase('pglite'));
beforeAll(async () => {
  ({ db } = open);
  ({ world, said } = await openRecordedNetwork(db));
});
beforeEach(() => {
  said.length = 0;
});

function expectOneShard(): void {
  expect(said.length).toBeGreaterThan(0);
  for (const { sql, params } of said) expect(whyNotOneShard(sql, params), sql).toBeUndefined();
}

test('a session takes two statements: one reads what all requests read, one stores it, on one shard', async () => {
  await world.session();
  said.length = 0;
  await world.session();
  expectOneShard();
  expect(said.map(({ sql }) => /^(?:INSERT INTO \w+|SELECT)/.exec(sql)?.[0])).toEqual([
    'SELECT',
    'INSERT INTO sessions',
  ]);
});

/** What sessions are drawn from. Every write makes all processes read it again, in the same transaction. */
const CACHED = /^\s*(?:UPDATE|INSERT INTO|DELETE FROM) (?:offers|advertisers|publishers|channel_exclusions)\b/;

test('whatever changes what offers are drawn from says so in the same transaction', async () => {
  const id = await world.offer({ budget: '2.5' });
  const { publisher_remote_id } = world.network.describe().publisher;
  const key = world.network.describe().keys.management ?? '';
  const put = async (path: string): Promise<void> => {
    const headers = { 'content-type': 'application/json' };
    const { status } = await world.call('PUT', path, { key, headers, body: { subcategory_ids: [] } });
    expect(status).toBe(200);
  };
  await put('/adnet/channel/exclusions/');
  await put(`/adnet/publishers/${publisher_remote_id}/exclusions/`);
  await world.control('PUT', `/sandbox/publishers/${publisher_remote_id}/external-exclusions`, { subcategory_ids: [] });
  await world.control('POST', `/sandbox/publishers/${publisher_remote_id}/status`, { status: 'APPROVED' });
  const session = await world.session();
  const place = session.items.findIndex(({ offer_id }) => offer_id === id);
  await world.batch([event('BRAND_CLICK', session, {}, place), event('CONVERSION', session, {}, place)]);
  await world.control('DELETE', `/sandbox/offers/${id}`);
  const changes = said.filter(({ sql }) => CACHED.test(sql));
  expect(new Set(changes.map(({ sql }) => /(?:UPDATE|INTO|FROM) (\w+)/.exec(sql)?.[1])).size).toBe(4);
  for (const { sql, transaction } of changes) {
    const marks = said.filter(
      (other) => other.transaction === transaction && String(other.params[0]).endsWith('_version'),
    );
    expect(transaction, sql).toBeDefined();
    expect(marks.length, sql).toBeGreaterThan(0);
  }
});

test('a batch is stored and counted in one transaction, on one shard; so is money', async () => {
  const session = await world.session();
  said.length = 0;
  const names = ['WIDGET_LOAD', 'WIDGET_DISPLAY', 'BRAND_DISPLAY', 'BRAND_CLICK', 'ELEMENT_CLICK', 'CONVERSION'];
  const batch = names.map((name) =>
    event(name, session, name === 'ELEMENT_CLICK' ? { initiating_target: 'INLINE_NAV_FORWARD' } : {}),
  );
  expect((await world.batch(batch)).status).toBe(202);
  await expect.poll(() => said.some(({ sql }) => sql.startsWith('UPDATE conversions'))).toBe(true);
  expectOneShard();
  // This process has stored the session itself.
  expect(said.filter(({ sql }) => sql.includes('FROM sessions'))).toEqual([]);
  const [stored] = said.filter(({ sql }) => sql.startsWith('INSERT INTO events'));
  const ingest = said.filter(({ transaction }) => transaction === stored?.transaction);
  expect(ingest.map(({ sql }) => /^INSERT INTO (\w+)/.exec(sql)?.[1])).toEqual([
    'events',
    'activity',
    'conversions',
    'hourly_facts',
    'daily_facts',
  ]);
});

test('even with a partner-wide key, each statement reads sessions of one shard, found by the end of their ids', async () => {
  const { key } = await world.control('POST', '/sandbox/keys', { kind: 'partner_wide' });
  const first = world.network.describe().publisher.publisher_remote_id;
  // Another publisher of the channel whose id ends alike.
  const twin = `${randomUUID().slice(0, -6)}${first.slice(-6)}`;
  await db.query(
    `INSERT INTO publishers SELECT gen_random_uuid(), $2::uuid, channel_id, brand_name, 'twin', domain, 'twin', primary_category_id, subcategory_ids,
       status, staff_notes, api_key, external_exclusions, publisher_exclusions, created_at, updated_at, removed_at
     FROM publishers WHERE publisher_remote_id = $1`,
    [first, twin],
  );
  // By hand, so nobody has said that the publishers changed.
  await world.control('PUT', `/sandbox/publishers/${first}/external-exclusions`, { subcategory_ids: [] });
  const sessions: string[] = [];
  for (const publisher_remote_id of [first, twin]) {
    const { body } = await world.post('/recommendations', ask({ publisher_remote_id }), { 'x-api-key': key });
    sessions.push(body.session_id);
  }
  expect(sessions.map((id) => id.slice(-6))).toEqual([first.slice(-6), first.slice(-6)]);
  const events = sessions.map((session_id) => event('WIDGET_LOAD', { session_id, items: [] }));
  // Another key of the channel: what a key has opened here is not read again.
  const { key: second } = await world.control('POST', '/sandbox/keys', { kind: 'partner_wide' });
  said.length = 0;
  const { status } = await world.post('/events/batch', { events }, { 'x-api-key': second });
  expect(status).toBe(202);
  expectOneShard();
  const reads = said.filter(({ sql }) => sql.includes('FROM sessions'));
  expect(new Set(reads.map(({ params }) => params[0]))).toEqual(new Set([first, twin]));
  // A key of another channel finds none of them.
  const other = await world.control('POST', '/sandbox/channels', { name: 'Other' });
  const foreign = await world.control('POST', '/sandbox/keys', {
    kind: 'partner_wide',
    publisher_remote_id: other.publisher.publisher_remote_id,
  });
  expect((await world.post('/events/batch', { events }, { 'x-api-key': foreign.key })).status).toBe(502);
});

test('a batch of duplicates only reads whether it is one', async () => {
  const session = await world.session();
  const batch = [event('WIDGET_LOAD', session), event('BRAND_DISPLAY', session)];
  await world.batch(batch);
  said.length = 0;
  expect((await world.batch([...batch, { event_name: 'refused' }])).status).toBe(207);
  expectOneShard();
  const written = said.flatMap(({ sql }) => /^(?:INSERT INTO|UPDATE) (\w+)/.exec(sql)?.[1] ?? []);
  expect(written).toEqual(['events', 'receipts']);
});

test('a report of a publisher touches one shard', async () => {
  const key = world.network.describe().keys.publisher_reporting ?? '';
  await world.call('GET', '/api/analysis/publisher-reporting/v2/report/?time_grain=day', { key });
  expectOneShard();
});

test('the check finds what a distributed PostgreSQL cannot route', () => {
  const one = '6f2e0a53-0000-4000-8000-000000000000';
  const wrong: [string, Parameter[]][] = [
    ['WITH x AS (INSERT INTO events (publisher_id, event_id) VALUES ($1, $2)) SELECT 1', [one, 'e']],
    ['INSERT INTO events (publisher_id, event_id) SELECT $1, $2', [one, 'e']],
    ['INSERT INTO events (publisher_id, event_id) VALUES ($1, $2), ($3, $4)', [one, 'e', one, 'f']],
    ['INSERT INTO events (publisher_id, received_at) VALUES ($1, now())', [one]],
    ['INSERT INTO events (publisher_id, event_id) VALUES ($1, $2) ON CONFLICT (event_id) DO NOTHING', [one, 'e']],
    ['INSERT INTO events (publisher_id, event_id) VALUES ($1, $2) RETURNING lower(event_id)', [one, 'e']],
    ['SELECT 1 FROM sessions WHERE session_id = $1', [one]],
    ['SELECT 1 FROM conversions c JOIN events e USING (session_id) WHERE c.publisher_id = $1', [one]],
    ['UPDATE conversions SET billed = true WHERE conversion_id = $1', ['c']],
    ['UPDATE conversions SET billed = true WHERE publisher_id = $1 RETURNING price * (1 + 1)', [one]],
  ];
  for (const [sql, params] of wrong) expect(whyNotOneShard(sql, params), sql).toBeDefined();
  for (const table of REFERENCE_TABLES) expect(whyNotOneShard(`SELECT 1 FROM ${table}`)).toBeUndefined();
  expect(
    whyNotOneShard('INSERT INTO events (publisher_id, event_id) VALUES ($1, $2), ($1, $3)', [one, 'e', 'f']),
  ).toBeUndefined();
});
