import type { RelayOptions } from 'offerlet/relay';

/** What is used of PostgreSQL: a pool of the `pg` package has it. */
export interface Queries {
  query(sql: string, values: unknown[]): Promise<unknown>;
}

/** Run it once. `event_id` is empty for events without one. */
export const EVENTS_TABLE = `CREATE TABLE IF NOT EXISTS offer_events (
  event_id text,
  session_id text NOT NULL,
  order_id text,
  event_name text NOT NULL,
  offer_id text,
  happened_at timestamptz NOT NULL,
  UNIQUE (session_id, event_id)
)`;

/** For `createRelay({ ...eventRows(pool) })`: a row for each event. For SQLite, write `?1` instead of `$1`. */
export function eventRows(db: Queries): Pick<RelayOptions, 'onEvents'> {
  return {
    async onEvents({ order_id, session_id, events }) {
      for (const { event_id, event_name, brand_properties, event_datetime } of events)
        await db.query(
          'INSERT INTO offer_events VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING',
          [event_id, session_id, order_id, event_name, brand_properties?.offer_id, event_datetime].map(
            (value) => value ?? null,
          ),
        );
    },
  };
}
