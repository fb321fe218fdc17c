import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { CHANNEL_METRICS, PUBLISHER_METRICS } from '../../wire/reporting.ts';
import { writeSetting } from '../settings.ts';
import { isObject } from '../../wire/json.ts';
import { refuseProductionData } from '../storedKeys.ts';
import { control, type ControlRoute, plainControl, countField, dateField, timeField } from './control.ts';

const METRICS: readonly string[] = [...new Set([...CHANNEL_METRICS, ...PUBLISHER_METRICS])];
const metricField = v.pipe(
  v.string(),
  v.check((name) => METRICS.includes(name), `must be one of ${METRICS.join(', ')}`),
);
const limitField = v.pipe(countField, v.minValue(1, 'must be 1 or more'));
const shareField = v.pipe(
  v.number(),
  v.minValue(0, 'must be between 0 and 1'),
  v.maxValue(1, 'must be between 0 and 1'),
);

const hourField = v.pipe(
  timeField,
  v.transform((hour) => hour.toISOString()),
);

const settingsBody = v.strictObject(
  {
    enabled_metrics: v.optional(v.nullable(v.array(metricField))),
    history_from: v.optional(v.nullable(dateField)),
    hourly_dates: v.optional(v.nullable(limitField)),
    report_row_limit: v.optional(v.nullable(limitField)),
    source_row_limit: v.optional(v.nullable(limitField)),
    data_through: v.optional(v.nullable(hourField)),
    shares: v.optional(v.nullable(v.object({ publisher: shareField, channel: shareField }))),
  },
  'is not a setting',
);

const faultBody = v.strictObject(
  {
    route: v.pipe(v.string(), v.startsWith('/', 'must be a path, such as /events/batch')),
    status: v.optional(
      v.pipe(
        v.number(),
        v.integer(),
        v.minValue(200, 'must be between 200 and 599'),
        v.maxValue(599, 'must be between 200 and 599'),
      ),
    ),
    body: v.optional(v.unknown()),
    headers: v.optional(
      v.pipe(
        v.custom<Record<string, unknown>>(isObject, 'must be an object of header names and texts'),
        v.metadata({ type: 'object', additionalProperties: { type: 'string' } }),
        v.record(
          v.pipe(v.string(), v.regex(/^[\w!#$%&'*+.^`|~-]+$/, 'must be a header name')),
          v.pipe(v.string(), v.regex(/^[\t\x20-\x7e]*$/, 'must be printable ASCII')),
        ),
      ),
    ),
    delay_ms: v.optional(v.pipe(countField, v.maxValue(600_000, 'must be 600000 or less'))),
    fail_indexes: v.optional(v.array(countField)),
    retryable: v.optional(v.boolean()),
    drop_connection: v.optional(v.boolean()),
    after_commit: v.optional(v.boolean()),
    times: v.optional(
      v.pipe(v.nullable(limitField), v.description('How many requests it affects: 1 by default, null for all.')),
      1,
    ),
  },
  'is not a field of a fault',
);

/** PUT /sandbox/settings, POST and DELETE /sandbox/faults. */
export const settingsAndFaults: readonly ControlRoute[] = [
  control({
    method: 'PUT',
    pattern: '/sandbox/settings',
    summary: 'Change settings of the reports; null restores a default',
    body: settingsBody,
    async run({ context, body }) {
      return context.db.transaction(async (db) => {
        await refuseProductionData(db);
        // One statement: two networks may change different settings at the same time.
        const [row] = await db.query<{ value: unknown }>(
          `INSERT INTO settings VALUES ('reporting', jsonb_strip_nulls($1::jsonb))
           ON CONFLICT (name) DO UPDATE SET value = jsonb_strip_nulls(settings.value || $1::jsonb) RETURNING value`,
          [JSON.stringify(body)],
        );
        return row?.value;
      });
    },
  }),
  control({
    method: 'POST',
    pattern: '/sandbox/faults',
    summary: 'Script a failure of a route',
    body: faultBody,
    async run({ context, body: { times, ...fault } }) {
      const id = randomUUID();
      // After all others, even where the clock has not moved since the last: they apply in order.
      const [last] = await context.db.query<{ after: string | null }>(
        `SELECT (max(created_at) + interval '1 microsecond')::text AS after FROM faults`,
      );
      await context.db.query(
        `INSERT INTO faults (id, route, fault, remaining, created_at)
         VALUES ($1, $2, $3, $4, GREATEST(clock_timestamp(), $5::timestamptz))`,
        [id, fault.route, JSON.stringify(fault), times, last?.after ?? null],
      );
      return { id };
    },
  }),
  plainControl({
    method: 'DELETE',
    pattern: '/sandbox/faults',
    summary: 'Delete all scripted failures',
    async run({ context }) {
      await context.db.query('DELETE FROM faults');
    },
  }),
];

/** POST /sandbox/clock and /sandbox/reset. */
export const clockAndReset: readonly ControlRoute[] = [
  control({
    method: 'POST',
    pattern: '/sandbox/clock',
    summary: 'Stop the clock at a time; null starts it again',
    body: v.object({ now: v.nullable(timeField) }),
    async run({ context, body }) {
      await writeSetting(context.db, 'clock', body.now?.toISOString());
      return { now: (body.now ?? new Date()).toISOString(), stands_still: body.now !== null };
    },
  }),
  control({
    method: 'POST',
    pattern: '/sandbox/reset',
    summary: 'Start over',
    body: v.object({ seed: v.optional(v.picklist(['demo', 'empty'], 'must be demo or empty'), 'demo') }),
    async run({ context, body }) {
      return context.controls?.reset({ seed: body.seed, now: await context.now(), networkUrl: context.networkUrl });
    },
  }),
];
