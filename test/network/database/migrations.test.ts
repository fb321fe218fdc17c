import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../../src/network/database/database.ts';
import { migrate } from '../../../src/network/database/migrate.ts';
import { MIGRATIONS } from '../../../src/network/database/migrations.ts';
import { openPglite } from '../../../src/network/database/pglite.ts';
import { openPostgres } from '../../../src/network/database/postgres.ts';
import { DATABASE_KINDS, startPostgres, type Cluster } from '../databases.ts';

describe.each(DATABASE_KINDS)('a database of schema version 2 on %s', (kind) => {
  let cluster: Cluster | undefined;
  let db: Database;
  const ids = {
    first: randomUUID(),
    minted: randomUUID(),
    seeded: randomUUID(),
    tenant: randomUUID(),
    staging: randomUUID(),
  };
  const event = { publisher: randomUUID(), session: randomUUID() };
  const channel = randomUUID();
  beforeAll(async () => {
    cluster = kind === 'postgres' ? await startPostgres() : undefined;
    db = cluster ? openPostgres(await cluster.freshUrl()) : await openPglite();
    await db.exec('CREATE TABLE schema_versions (version integer PRIMARY KEY, applied_at timestamptz NOT NULL)');
    for (const [index, { sql, fill }] of MIGRATIONS.slice(0, 2).entries()) {
      await db.exec(sql);
      if (fill) await db.exec(fill);
      await db.query('INSERT INTO schema_versions VALUES ($1, $2)', [index + 1, new Date()]);
    }
    await addKey(ids.first, 'management', 'production');
    await addKey(ids.minted, 'management', 'production');
    await addKey(ids.seeded, 'publishable', 'production', randomUUID());
    await addKey(ids.tenant, 'publishable', 'production', randomUUID(), randomUUID());
    await addKey(ids.staging, 'management', 'staging');
    await db.query('INSERT INTO settings VALUES ($1, $2), ($3, $4)', [
      'first_key_ids_production',
      JSON.stringify([ids.first]),
      'first',
      JSON.stringify({ channel_id: channel, publisher_remote_id: randomUUID() }),
    ]);
    await addEvent('kept', event.session);
    expect(await migrate(db)).toBe(MIGRATIONS.length - 2);
  }, 60_000);
  afterAll(async () => {
    await db?.close();
    await cluster?.stop();
  });

  async function addKey(
    id: string,
    keyKind: string,
    environment: string,
    publisher?: string,
    of = channel,
  ): Promise<void> {
    await db.query(
      'INSERT INTO api_keys (id, key_hash, kind, environment, channel_id, publisher_id, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)',
      [id, `hash of ${id}`, keyKind, environment, of, publisher ?? null, new Date()],
    );
  }
  async function addEvent(id: string, session: string): Promise<void> {
    await db.query(
      'INSERT INTO events (publisher_id, event_id, session_id, event_name, event_at, body, received_at, arrival) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)',
      [event.publisher, id, session, 'WIDGET_LOAD', new Date(), '{}', new Date(), 1],
    );
  }

  test('only the keys that a production network issued count as its own', async () => {
    const rows = await db.query<{ id: string; issued_in: string }>('SELECT id, issued_in FROM api_keys');
    const own = rows.filter(({ issued_in }) => issued_in === 'production').map(({ id }) => id);
    expect(own.toSorted()).toEqual([ids.first, ids.seeded].toSorted());
    expect(rows).toHaveLength(5);
  });

  test('its events are kept, and other sessions may use their ids', async () => {
    expect(await db.query('SELECT event_id FROM events')).toEqual([{ event_id: 'kept' }]);
    await expect(addEvent('kept', event.session)).rejects.toThrow(/duplicate key/);
    await addEvent('kept', randomUUID());
  });
});
