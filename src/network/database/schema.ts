import { hasCitus, isWorker } from './citus.ts';
import type { Database, Queries } from './database.ts';

// The schema is plain PostgreSQL. What keeps it fit for a distributed PostgreSQL (database.test.ts checks it): every unique
// key of a sharded table holds publisher_id; no triggers, plpgsql, date_trunc or foreign keys across shards. Periods (hour,
// day, week_start, month_start) are computed in code and stored. Money is unbounded NUMERIC: reports round it once.

/** Tables that grow with traffic: a distributed PostgreSQL spreads them by `publisher_id`. */
export const SHARDED_TABLES = [
  'sessions',
  'events',
  'activity',
  'hourly_facts',
  'daily_facts',
  'conversions',
  'receipts',
] as const;

/** Tables that stay small: a distributed PostgreSQL keeps a copy on every node. */
export const REFERENCE_TABLES = [
  'channels',
  'categories',
  'subcategories',
  'channel_exclusions',
  'publishers',
  'api_keys',
  'advertisers',
  'offers',
  'settings',
  'catalogue_versions',
  'faults',
] as const;

/** How many of the last digits of a session's id are those of its publisher's. */
export const SESSION_PUBLISHER_DIGITS = 6;

/** The measured columns that are counts. */
export const COUNT_COLUMNS = [
  'impressions',
  'clicks',
  'conversions',
  'feed_loads',
  'widget_displays',
  'viewable_widget_displays',
] as const;

/** The measured columns that are money: exact decimals. */
export const MONEY_COLUMNS = [
  'channel_payout',
  'publisher_payout',
  'revenue_with_email',
  'revenue_without_email',
  'order_revenue_amount',
  'attributed_ad_spend_amount',
  'billable_ad_spend_amount',
] as const;

/** All measured columns. Reports show a fact only if one of them is not 0 (src/network/contract/rules.md#r23). */
export const FACT_COLUMNS = [...COUNT_COLUMNS, ...MONEY_COLUMNS] as const;
export type FactColumn = (typeof FACT_COLUMNS)[number];

const MEASURES = [
  ...COUNT_COLUMNS.map((column) => `${column} bigint NOT NULL DEFAULT 0`),
  ...MONEY_COLUMNS.map((column) => `${column} numeric NOT NULL DEFAULT 0`),
].join(',\n  ');

const SCHEMA = `
CREATE TABLE channels (
  channel_id uuid PRIMARY KEY,
  name text NOT NULL,
  environment text NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE TABLE categories (
  remote_id uuid PRIMARY KEY,
  name text NOT NULL
);
CREATE TABLE subcategories (
  remote_id uuid PRIMARY KEY,
  category_id uuid NOT NULL,
  name text NOT NULL
);
-- position: the order in which the caller listed them.
CREATE TABLE channel_exclusions (
  channel_id uuid NOT NULL,
  subcategory_id uuid NOT NULL,
  position integer NOT NULL,
  PRIMARY KEY (channel_id, subcategory_id)
);
-- A row exists from the request on; approval adds publisher_remote_id and api_key (the publishable key, shown in the details).
-- brand_key and domain_key are the normalized forms that decide what counts as a duplicate.
CREATE TABLE publishers (
  pending_publisher_id uuid PRIMARY KEY,
  publisher_remote_id uuid UNIQUE,
  channel_id uuid NOT NULL,
  brand_name text NOT NULL,
  brand_key text NOT NULL,
  domain text NOT NULL,
  domain_key text NOT NULL,
  primary_category_id uuid NOT NULL,
  subcategory_ids jsonb NOT NULL DEFAULT '[]',
  status text NOT NULL,
  staff_notes text NOT NULL DEFAULT '',
  api_key text,
  external_exclusions jsonb NOT NULL DEFAULT '[]',
  publisher_exclusions jsonb NOT NULL DEFAULT '[]',
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  removed_at timestamptz
);
CREATE UNIQUE INDEX publishers_once ON publishers (channel_id, brand_key, domain_key) WHERE removed_at IS NULL;
CREATE INDEX publishers_of_sessions ON publishers (right(publisher_remote_id::text, ${SESSION_PUBLISHER_DIGITS}));
CREATE INDEX publishers_newest ON publishers (channel_id, created_at DESC, pending_publisher_id DESC);
-- key_hash: the SHA-256 of the key, in hex. environment: where it gives access. issued_in: the environment of the network
-- that issued it: a production network accepts only its own, because a staging control can create keys for either.
-- publisher_id: the publisher_remote_id that a scoped key belongs to.
CREATE TABLE api_keys (
  id uuid PRIMARY KEY,
  key_hash text NOT NULL UNIQUE,
  kind text NOT NULL,
  environment text NOT NULL,
  issued_in text NOT NULL,
  channel_id uuid NOT NULL,
  publisher_id uuid,
  created_at timestamptz NOT NULL,
  expires_at timestamptz,
  revoked_at timestamptz
);
CREATE INDEX api_keys_of_publisher ON api_keys (publisher_id);
CREATE TABLE advertisers (
  advertiser_id text PRIMARY KEY,
  name text NOT NULL,
  logo_url text NOT NULL,
  description text
);
-- URLs are absolute, or begin with '/' where the network serves the resource itself; responses always hold absolute URLs.
-- details: subheading, cta_details, metadata, assets, disclosure_details as on the wire.
-- spent: what was billed. A deleted offer keeps its row, because conversions refer to it.
CREATE TABLE offers (
  offer_id text PRIMARY KEY,
  advertiser_id text NOT NULL,
  subcategory_id uuid NOT NULL,
  heading text NOT NULL,
  target_url text NOT NULL,
  details jsonb NOT NULL,
  price_per_conversion numeric NOT NULL,
  budget numeric,
  spent numeric NOT NULL DEFAULT 0,
  weight numeric NOT NULL DEFAULT 1,
  active boolean NOT NULL DEFAULT true,
  created_at timestamptz NOT NULL,
  deleted_at timestamptz
);
-- One row per setting: 'clock' (an ISO time), 'reporting', the first keys of a staging database and their ids, and the versions
-- of what processes cache, such as 'catalogue_version'.
CREATE TABLE settings (
  name text PRIMARY KEY,
  value jsonb NOT NULL
);
-- What sessions were drawn from, in staging only: GET /sandbox/explain. The offers, or the ids of those that had spent their budget.
CREATE TABLE catalogue_versions (
  version uuid PRIMARY KEY,
  content json NOT NULL
);
-- remaining: how many more requests the fault affects; null means every request. hits: how many it has affected.
CREATE TABLE faults (
  id uuid PRIMARY KEY,
  route text NOT NULL,
  fault jsonb NOT NULL,
  remaining integer,
  hits integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL
);
-- environment: of the network that opened it: staging may do so under a clock that was moved, and production takes no events
-- for that. insertions: { insertion_id: { offer_id, advertiser_id } }. page_type is the placement's view, widget_type its
-- display_mode, widget_id '' if none was sent. choice: what its offers were drawn from, in staging only.
CREATE TABLE sessions (
  publisher_id uuid NOT NULL,
  session_id uuid NOT NULL,
  channel_id uuid NOT NULL,
  page_type text NOT NULL,
  widget_type text NOT NULL,
  widget_id text NOT NULL,
  is_sandbox boolean NOT NULL,
  has_email boolean NOT NULL,
  order_amount numeric,
  insertions jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  environment text NOT NULL,
  choice json,
  PRIMARY KEY (publisher_id, session_id)
);
-- An event_id is unique within its session: no other session can suppress an event by using its id first.
-- body: the event as it arrived, as JSON, in staging only: GET /sandbox/events. Empty in production.
CREATE TABLE events (
  publisher_id uuid NOT NULL,
  event_id text NOT NULL,
  session_id uuid NOT NULL,
  event_name text NOT NULL,
  event_at timestamptz NOT NULL,
  offer_id text,
  body text NOT NULL,
  received_at timestamptz NOT NULL,
  arrival bigint NOT NULL,
  PRIMARY KEY (publisher_id, session_id, event_id)
);
-- What counts once: a session's load, display and view, and an insertion's impression. hour: the hour it counts in, which
-- is the hour of its first event. previous_hour: the hour it counted in before an earlier event arrived.
CREATE TABLE activity (
  publisher_id uuid NOT NULL,
  session_id uuid NOT NULL,
  kind text NOT NULL,
  insertion_id text NOT NULL,
  hour timestamptz NOT NULL,
  previous_hour timestamptz,
  PRIMARY KEY (publisher_id, session_id, kind, insertion_id)
);
-- The ledger: one row per conversion_id, in the hour of the event that reported it first. Attribution to a click sets the
-- price; billed says whether the advertiser pays it; the payouts use the shares in force at that time.
CREATE TABLE conversions (
  publisher_id uuid NOT NULL,
  conversion_id text NOT NULL,
  session_id uuid NOT NULL,
  offer_id text NOT NULL,
  event_at timestamptz NOT NULL,
  hour timestamptz NOT NULL,
  attributed boolean NOT NULL DEFAULT false,
  billed boolean NOT NULL DEFAULT false,
  price numeric NOT NULL DEFAULT 0,
  channel_payout numeric NOT NULL DEFAULT 0,
  publisher_payout numeric NOT NULL DEFAULT 0,
  PRIMARY KEY (publisher_id, conversion_id)
);
CREATE INDEX conversions_of_session ON conversions (session_id);
CREATE INDEX conversions_open ON conversions (event_at) WHERE NOT attributed;
-- The source of hourly reports. widget_id is '' if none was sent (a key cannot hold null); a report shows null.
-- channel_id is the publisher's channel at the time of the event.
CREATE TABLE hourly_facts (
  publisher_id uuid NOT NULL,
  channel_id uuid NOT NULL,
  hour timestamptz NOT NULL,
  day date NOT NULL,
  week_start date NOT NULL,
  month_start date NOT NULL,
  page_type text NOT NULL,
  widget_type text NOT NULL,
  widget_id text NOT NULL,
  ${MEASURES},
  PRIMARY KEY (publisher_id, channel_id, hour, page_type, widget_type, widget_id)
);
-- With the hour, the latest one of a channel is found without sorting a day of all its publishers.
CREATE INDEX hourly_facts_of_channel ON hourly_facts (channel_id, day, hour);
-- The source of every other report, with at best a twenty-fourth of the rows. Whatever writes hourly_facts writes these as well.
CREATE TABLE daily_facts (
  publisher_id uuid NOT NULL,
  channel_id uuid NOT NULL,
  day date NOT NULL,
  week_start date NOT NULL,
  month_start date NOT NULL,
  page_type text NOT NULL,
  widget_type text NOT NULL,
  widget_id text NOT NULL,
  ${MEASURES},
  PRIMARY KEY (publisher_id, day, channel_id, page_type, widget_type, widget_id)
);
CREATE INDEX daily_facts_of_channel ON daily_facts (channel_id, day);
-- Events that were not stored, in staging only: GET /sandbox/events lists them with the stored ones.
-- body is JSON as text: the json type refuses escapes that a caller may send.
CREATE TABLE receipts (
  publisher_id uuid NOT NULL,
  id uuid NOT NULL,
  arrival bigint NOT NULL,
  session_id text,
  event_name text,
  status text NOT NULL,
  reason text,
  body text NOT NULL,
  received_at timestamptz NOT NULL,
  PRIMARY KEY (publisher_id, id)
);
`;

/** A change of the schema. */
export interface Migration {
  readonly sql: string;
  /** The oldest version whose processes can go on beside it. One that only adds what they need not write keeps them all. */
  readonly oldest: number;
}

/** What leads from an empty database to today's schema, in this order. A released one must never change. */
export const MIGRATIONS: readonly Migration[] = [{ sql: SCHEMA, oldest: 1 }];
/** The number of the lock under which one process at a time creates the schema or seeds. It must never change. */
const SET_UP_LOCK = 4_600_001;
/** Milliseconds that a statement of the setup may take: another process may hold the lock. */
const SET_UP_TIMEOUT_MS = 600_000;

/** Runs `work` exclusively among all processes that share the database. */
export function runSetupExclusively<T>(db: Database, work: (db: Queries) => Promise<T>): Promise<T> {
  return db.transaction(
    async (transaction) => {
      await transaction.query('SELECT pg_advisory_xact_lock($1)', [SET_UP_LOCK]);
      return work(transaction);
    },
    { statementTimeoutMs: SET_UP_TIMEOUT_MS },
  );
}

/** Brings the schema up to date, distributed where it can be; returns whether it changed. Throws if it has left this version behind. */
export async function createSchema(db: Database, migrations: readonly Migration[] = MIGRATIONS): Promise<boolean> {
  if (await canRunOn(db, migrations.length)) return false;
  return runSetupExclusively(db, async (transaction) => {
    const isOnCitus = await hasCitus(transaction);
    if (isOnCitus && (await isWorker(transaction)))
      throw new Error('This is not the coordinator. Give its URL with --database-url.');
    if (await canRunOn(transaction, migrations.length)) return false;
    const from = await readSchemaVersion(transaction);
    for (const [index, { sql, oldest }] of migrations.entries()) {
      if (index < from) continue;
      // Holds each version that can run on the database, not only its own.
      const versions = 'CREATE TABLE schema_versions (version integer PRIMARY KEY, applied_at timestamptz NOT NULL);';
      // One by one: of a text with several statements, citus would send the whole to its nodes for each.
      for (const statement of `${index === 0 ? versions : ''}${sql}`.split(/;\s*$/m))
        if (statement.trim() !== '') await transaction.exec(statement);
      if (isOnCitus && index === 0) await distribute(transaction);
      await transaction.query('INSERT INTO schema_versions VALUES ($1, $2)', [index + 1, new Date()]);
      await transaction.query('DELETE FROM schema_versions WHERE version < $1', [oldest]);
    }
    return true;
  });
}

/** The version of the schema; 0 for an empty database. */
async function readSchemaVersion(db: Queries): Promise<number> {
  const [table] = await db.query<{ exists: boolean }>("SELECT to_regclass('schema_versions') IS NOT NULL AS exists");
  if (!table?.exists) return 0;
  const [row] = await db.query<{ version: number }>('SELECT coalesce(max(version), 0) AS version FROM schema_versions');
  return row?.version ?? 0;
}

/** Whether processes of a version can run on the database; `false` if it is to be migrated first. */
async function canRunOn(db: Queries, version: number): Promise<boolean> {
  const present = await readSchemaVersion(db);
  if (present < version) return false;
  if ((await db.query('SELECT 1 FROM schema_versions WHERE version = $1', [version])).length > 0) return true;
  throw new Error(
    `The database has schema version ${present}, and version ${version} of this offerlet cannot run on it. Use a newer offerlet, or another database.`,
  );
}

/** Distributes the large tables by publisher, and copies the small ones to every node. */
async function distribute(db: Queries): Promise<void> {
  for (const table of ['schema_versions', ...REFERENCE_TABLES])
    await db.query('SELECT create_reference_table($1)', [table]);
  const [first, ...others] = SHARDED_TABLES;
  await db.query("SELECT create_distributed_table($1, 'publisher_id')", [first]);
  for (const table of others)
    await db.query("SELECT create_distributed_table($1, 'publisher_id', colocate_with => $2)", [table, first]);
}
