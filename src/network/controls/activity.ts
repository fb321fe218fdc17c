import * as v from 'valibot';
import { ID_MAX_LENGTH } from '../../wire/limits.ts';
import { COUNT_COLUMNS, FACT_COLUMNS, MONEY_COLUMNS } from '../database/schema.ts';
import { periodsAt } from '../facts.ts';
import { refuseProductionData } from '../storedKeys.ts';
import { control, type ControlRoute, refuseFields, countField, moneyField, timeField, uuidField } from './control.ts';

const dimensionField = v.pipe(v.string(), v.maxLength(ID_MAX_LENGTH, `must be ${ID_MAX_LENGTH} characters or fewer`));

const rowBody = v.strictObject(
  {
    hour: timeField,
    publisher_remote_id: uuidField,
    page_type: dimensionField,
    widget_type: dimensionField,
    widget_id: v.optional(v.nullable(dimensionField), null),
    widget_loads: v.optional(countField),
    ...v.entriesFromList(COUNT_COLUMNS, v.optional(countField, 0)),
    ...v.entriesFromList(MONEY_COLUMNS, v.optional(moneyField, 0)),
  },
  'is not a metric of the hourly facts',
);

const DIMENSIONS = 'page_type, widget_type, widget_id';
const MEASURES = FACT_COLUMNS.join(', ');
const ADDED = FACT_COLUMNS.map((column) => `${column} = f.${column} + excluded.${column}`).join(', ');

/**
 * Adds rows of many publishers, a year of hours if need be, to the facts: as JSON, which is faster than VALUES for so many.
 * Rows about the same fact are summed up first, because one statement must not touch a fact twice.
 */
export const ADD_ACTIVITY = `
WITH cells AS (
  SELECT publisher_id, channel_id, hour, min(day) AS day, min(week_start) AS week_start, min(month_start) AS month_start,
    ${DIMENSIONS}, ${FACT_COLUMNS.map((column) => `sum(${column}) AS ${column}`).join(', ')}
  FROM json_to_recordset($1::json) AS r(publisher_id uuid, channel_id uuid, hour timestamptz, day date, week_start date, month_start date,
    page_type text, widget_type text, widget_id text, ${COUNT_COLUMNS.map((column) => `${column} bigint`).join(', ')}, ${MONEY_COLUMNS.map((column) => `${column} numeric`).join(', ')})
  GROUP BY publisher_id, channel_id, hour, ${DIMENSIONS}
), by_hour AS (
  INSERT INTO hourly_facts AS f (publisher_id, channel_id, hour, day, week_start, month_start, ${DIMENSIONS}, ${MEASURES})
  SELECT publisher_id, channel_id, hour, day, week_start, month_start, ${DIMENSIONS}, ${MEASURES} FROM cells
  ORDER BY publisher_id, channel_id, hour, ${DIMENSIONS}
  ON CONFLICT (publisher_id, channel_id, hour, ${DIMENSIONS}) DO UPDATE SET ${ADDED}
), by_day AS (
  INSERT INTO daily_facts AS f (publisher_id, channel_id, day, week_start, month_start, ${DIMENSIONS}, ${MEASURES})
  SELECT publisher_id, channel_id, day, max(week_start), max(month_start), ${DIMENSIONS}, ${FACT_COLUMNS.map((column) => `sum(${column})`).join(', ')}
  FROM cells GROUP BY publisher_id, channel_id, day, ${DIMENSIONS}
  ORDER BY publisher_id, channel_id, day, ${DIMENSIONS}
  ON CONFLICT (publisher_id, day, channel_id, ${DIMENSIONS}) DO UPDATE SET ${ADDED}
)
SELECT 1 AS done`;

/** POST /sandbox/activity: adds to the facts. */
export const activity: readonly ControlRoute[] = [
  control({
    method: 'POST',
    pattern: '/sandbox/activity',
    summary: 'Add to the hourly facts',
    body: v.object({ rows: v.array(rowBody) }),
    async run({ context, body }) {
      await refuseProductionData(context.db);
      const publishers = await context.db.query<{ id: string; channel_id: string }>(
        'SELECT publisher_remote_id AS id, channel_id FROM publishers WHERE publisher_remote_id IS NOT NULL',
      );
      const channels = new Map(publishers.map(({ id, channel_id }) => [id, channel_id]));
      const unknown = body.rows.findIndex(({ publisher_remote_id }) => !channels.has(publisher_remote_id));
      if (unknown >= 0) {
        const path = `rows.${unknown}.publisher_remote_id`;
        return refuseFields([{ path, message: 'must be the id of an approved publisher' }]);
      }
      const rows = body.rows.map(({ hour, publisher_remote_id, widget_id, widget_loads, ...row }) => {
        // Two names for the same count: a row with both does not count it twice.
        const feed_loads = Math.max(row.feed_loads, widget_loads ?? 0);
        return {
          ...row,
          feed_loads,
          widget_id: widget_id ?? '',
          publisher_id: publisher_remote_id,
          channel_id: channels.get(publisher_remote_id),
          ...periodsAt(hour),
        };
      });
      await context.db.query(ADD_ACTIVITY, [JSON.stringify(rows)]);
      return { rows: rows.length };
    },
  }),
];
