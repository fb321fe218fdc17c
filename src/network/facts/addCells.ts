import type { FactColumn } from './factColumns.ts';

/** What identifies a fact besides its publisher, channel and time. */
const DIMENSIONS = 'page_type, widget_type, widget_id';

/**
 * Two parts of a WITH clause that add the rows of its part `cells` to the hourly and the daily facts, so that both always
 * agree. Each row of `cells` is one hour of one publisher's placement: publisher_id, channel_id, hour, day, week_start,
 * month_start, page_type, widget_type, widget_id and the measured `columns`. No two rows may be about the same fact.
 *
 * All writers use one order: of two that share rows, one waits for the other, and neither deadlocks.
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
