import { beforeAll, describe, expect, test } from 'vitest';
import { ofSuite } from '../../fixtures/opened.ts';
import { REFERENCE_TABLES, SHARDED_TABLES } from '../../../src/network/database/schema.ts';
import { seed, type Tenant } from '../../../src/network/seed/seed.ts';
import { DATABASE_KINDS, openTestDatabase } from '../databases.ts';

const NOW = new Date('2026-11-21T14:30:00Z');
const OPTIONS = { now: NOW, environment: 'staging' } as const;
const TABLES = [...SHARDED_TABLES, ...REFERENCE_TABLES].join(', ');

describe.each(DATABASE_KINDS)('seeds on %s', (kind) => {
  const open = ofSuite(() => openTestDatabase(kind));
  let first: Tenant;
  const sow = (what: 'demo' | 'empty') => open.db.transaction((db) => seed(db, { ...OPTIONS, kind: what }));
  beforeAll(async () => {
    first = await sow('demo');
  });

  test('the demo has one channel, twelve approved publishers and requests in every other status', async () => {
    const rows = await open.db.query<{ status: string; count: number; keys: number }>(
      'SELECT status, count(*) AS count, count(api_key) AS keys FROM publishers GROUP BY status ORDER BY status',
    );
    expect(rows).toEqual([
      { status: 'APPROVED', count: 12, keys: 12 },
      { status: 'NEEDS_INFO', count: 2, keys: 0 },
      { status: 'PENDING', count: 3, keys: 0 },
      { status: 'REJECTED', count: 2, keys: 0 },
    ]);
    // Derived tables, because citus has no subqueries in the list of a distributed SELECT.
    const [revenue] = await open.db.query(`SELECT * FROM
      (SELECT sum(order_revenue_amount) AS by_hour FROM hourly_facts) hours,
      (SELECT sum(order_revenue_amount) AS by_day FROM daily_facts) days`);
    expect(revenue?.['by_day']).toBe(revenue?.['by_hour']);
    expect(first).toMatchObject({ channel: { name: 'Demo Channel' }, publisher: { brand_name: 'Juniper & Co' } });
  });

  test('the empty seed has one channel, one approved publisher and categories, and nothing else', async () => {
    await open.db.exec(`TRUNCATE ${TABLES}`);
    const tenant = await sow('empty');
    const [counts] = await open.db
      .query(`SELECT (SELECT count(*) FROM channels) AS channels, (SELECT count(*) FROM publishers WHERE status = 'APPROVED') AS publishers,
      (SELECT count(*) FROM categories) AS categories, (SELECT count(*) FROM offers) AS offers, (SELECT count(*) FROM hourly_facts) AS facts`);
    expect(counts).toEqual({ channels: 1, publishers: 1, categories: 11, offers: 0, facts: 0 });
    expect(tenant.publisher.brand_name).toBe('First Shop');
  });
});
