import { batchResponse, batchStatus, parseBatch } from '../../wire/events/batch.ts';
import { own } from '../../wire/json.ts';
import { EVENTS_BODY_MAX_BYTES } from '../../wire/limits.ts';
import type { NetworkContext, Route } from '../context.ts';
import { acceptCall, refusal } from '../partner/acceptCall.ts';
import { acceptEvents } from './acceptEvents.ts';

/** POST /events and /events/batch. */
export const eventRoutes: readonly Route[] = [
  { methods: ['POST'], pattern: '/events', surface: 'partner', handler: acceptOne },
  { methods: ['POST'], pattern: '/events/batch', surface: 'partner', handler: acceptBatch },
];

async function acceptOne(request: Request, context: NetworkContext): Promise<Response> {
  const call = await acceptCall(request, context, EVENTS_BODY_MAX_BYTES);
  if (!call.ok) return call.answer;
  const [result] = await acceptEvents([call.json], call.key, context);
  const error = result?.error;
  if (!error) return new Response(null, { status: 201 });
  return refusal(error.retryable ? 503 : 400, 'The event was refused.', [
    { path: '', message: `${error.code}: ${error.message}` },
  ]);
}

async function acceptBatch(request: Request, context: NetworkContext): Promise<Response> {
  const call = await acceptCall(request, context, EVENTS_BODY_MAX_BYTES);
  if (!call.ok) return call.answer;
  const batch = parseBatch(call.json);
  if (!batch.ok) return refusal(400, 'The batch is not valid.', batch.problems);
  const results = await acceptEvents(batch.value, call.key, context);
  return Response.json(batchResponse(results), { status: batchStatus(results) });
}

/** The events that a body carries, as far as anybody can tell. */
export function eventsIn(json: unknown): readonly unknown[] {
  const events = own(json, 'events');
  return Array.isArray(events) ? events : [json];
}
