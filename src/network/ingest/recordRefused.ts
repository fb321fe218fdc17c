import { EVENTS_BODY_MAX_BYTES } from '../../wire/limits.ts';
import { own } from '../../wire/json.ts';
import type { NetworkContext } from '../context.ts';
import { readJson } from '../http/readJson.ts';
import { numberArrivals, storeReceipts } from './storeReceipts.ts';

/** Records the events of a request to which a scripted fault responds, so that GET /sandbox/events shows them. */
export async function recordRefused(request: Request, context: NetworkContext): Promise<void> {
  const body = await readJson(request, EVENTS_BODY_MAX_BYTES);
  if (!body.ok) return;
  const events = eventsOf(body.json);
  const arrivals = numberArrivals(events.length);
  const receipts = events.map((raw, index) => {
    return {
      arrival: arrivals[index] ?? 0,
      raw,
      status: 'refused' as const,
      reason: 'SCRIPTED_FAULT: a scripted fault responded to this request',
    };
  });
  await storeReceipts(context, undefined, receipts);
}

/** The events that a body of either route appears to hold. */
function eventsOf(json: unknown): readonly unknown[] {
  const events = own(json, 'events');
  return Array.isArray(events) ? events : [json];
}
