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
