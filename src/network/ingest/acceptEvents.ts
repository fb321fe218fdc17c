import type { BatchResult, ResultError } from '../../wire/events/wireEvent.ts';
import type { NetworkContext } from '../context.ts';
import type { Fault } from '../faults/fault.ts';
import type { KeyRecord } from '../keys/keyRecord.ts';
import { attributeConversions } from '../money/attributeConversions.ts';
import { judgeEvent, readEvent } from './judgeEvent.ts';
import { readSessions, type Session } from './readSessions.ts';
import { keepReceipts, numberArrivals, type Receipt } from './receipts.ts';
import { storeEvents, type GoodEvent } from './storeEvents.ts';

/** Judges each event by itself and stores the good ones; answers in input order, after all of it is committed (E2, E5). */
export async function acceptEvents(
  raws: readonly unknown[],
  key: KeyRecord,
  context: NetworkContext,
): Promise<BatchResult[]> {
  const errors = new Map<number, ResultError>();
  const read = raws.map((raw, index) => {
    const event = readEvent(raw);
    if (!event.ok) errors.set(index, event.error);
    return event;
  });
  const ids = read.flatMap((event) => (event.ok ? [event.event.session_id] : []));
  const [sessions, now] = await Promise.all([readSessions(context, key, ids), context.now()]);

  const good: GoodEvent[] = [];
  const arrivals = numberArrivals(raws.length);
  for (const [index, event] of read.entries()) {
    if (!event.ok) continue;
    const verdict = judgeEvent(event.event, sessions.get(event.event.session_id.toLowerCase()), now.getTime());
    const scripted = context.fault?.fail_indexes?.includes(index) ? scriptedError(context.fault) : undefined;
    if (scripted) errors.set(index, scripted);
    else if (!verdict.ok) errors.set(index, verdict.error);
    else good.push({ ...verdict, arrival: arrivals[index] ?? 0, raw: raws[index] });
  }
  const stored = await store(good, context, now);
  await keepReceipts(context, key, receiptsOf({ raws, arrivals, errors, stored }));
  return raws.map((_, index) => {
    const error = errors.get(index);
    return error ? { index, success: false, error } : { index, success: true };
  });
}

async function store(good: readonly GoodEvent[], context: NetworkContext, now: Date): Promise<Set<number>> {
  const stored = new Set<number>();
  for (const [publisherId, events] of byPublisher(good)) {
    for (const arrival of await storeEvents(context.db, publisherId, events, now)) stored.add(arrival);
    const earning = new Map<string, Session>();
    for (const { event, session } of events) {
      const isMoney = event.event_name === 'BRAND_CLICK' || event.event_name === 'CONVERSION';
      if (isMoney && !session.is_sandbox) earning.set(session.session_id, session);
    }
    if (earning.size > 0)
      await attributeConversions(context.db, [...earning.values()], (await context.settings()).shares);
  }
  return stored;
}

function byPublisher(events: readonly GoodEvent[]): Map<string, GoodEvent[]> {
  const groups = new Map<string, GoodEvent[]>();
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
