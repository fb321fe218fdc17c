import type { FactColumn } from './factColumns.ts';

/** What a fact is about, beside its hour or day. */
const DIMENSIONS = 'page_type, widget_type, widget_id';

/**
 * Two parts of a WITH that add the rows of its part `cells` to the facts by the hour and to the facts by the day, so that
 * the two never part. A row of `cells` is one publisher's hour of one placement, and no two are the same: publisher_id,
 * channel_id, hour, day, week_start, month_start, page_type, widget_type, widget_id and the measured `columns`.
 *
 * All writers touch rows in one order: two that share some wait for each other instead of blocking each other.
 */
export function addCells(columns: readonly FactColumn[]): string {
  const added = columns.map((column) => `${column} = f.${column} + excluded.${column}`).join(', ');
  return `by_hour AS (
  INSERT INTO hourly_facts AS f (publisher_id, channel_id, hour, day, week_start, month_start, ${DIMENSIONS}, ${columns.join(', ')})
  SELECT publisher_id, channel_id, hour, day, week_start, month_start, ${DIMENSIONS}, ${columns.join(', ')} FROM cells
  ORDER BY publisher_id, channel_id, hour, ${DIMENSIONS}
  ON CONFLICT (publisher_id, channel_id, hour, ${DIMENSIONS}) DO UPDATE SET ${added}
), by_day AS (
  INSERT INTO daily_facts AS f (publisher_id, channel_id, day, week_start, month_start, ${DIMENSIONS}, ${columns.join(', ')})
  SELECT publisher_id, channel_id, day, max(week_start), max(month_start), ${DIMENSIONS}, ${columns.map((column) => `sum(${column})`).join(', ')}
  FROM cells GROUP BY publisher_id, channel_id, day, ${DIMENSIONS}
  ORDER BY publisher_id, channel_id, day, ${DIMENSIONS}
  ON CONFLICT (publisher_id, day, channel_id, ${DIMENSIONS}) DO UPDATE SET ${added}
)`;
}
