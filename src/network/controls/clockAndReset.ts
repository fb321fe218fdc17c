import * as v from 'valibot';
import type { NetworkRoute } from '../context.ts';
import { writeSetting } from '../settings/settings.ts';
import { control } from './control.ts';
import { timeField } from './fields.ts';

/** POST /sandbox/clock and /sandbox/reset. */
export const clockAndReset: readonly NetworkRoute[] = [
  control({
    method: 'POST',
    pattern: '/sandbox/clock',
    body: v.object({ now: v.nullable(timeField) }),
    async run({ context, body }) {
      await writeSetting(context.db, 'clock', body.now?.toISOString());
      return { now: (body.now ?? new Date()).toISOString(), stands_still: body.now !== null };
    },
  }),
  control({
    method: 'POST',
    pattern: '/sandbox/reset',
    body: v.object({ seed: v.optional(v.picklist(['demo', 'empty'], 'must be demo or empty'), 'demo') }),
    async run({ context, body }) {
      return context.controls?.reset({ seed: body.seed, now: await context.now(), baseUrl: context.baseUrl });
    },
  }),
];
