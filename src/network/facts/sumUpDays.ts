import { FACT_COLUMNS } from './factColumns.ts';

/** Fills the daily facts, which must be empty, from the hourly ones. */
export const SUM_UP_DAYS = `
INSERT INTO daily_facts (publisher_id, channel_id, day, week_start, month_start, page_type, widget_type, widget_id, ${FACT_COLUMNS.join(', ')})
SELECT publisher_id, channel_id, day, min(week_start), min(month_start), page_type, widget_type, widget_id, ${FACT_COLUMNS.map((column) => `sum(${column})`).join(', ')}
FROM hourly_facts GROUP BY publisher_id, channel_id, day, page_type, widget_type, widget_id`;
