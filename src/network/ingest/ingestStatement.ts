import { addCells } from '../facts/addCells.ts';

// The one statement that stores events and updates the facts. Its last parts, which all writers of facts share, are in
// facts/addFacts.ts.
//
// It is one statement so that a response never confirms half of it. It uses only what a distributed PostgreSQL supports: all
// rows belong to one publisher, every conflict target contains publisher_id, and RETURNING names plain columns.

/** The measures that follow from events alone; attribution adds the money later. */
const COUNTED = [
  'feed_loads',
  'widget_displays',
  'viewable_widget_displays',
  'impressions',
  'clicks',
  'conversions',
  'order_revenue_amount',
] as const;

/** One event of `$2`. Its periods, computed in code, are in `$4`. */
export interface IncomingEvent {
  readonly event_id: string;
  readonly session_id: string;
  readonly event_name: string;
  readonly event_at: string;
  readonly hour: string;
  readonly offer_id: string | null;
  /** What this event makes count once: `load`, `display`, `view` or `impression`; `''` for anything else. */
  readonly kind: string;
  readonly insertion_id: string;
  /** The conversion that a CONVERSION reports; null in a sandbox session, where none counts. */
  readonly conversion_id: string | null;
  readonly arrival: number;
  /** The event as it arrived, as JSON text. PostgreSQL's json type would refuse some escapes. */
  readonly body: string;
}

/** One session of `$3`. */
export interface IncomingSession {
  readonly session_id: string;
  readonly channel_id: string;
  readonly page_type: string;
  readonly widget_type: string;
  readonly widget_id: string;
  /** What the session's load adds to order_revenue_amount; 0 in a sandbox session. */
  readonly order_amount: string;
}

/**
 * `$1` publisher_id, `$2` events, `$3` sessions, `$4` periods by hour, `$5` received_at. Returns the events that were stored;
 * the others are duplicates.
 *
 * A session's load, display and view and an insertion's impression count once, in the hour of their first event. `marked`
 * holds those that are new, and those that an event with an earlier time moves to an earlier hour. The fact that such a
 * move subtracts from exists already, so its placeholder for week and month (`1970-01-01`) is never stored.
 */
export const INGEST = `
WITH incoming AS (
  SELECT * FROM json_to_recordset($2::json) AS e(event_id text, session_id uuid, event_name text, event_at timestamptz, hour timestamptz,
    offer_id text, kind text, insertion_id text, conversion_id text, arrival bigint, body text)
), stored AS (
  INSERT INTO events (publisher_id, event_id, session_id, event_name, event_at, offer_id, body, received_at, arrival)
  SELECT $1::uuid, event_id, session_id, event_name, event_at, offer_id, body, $5::timestamptz, arrival FROM incoming
  ON CONFLICT (publisher_id, session_id, event_id) DO NOTHING
  RETURNING session_id, event_id
), fresh AS (
  SELECT incoming.* FROM incoming JOIN stored USING (session_id, event_id)
), marked AS (
  INSERT INTO activity AS a (publisher_id, session_id, kind, insertion_id, hour)
  SELECT $1::uuid, session_id, kind, insertion_id, min(hour) FROM fresh WHERE kind <> '' GROUP BY session_id, kind, insertion_id
  ORDER BY session_id, kind, insertion_id
  ON CONFLICT (publisher_id, session_id, kind, insertion_id)
    DO UPDATE SET previous_hour = a.hour, hour = excluded.hour WHERE excluded.hour < a.hour
  RETURNING session_id, kind, hour, previous_hour
), converted AS (
  INSERT INTO conversions (publisher_id, conversion_id, session_id, offer_id, event_at, hour)
  SELECT DISTINCT ON (conversion_id) $1::uuid, conversion_id, session_id, offer_id, event_at, hour FROM fresh
  WHERE conversion_id IS NOT NULL ORDER BY conversion_id, event_at
  ON CONFLICT (publisher_id, conversion_id) DO NOTHING
  RETURNING session_id, hour
), changes AS (
  SELECT session_id, hour, kind, 1 AS n FROM marked
  UNION ALL SELECT session_id, previous_hour, kind, -1 FROM marked WHERE previous_hour IS NOT NULL
  UNION ALL SELECT session_id, hour, 'click', 1 FROM fresh WHERE event_name = 'BRAND_CLICK'
  UNION ALL SELECT session_id, hour, 'conversion', 1 FROM converted
), cells AS (
  SELECT $1::uuid AS publisher_id, s.channel_id, c.hour, (c.hour AT TIME ZONE 'UTC')::date AS day,
    coalesce(min(p.week_start), '1970-01-01') AS week_start, coalesce(min(p.month_start), '1970-01-01') AS month_start,
    s.page_type, s.widget_type, s.widget_id,
    coalesce(sum(c.n) FILTER (WHERE c.kind = 'load'), 0) AS feed_loads,
    coalesce(sum(c.n) FILTER (WHERE c.kind = 'display'), 0) AS widget_displays,
    coalesce(sum(c.n) FILTER (WHERE c.kind = 'view'), 0) AS viewable_widget_displays,
    coalesce(sum(c.n) FILTER (WHERE c.kind = 'impression'), 0) AS impressions,
    coalesce(sum(c.n) FILTER (WHERE c.kind = 'click'), 0) AS clicks,
    coalesce(sum(c.n) FILTER (WHERE c.kind = 'conversion'), 0) AS conversions,
    coalesce(sum(c.n * s.order_amount) FILTER (WHERE c.kind = 'load'), 0) AS order_revenue_amount
  FROM changes c
  JOIN json_to_recordset($3::json) AS s(session_id uuid, channel_id uuid, page_type text, widget_type text, widget_id text, order_amount numeric)
    USING (session_id)
  LEFT JOIN json_to_recordset($4::json) AS p(hour timestamptz, week_start date, month_start date) ON p.hour = c.hour
  GROUP BY s.channel_id, c.hour, s.page_type, s.widget_type, s.widget_id
), ${addCells(COUNTED)}
SELECT session_id, event_id FROM stored`;
