import { randomUUID } from 'node:crypto';
import type { EventName, WireEvent } from '../../wire/events/wireEvent.ts';
import type { Queries } from '../database/database.ts';
import { periodsOf, type Periods } from '../time/periodsOf.ts';
import { INGEST, type IncomingEvent, type IncomingSession } from './ingestStatement.ts';
import type { Session } from '../sessions/session.ts';

/** A valid event, as it arrived. */
export interface AcceptedEvent {
  readonly event: WireEvent;
  /** When it happened, in milliseconds. */
  readonly at: number;
  readonly session: Session;
  /** Rises from event to event. */
  readonly arrival: number;
  /** The event as the caller sent it. */
  readonly raw: unknown;
}

/** What each kind of event makes count once per session, or once per insertion. Each click counts. */
const COUNTS_ONCE: Partial<Record<EventName, string>> = {
  WIDGET_LOAD: 'load',
  WIDGET_DISPLAY: 'display',
  WIDGET_VIEW: 'view',
  BRAND_DISPLAY: 'impression',
  BRAND_VIEW: 'impression',
};

/** Stores events of one publisher and counts them, in one statement. Returns the arrivals of those that were new. */
export async function storeEvents(
  db: Queries,
  publisherId: string,
  events: readonly AcceptedEvent[],
  receivedAt: Date,
): Promise<Set<number>> {
  const statement = ingestParams(publisherId, events, receivedAt);
  const stored = await db.hot<EventIdentity>(INGEST, statement.params);
  return new Set(stored.map((event) => statement.arrivals.get(identityOf(event)) ?? -1));
}

/** What makes two events the same: the session and the exact event_id. */
type EventIdentity = Pick<IncomingEvent, 'session_id' | 'event_id'>;

function identityOf({ session_id, event_id }: EventIdentity): string {
  return `${session_id} ${event_id}`;
}

/** The parameters of the ingest statement, and the arrival of each event: of the first where a batch repeats one. */
export function ingestParams(
  publisherId: string,
  events: readonly AcceptedEvent[],
  receivedAt: Date,
): { params: readonly unknown[]; arrivals: ReadonlyMap<string, number> } {
  const incoming = new Map<string, IncomingEvent>();
  const sessions = new Map<string, IncomingSession>();
  const periods = new Map<string, Periods>();
  for (const good of events) {
    const event_id = good.event.event_id ?? randomUUID();
    const identity = identityOf({ session_id: good.session.session_id, event_id });
    if (incoming.has(identity)) continue;
    const at = periodsOf(good.at);
    periods.set(at.hour, at);
    incoming.set(identity, incomingEvent(event_id, good, at.hour));
    sessions.set(good.session.session_id, incomingSession(good.session));
  }
  // All writers use one order: of two batches that share events, one waits for the other, and neither deadlocks.
  const sorted = [...incoming].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    params: [
      publisherId,
      JSON.stringify(sorted.map(([, event]) => event)),
      JSON.stringify([...sessions.values()]),
      JSON.stringify([...periods.values()]),
      receivedAt,
    ],
    arrivals: new Map(sorted.map(([identity, { arrival }]) => [identity, arrival])),
  };
}

function incomingEvent(
  event_id: string,
  { event, at, session, arrival, raw }: AcceptedEvent,
  hour: string,
): IncomingEvent {
  const kind = COUNTS_ONCE[event.event_name] ?? '';
  return {
    event_id,
    session_id: session.session_id,
    event_name: event.event_name,
    event_at: new Date(at).toISOString(),
    hour,
    offer_id: event.brand_properties?.offer_id ?? null,
    kind,
    insertion_id: kind === 'impression' ? (event.brand_properties?.insertion_id ?? '') : '',
    conversion_id: session.is_sandbox ? null : (event.conversion_properties?.conversion_id ?? null),
    arrival,
    body: JSON.stringify(raw),
  };
}

function incomingSession(session: Session): IncomingSession {
  const { session_id, channel_id, page_type, widget_type, widget_id } = session;
  const order_amount = session.is_sandbox ? '0' : (session.order_amount ?? '0');
  return { session_id, channel_id, page_type, widget_type, widget_id, order_amount };
}
