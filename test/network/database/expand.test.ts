import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { migrate } from '../../../src/network/database/migrate.ts';
import { MIGRATIONS } from '../../../src/network/database/migrations.ts';
import { openPglite } from '../../../src/network/database/pglite.ts';

// A new process migrates while older ones go on: a schema only grows. What nobody uses any more is dropped a release later.

/** Changes the key of events, which processes of schema 2 name in their statements: they get 500s until they end. Since then no statement names it. */
const BEFORE_THIS_RULE = 3;

test('no migration takes away what the version before it uses', () => {
  for (const [index, { sql }] of MIGRATIONS.entries()) {
    if (index + 1 === BEFORE_THIS_RULE) continue;
    expect(sql, `migration ${index + 1}`).not.toMatch(/\b(?:DROP|RENAME|SET NOT NULL|ALTER COLUMN|TRUNCATE)\b/i);
    for (const [, column = ''] of sql.matchAll(/ADD COLUMN ([^;]+);/gi))
      expect(/NOT NULL/i.test(column) && !/DEFAULT/i.test(column), `migration ${index + 1}: ${column}`).toBe(false);
  }
});

test('the statements of the version before work on the new schema, over its data', async () => {
  const db = await openPglite();
  const before = MIGRATIONS.length - 1;
  await db.exec('CREATE TABLE schema_versions (version integer PRIMARY KEY, applied_at timestamptz NOT NULL)');
  for (const [index, { sql, fill }] of MIGRATIONS.slice(0, before).entries()) {
    await db.exec(sql);
    if (fill) await db.exec(fill);
    await db.query('INSERT INTO schema_versions VALUES ($1, $2)', [index + 1, new Date()]);
  }
  const [publisher, session, time] = [randomUUID(), randomUUID(), '2025-11-20T10:00:00Z'];
  /** What a process of the version before does: a session, an event, and what it counts. */
  async function asBefore(sessionId: string): Promise<void> {
    await db.query(
      `INSERT INTO sessions (publisher_id, session_id, channel_id, page_type, widget_type, widget_id, is_sandbox, has_email, order_amount, insertions, created_at)
       VALUES ($1, $2, $1, 'THANK_YOU', 'INLINE', '', false, true, NULL, '{}', $3)`,
      [publisher, sessionId, time],
    );
    for (const _ of ['first', 'again'])
      await db.query(
        `INSERT INTO events (publisher_id, event_id, session_id, event_name, event_at, body, received_at, arrival)
         VALUES ($1, 'e', $2, 'WIDGET_LOAD', $3, '{}', $3, 1) ON CONFLICT (publisher_id, session_id, event_id) DO NOTHING`,
        [publisher, sessionId, time],
      );
    await db.query(
      `INSERT INTO hourly_facts AS f (publisher_id, channel_id, hour, day, week_start, month_start, page_type, widget_type, widget_id, feed_loads)
       VALUES ($1, $1, $2, '2025-11-20', '2025-11-17', '2025-11-01', 'THANK_YOU', 'INLINE', '', 1)
       ON CONFLICT (publisher_id, channel_id, hour, page_type, widget_type, widget_id) DO UPDATE SET feed_loads = f.feed_loads + excluded.feed_loads`,
      [publisher, time],
    );
  }
  await asBefore(session);
  expect(await migrate(db)).toBe(1);
  await asBefore(randomUUID());
  expect(await db.query('SELECT count(*) AS n FROM events')).toEqual([{ n: 2 }]);
  expect(await db.query('SELECT feed_loads FROM hourly_facts')).toEqual([{ feed_loads: 2 }]);
  await db.close();
}, 60_000);
