import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Database, DatabaseUnavailableError } from '../../../src/network/database/database.ts';
import { type AcceptedEvent, createEventStore } from '../../../src/network/events/eventStore.ts';
import { DATABASE_KINDS, openTestDatabase } from '../databases.ts';
import { ofSuite } from '../../fixtures/opened.ts';

const NOW = new Date('2025-11-20T10:30:00.000Z');

describe.each(DATABASE_KINDS)('on %s', (kind) => {
  let db: Database;
  const open = ofSuite(() => openTestDatabase(kind));
  beforeAll(() => void ({ db } = open));

  /** A store on the database, and how many transactions it has begun. */
  function counted(): { store: ReturnType<typeof createEventStore>; transactions(): number } {
    let begun = 0;
    const store = createEventStore({
      ...db,
      transaction: (work, options) => {
        begun += 1;
        return db.transaction(work, options);
      },
    });
    return { store, transactions: () => begun };
  }

  async function read(publisherId: string): Promise<{ events: string[]; clicks: number }> {
    const rows = await db.query<{ event_id: string }>(
      'SELECT event_id FROM events WHERE publisher_id = $1 ORDER BY event_id',
      [publisherId],
    );
    const [facts] = await db.query<{ clicks: number }>(
      'SELECT sum(clicks)::int AS clicks FROM hourly_facts WHERE publisher_id = $1',
      [publisherId],
    );
    return { events: rows.map(({ event_id }) => event_id), clicks: facts?.clicks ?? 0 };
  }

  test('concurrent requests for one publisher share a transaction, and each gets its own results', async () => {
    const { store, transactions } = counted();
    const [publisherId, sessionId] = [randomUUID(), randomUUID()];
    const works = ['a', 'b', 'a', 'c'].map((id) => [click(publisherId, sessionId, id)]);
    const results = await Promise.all(works.map((events) => store(publisherId, events)));
    expect(transactions()).toBe(1);
    expect(works.map(([event], index) => event && results[index]?.has(event))).toEqual([true, true, false, true]);
    expect(await read(publisherId)).toEqual({ events: ['a', 'b', 'c'], clicks: 3 });
  });

  test('requests for other publishers have separate transactions', async () => {
    const { store, transactions } = counted();
    const publishers = [randomUUID(), randomUUID()];
    await Promise.all(publishers.map((id) => store(id, [click(id, randomUUID(), 'a')])));
    expect(transactions()).toBe(2);
    for (const id of publishers) expect(await read(id)).toEqual({ events: ['a'], clicks: 1 });
  });

  test('a request that cannot be stored fails alone', async () => {
    const { store } = counted();
    const [publisherId, sessionId] = [randomUUID(), randomUUID()];
    // PostgreSQL cannot store the character U+0000. No such event passes the checks before.
    const results = await Promise.allSettled(
      ['a', 'bad\0', 'c'].map((id) => store(publisherId, [click(publisherId, sessionId, id)])),
    );
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await read(publisherId)).toEqual({ events: ['a', 'c'], clicks: 2 });
  });

  test('more events than one statement holds are stored and counted once', async () => {
    const { store } = counted();
    const [publisherId, sessionId] = [randomUUID(), randomUUID()];
    const works = Array.from({ length: 9 }, (_, request) =>
      Array.from({ length: 20 }, (_event, n) => click(publisherId, sessionId, `${request}-${n}`)),
    );
    await Promise.all([...works, ...works].map((events) => store(publisherId, events)));
    const stored = await read(publisherId);
    expect(stored.events).toHaveLength(180);
    expect(stored.clicks).toBe(180);
  });
});

test('while the database is away each request fails once, and none is tried again', async () => {
  let tries = 0;
  const away = async (): Promise<never> => {
    tries += 1;
    throw new DatabaseUnavailableError(new Error('no route'));
  };
  const store = createEventStore({
    kind: 'postgres',
    query: away,
    hot: away,
    exec: away,
    transaction: away,
    read: away,
    close: async () => undefined,
  });
  const works = ['a', 'b'].map((id) => store('p', [click('p', 's', id)]));
  const results = await Promise.allSettled(works);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(tries).toBe(1);
});

let arrival = 0;

function click(publisher_id: string, session_id: string, event_id: string): AcceptedEvent {
  const placement = { page_type: 'THANK_YOU', widget_type: 'INLINE', widget_id: '' };
  return {
    event: { event_id, event_name: 'BRAND_CLICK', event_datetime: NOW.toISOString(), session_id },
    at: NOW.getTime(),
    session: {
      publisher_id,
      session_id,
      channel_id: publisher_id,
      ...placement,
      is_sandbox: false,
      has_email: true,
      order_amount: null,
      insertions: {},
      created_at: NOW,
    },
    arrival: (arrival += 1),
    receivedAt: NOW,
    raw: { event_id },
  };
}
