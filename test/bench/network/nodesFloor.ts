import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { openPostgres } from '../../../src/network/database/postgres.ts';
import { KINDS } from './ingest.ts';

const PUBLISHERS = 24;
/** What a session counts once. */
const MARKS = ['load', 'display', 'view', 'impression', 'impression', 'impression'];
const COUNTS = ['feed_loads', 'widget_displays', 'viewable_widget_displays', 'impressions', 'clicks', 'conversions'];
const TABLES = ['events', 'activity', 'hourly_facts', 'daily_facts'] as const;
type Table = (typeof TABLES)[number];

interface Publisher {
  readonly id: string;
  /** Its node, by its place in the list. */
  readonly node: number;
  /** The tables of its shards on that node. */
  readonly shards: Readonly<Record<Table, string>>;
}

/** Returns work that stores so many batches. */
type Prepare = (batches: number) => Promise<() => Promise<void>>;

/**
 * Transactions by hand that store what a batch of two sessions stores: two statements for events and marks, two for counters.
 * Nothing is read, checked or returned.
 */
export async function openFloor(nodes: readonly string[]): Promise<{
  /** On the node that holds the publisher. */
  readonly near: Prepare;
  /** On all nodes in turn. */
  readonly anywhere: Prepare;
  /** Into the tables of the shards: what PostgreSQL spends without citus. */
  readonly direct: Prepare;
  close(): Promise<void>;
}> {
  const publishers = await readPublishers(nodes);
  const open = async (isDirect: boolean): Promise<Client[]> =>
    Promise.all(
      nodes.map(async (connectionString) => {
        const options = { connectionString, pipeline: true };
        const client = new Client(options);
        await client.connect();
        // It keeps the plan of each INSERT once more whenever it runs: see postgresNodes.ts.
        if (isDirect && nodes.length > 1) await client.query('SET citus.enable_manual_changes_to_shards = on');
        return client;
      }),
    );
  const [clients, direct] = [await open(false), await open(true)];
  let done = 0;
  const prepare =
    (on: readonly Client[], nodeOf: (publisher: Publisher, index: number) => number, isDirect: boolean): Prepare =>
    async (batches) =>
    async () => {
      for (let index = 0; index < batches; index += 1) {
        const publisher = publishers[index % publishers.length];
        const client = publisher && on[nodeOf(publisher, index)];
        if (!client) throw new Error('There is no node for it');
        await storeBatch(client, publisher, isDirect);
        if (!isDirect && nodes.length > 1 && (done += 1) % 64 === 0)
          await Promise.all(on.map((one) => one.query('DISCARD PLANS')));
      }
    };
  return {
    near: prepare(clients, ({ node }) => node, false),
    anywhere: prepare(clients, (_, index) => index % nodes.length, false),
    direct: prepare(direct, ({ node }) => node, nodes.length > 1),
    close: async () => void (await Promise.all([...clients, ...direct].map((client) => client.end()))),
  };
}

async function readPublishers(nodes: readonly string[]): Promise<Publisher[]> {
  const db = openPostgres(nodes[0] ?? '', { connections: 1 });
  const ports = nodes.map((node) => Number(new URL(node).port));
  const publishers: Publisher[] = [];
  for (let n = 0; n < PUBLISHERS; n += 1) {
    const id = randomUUID();
    const shards: Record<Table, string> = { events: '', activity: '', hourly_facts: '', daily_facts: '' };
    let node = 0;
    for (const table of TABLES) {
      const [place] =
        nodes.length === 1
          ? []
          : await db.query<{ port: number; shard: number }>(
              `SELECT nodeport AS port, shardid AS shard FROM pg_dist_shard_placement
               WHERE shardid = get_shard_id_for_distribution_column($1, $2::uuid)`,
              [table, id],
            );
      shards[table] = place ? `${table}_${place.shard}` : table;
      node = place ? ports.indexOf(place.port) : 0;
    }
    publishers.push({ id, node, shards });
  }
  await db.close();
  return publishers;
}

async function storeBatch(client: Client, { id, shards }: Publisher, isDirect: boolean): Promise<void> {
  const now = new Date().toISOString();
  const [day, hour] = [now.slice(0, 10), `${now.slice(0, 13)}:00:00Z`];
  const sessions = [randomUUID(), randomUUID()];
  const events = sessions.flatMap((session) =>
    KINDS.map((kind, arrival) => [randomUUID(), session, kind, now, randomUUID(), BODY, now, arrival]),
  );
  const marks = sessions.flatMap((session) => MARKS.map((kind, index) => [session, kind, String(index), hour]));
  const placement = ['THANK_YOU', 'INLINE', '', 2, 2, 2, 6, 2, 0, 0];
  const added = [...COUNTS, 'order_revenue_amount'];
  const send = (table: Table, columns: readonly string[], rows: readonly unknown[][], suffix: string) => {
    const places = rows.map(
      (row, index) => `($1, ${row.map((_, column) => `$${index * row.length + column + 2}`).join(', ')})`,
    );
    const into = isDirect ? shards[table] : table;
    const text = `INSERT INTO ${into} AS t (publisher_id, ${columns.join(', ')}) VALUES ${places.join(', ')} ON CONFLICT ${suffix}`;
    return client.query({ name: into, text, values: [id, ...rows.flat()] });
  };
  const sums = added.map((column) => `${column} = t.${column} + excluded.${column}`).join(', ');
  const key = 'publisher_id, channel_id, page_type, widget_type, widget_id';
  const periods = ['day', 'week_start', 'month_start', 'page_type', 'widget_type', 'widget_id', ...added];
  await Promise.all([
    client.query('BEGIN'),
    send(
      'events',
      ['event_id', 'session_id', 'event_name', 'event_at', 'offer_id', 'body', 'received_at', 'arrival'],
      events,
      'DO NOTHING RETURNING session_id, event_id',
    ),
    send(
      'activity',
      ['session_id', 'kind', 'insertion_id', 'hour'],
      marks,
      `(publisher_id, session_id, kind, insertion_id) DO UPDATE SET previous_hour = t.hour, hour = excluded.hour
       WHERE excluded.hour < t.hour RETURNING session_id, kind, hour, previous_hour`,
    ),
    send(
      'hourly_facts',
      ['channel_id', 'hour', ...periods],
      [[id, hour, day, day, day, ...placement]],
      `(${key}, hour) DO UPDATE SET ${sums}`,
    ),
    send(
      'daily_facts',
      ['channel_id', ...periods],
      [[id, day, day, day, ...placement]],
      `(${key}, day) DO UPDATE SET ${sums}`,
    ),
    client.query('COMMIT'),
  ]);
}

/** The size of a real one. */
const BODY = JSON.stringify({
  event_id: randomUUID(),
  event_name: 'BRAND_DISPLAY',
  event_datetime: new Date().toISOString(),
  session_id: randomUUID(),
  brand_properties: { offer_id: randomUUID(), advertiser_id: randomUUID(), insertion_id: randomUUID() },
});
