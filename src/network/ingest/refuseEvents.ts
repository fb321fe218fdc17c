import { EVENTS_BODY_MAX_BYTES } from '../../wire/limits.ts';
import type { NetworkContext } from '../context.ts';
import { readJson } from '../http/readBody.ts';
import { numberArrivals, keepReceipts } from './receipts.ts';
import { eventsIn } from './routes.ts';

/** Notes the events of a call that a scripted fault answers instead of the network, so that GET /sandbox/events shows them. */
export async function refuseEvents(request: Request, context: NetworkContext, path: string): Promise<void> {
  if (!path.startsWith('/events') || request.method !== 'POST') return;
  const body = await readJson(request, EVENTS_BODY_MAX_BYTES);
  if (!body.ok) return;
  const events = eventsIn(body.json);
  const arrivals = numberArrivals(events.length);
  const receipts = events.map((raw, index) => {
    return {
      arrival: arrivals[index] ?? 0,
      raw,
      status: 'refused' as const,
      reason: 'SCRIPTED_FAULT: a fault answered this call',
    };
  });
  await keepReceipts(context, undefined, receipts);
}
