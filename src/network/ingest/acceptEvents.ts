import { judgeEvent, readEvent } from '../../wire/events/judgeEvent.ts';
import type { BatchResult, ResultError } from '../../wire/events/wireEvent.ts';
import type { NetworkContext } from '../context.ts';
import type { Fault } from '../faults/fault.ts';
import type { KeyRecord } from '../keys/keyRecord.ts';
import { attributeConversions } from '../eventStore/attributeConversions.ts';
import { readSessions } from '../sessions/readSessions.ts';
import type { Session } from '../sessions/session.ts';
import { mayEarn, type AcceptedEvent } from '../eventStore/countEvents.ts';
import { numberArrivals, storeReceipts, type Receipt } from './storeReceipts.ts';

/** Checks each event on its own and stores the valid ones. Returns the results in input order, once everything is committed. */
export async function acceptEvents(
  raws: readonly unknown[],
  key: KeyRecord,
  context: NetworkContext,
): Promise<BatchResult[]> {
  const errors = new Map<number, ResultError>();
  const parsed = raws.map((raw, index) => {
    const event = readEvent(raw);
    if (!event.ok) errors.set(index, event.error);
    return event;
  });
  const ids = parsed.flatMap((event) => (event.ok ? [event.event.session_id] : []));
  const [sessions, now] = await Promise.all([readSessions(context, key, ids), context.now()]);

  const accepted: AcceptedEvent[] = [];
  const arrivals = numberArrivals(raws.length);
  for (const [index, event] of parsed.entries()) {
    if (!event.ok) continue;
    const verdict = judgeEvent(event.event, sessions.get(event.event.session_id.toLowerCase()), now.getTime());
    const scripted = context.fault?.fail_indexes?.includes(index) ? scriptedError(context.fault) : undefined;
    if (scripted) errors.set(index, scripted);
    else if (!verdict.ok) errors.set(index, verdict.error);
    else accepted.push({ ...verdict, arrival: arrivals[index] ?? 0, receivedAt: now, raw: raws[index] });
  }
  const stored = await store(accepted, context);
  await storeReceipts(context, key, receiptsOf({ raws, arrivals, errors, stored }));
  return raws.map((_, index) => {
    const error = errors.get(index);
    return error ? { index, success: false, error } : { index, success: true };
  });
}

/** Stores the events and bills their conversions; returns the arrivals of those that were new. */
async function store(accepted: readonly AcceptedEvent[], context: NetworkContext): Promise<Set<number>> {
  const arrivals = new Set<number>();
  for (const [publisherId, events] of byPublisher(accepted)) {
    const earning = new Map<string, Session>();
    for (const { event, session } of events) {
      if (mayEarn(event.event_name) && !session.is_sandbox) earning.set(session.session_id, session);
    }
    const sessions = [...earning.values()];
    const { stored, hasOpenConversions } = await context.store(publisherId, { events, earning: sessions });
    for (const event of events) if (stored.has(event)) arrivals.add(event.arrival);
    if (hasOpenConversions) await attributeConversions(context.db, sessions, (await context.settings()).shares);
  }
  return arrivals;
}

function byPublisher(events: readonly AcceptedEvent[]): Map<string, AcceptedEvent[]> {
  const groups = new Map<string, AcceptedEvent[]>();
  for (const event of events)
    groups.set(event.session.publisher_id, [...(groups.get(event.session.publisher_id) ?? []), event]);
  return groups;
}

function scriptedError({ retryable }: Fault): ResultError {
  return { code: 'SCRIPTED_FAULT', message: 'A scripted fault refused this event.', retryable: retryable ?? true };
}

function receiptsOf(batch: {
  readonly raws: readonly unknown[];
  readonly arrivals: readonly number[];
  readonly errors: ReadonlyMap<number, ResultError>;
  readonly stored: ReadonlySet<number>;
}): Receipt[] {
  return batch.raws.flatMap((raw, index): Receipt[] => {
    const arrival = batch.arrivals[index] ?? 0;
    const error = batch.errors.get(index);
    if (error) return [{ arrival, raw, status: 'refused', reason: `${error.code}: ${error.message}` }];
    return batch.stored.has(arrival) ? [] : [{ arrival, raw, status: 'duplicate' }];
  });
}
