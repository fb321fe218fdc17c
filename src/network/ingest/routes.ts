import { batchResponse, batchStatus, parseBatch } from '../../wire/events/batch.ts';
import { EVENTS_BODY_MAX_BYTES } from '../../wire/limits.ts';
import type { NetworkContext, NetworkRoute } from '../context.ts';
import { checkCall } from '../partner/checkCall.ts';
import { partnerRefusal } from '../partner/partnerRefusal.ts';
import { acceptEvents } from './acceptEvents.ts';
import { recordRefused } from './recordRefused.ts';

/** POST /events and /events/batch. */
export const eventRoutes: readonly NetworkRoute[] = [
  { methods: ['POST'], pattern: '/events', surface: 'partner', handler: postEvent, recordRefused },
  { methods: ['POST'], pattern: '/events/batch', surface: 'partner', handler: postBatch, recordRefused },
];

async function postEvent(request: Request, context: NetworkContext): Promise<Response> {
  const call = await checkCall(request, context, EVENTS_BODY_MAX_BYTES);
  if (!call.ok) return call.refusal;
  const [result] = await acceptEvents([call.json], call.key, context);
  const error = result?.error;
  if (!error) return new Response(null, { status: 201 });
  return partnerRefusal(error.retryable ? 503 : 400, 'The event was refused.', [
    { path: '', message: `${error.code}: ${error.message}` },
  ]);
}

async function postBatch(request: Request, context: NetworkContext): Promise<Response> {
  const call = await checkCall(request, context, EVENTS_BODY_MAX_BYTES);
  if (!call.ok) return call.refusal;
  const batch = parseBatch(call.json);
  if (!batch.ok) return partnerRefusal(400, 'The batch is not valid.', batch.problems);
  const results = await acceptEvents(batch.value, call.key, context);
  const body = batchResponse(results);
  return Response.json(body, { status: batchStatus(body) });
}
