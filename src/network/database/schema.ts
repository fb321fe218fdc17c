import { COUNT_COLUMNS, FACT_COLUMNS, MONEY_COLUMNS } from '../facts/factColumns.ts';

// The schema in plain PostgreSQL. What keeps it fit for a distributed PostgreSQL (a test over the catalogue checks it):
// every unique key of a sharded table holds publisher_id, no triggers, no plpgsql, no date_trunc, no foreign keys
// across shards. Periods (hour, day, week_start, month_start) are computed in code and stored, or follow from the hour.
// Money is unbounded NUMERIC: it is rounded once, when a report shows it.

/** Tables that grow with traffic: a distributed PostgreSQL spreads them by `publisher_id`. */
export const SHARDED_TABLES = [
  'sessions',
  'events',
  'activity',
  'hourly_facts',
  'daily_facts',
  'conversions',
  'receipts',
  'explanations',
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
  'faults',
] as const;

const ACCOUNTS = `
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
-- position: the order as given (C5).
CREATE TABLE channel_exclusions (
  channel_id uuid NOT NULL,
  subcategory_id uuid NOT NULL,
  position integer NOT NULL,
  PRIMARY KEY (channel_id, subcategory_id)
);
-- One row from the request on; approval adds publisher_remote_id and api_key (the publishable key, shown in the detail).
-- brand_key and domain_key are the normal forms that decide what a duplicate is (C21).
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
CREATE INDEX publishers_newest ON publishers (channel_id, created_at DESC, pending_publisher_id DESC);
-- key_hash: the SHA-256 of the key, in hex. publisher_id: the publisher_remote_id that a scoped key belongs to.
CREATE TABLE api_keys (
  id uuid PRIMARY KEY,
  key_hash text NOT NULL UNIQUE,
  kind text NOT NULL,
  environment text NOT NULL,
  channel_id uuid NOT NULL,
  publisher_id uuid,
  created_at timestamptz NOT NULL,
  expires_at timestamptz,
  revoked_at timestamptz
);
CREATE INDEX api_keys_of_publisher ON api_keys (publisher_id);
`;

const CATALOGUE = `
CREATE TABLE advertisers (
  advertiser_id text PRIMARY KEY,
  name text NOT NULL,
  logo_url text NOT NULL,
  description text
);
-- Addresses may be absolute or begin with '/': then the network serves them itself and completes them in its answers.
-- details: subheading, cta_details, metadata, assets, disclosure_details as on the wire.
-- spent: what was billed. A deleted offer keeps its row, for the ledger.
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
-- One row for each knob: 'clock' (an ISO time), the reporting side's settings, the first keys of a staging database.
CREATE TABLE settings (
  name text PRIMARY KEY,
  value jsonb NOT NULL
);
-- remaining: how often the fault still strikes; null means always. hits: how often it did.
CREATE TABLE faults (
  id uuid PRIMARY KEY,
  route text NOT NULL,
  fault jsonb NOT NULL,
  remaining integer,
  hits integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL
);
`;

const TRAFFIC = `
-- insertions: { insertion_id: { offer_id, advertiser_id } }. page_type is the placement's view, widget_type its
-- display_mode, widget_id '' where none was sent.
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
  PRIMARY KEY (publisher_id, session_id)
);
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
  PRIMARY KEY (publisher_id, event_id)
);
CREATE INDEX events_of_session ON events (session_id);
-- What counts once: a session's load, display and view, an insertion's impression; and the hour it counts in, that of
-- its first event. previous_hour: where it counted before an earlier event moved it.
CREATE TABLE activity (
  publisher_id uuid NOT NULL,
  session_id uuid NOT NULL,
  kind text NOT NULL,
  insertion_id text NOT NULL,
  hour timestamptz NOT NULL,
  previous_hour timestamptz,
  PRIMARY KEY (publisher_id, session_id, kind, insertion_id)
);
-- The ledger: one row for each conversion_id, in the hour of the event that told it first. Attribution to a click sets
-- the price; billed says whether the advertiser pays it; the payouts are the shares of that moment.
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
-- What every report by the hour is made from. widget_id is '' where none was sent (a key cannot hold null); a report shows null.
-- channel_id is the publisher's channel when it happened.
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
  impressions bigint NOT NULL DEFAULT 0,
  clicks bigint NOT NULL DEFAULT 0,
  conversions bigint NOT NULL DEFAULT 0,
  feed_loads bigint NOT NULL DEFAULT 0,
  widget_displays bigint NOT NULL DEFAULT 0,
  viewable_widget_displays bigint NOT NULL DEFAULT 0,
  channel_payout numeric NOT NULL DEFAULT 0,
  publisher_payout numeric NOT NULL DEFAULT 0,
  revenue_with_email numeric NOT NULL DEFAULT 0,
  revenue_without_email numeric NOT NULL DEFAULT 0,
  order_revenue_amount numeric NOT NULL DEFAULT 0,
  attributed_ad_spend_amount numeric NOT NULL DEFAULT 0,
  billable_ad_spend_amount numeric NOT NULL DEFAULT 0,
  PRIMARY KEY (publisher_id, channel_id, hour, page_type, widget_type, widget_id)
);
CREATE INDEX hourly_facts_of_channel ON hourly_facts (channel_id, day);
-- Bodies are JSON text: json would refuse escapes that a caller may send.
-- What arrived and was not stored, in staging only: GET /sandbox/events shows it beside the events.
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
-- Why each offer was or was not shown, in staging only: GET /sandbox/explain.
CREATE TABLE explanations (
  publisher_id uuid NOT NULL,
  session_id uuid NOT NULL,
  explanation json NOT NULL,
  PRIMARY KEY (publisher_id, session_id)
);
`;

const DAILY = `
-- What every other report is made from: the same facts by UTC day, a twenty-fourth of the rows at best. The two are kept
-- by the same statements (facts/add-facts.ts).
CREATE TABLE daily_facts (
  publisher_id uuid NOT NULL,
  channel_id uuid NOT NULL,
  day date NOT NULL,
  week_start date NOT NULL,
  month_start date NOT NULL,
  page_type text NOT NULL,
  widget_type text NOT NULL,
  widget_id text NOT NULL,
  ${COUNT_COLUMNS.map((column) => `${column} bigint NOT NULL DEFAULT 0`).join(',\n  ')},
  ${MONEY_COLUMNS.map((column) => `${column} numeric NOT NULL DEFAULT 0`).join(',\n  ')},
  PRIMARY KEY (publisher_id, day, channel_id, page_type, widget_type, widget_id)
);
CREATE INDEX daily_facts_of_channel ON daily_facts (channel_id, day);
`;

/** Fills the facts by the day, which are empty, from those by the hour. */
export const SUM_UP_DAYS = `
INSERT INTO daily_facts (publisher_id, channel_id, day, week_start, month_start, page_type, widget_type, widget_id, ${FACT_COLUMNS.join(', ')})
SELECT publisher_id, channel_id, day, min(week_start), min(month_start), page_type, widget_type, widget_id, ${FACT_COLUMNS.map((column) => `sum(${column})`).join(', ')}
FROM hourly_facts GROUP BY publisher_id, channel_id, day, page_type, widget_type, widget_id;
`;

/** One step of the schema: its statements, the tables that they make, and what fills them. */
export interface Migration {
  readonly sql: string;
  readonly sharded: readonly string[];
  readonly reference: readonly string[];
  /** Runs when the tables stand where they belong. */
  readonly fill?: string;
}

/** The migrations in their order; one that was released is never edited, the next one changes what it made. */
export const MIGRATIONS: readonly Migration[] = [
  {
    sql: ACCOUNTS + CATALOGUE + TRAFFIC,
    sharded: SHARDED_TABLES.filter((table) => table !== 'daily_facts'),
    reference: REFERENCE_TABLES,
  },
  { sql: DAILY, sharded: ['daily_facts'], reference: [], fill: SUM_UP_DAYS },
];
