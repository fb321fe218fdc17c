import { randomUUID } from 'node:crypto';
import type { Database } from '../database/database.ts';
import { hotEach, insertRows, type Statement } from '../database/insertRows.ts';
import { countEvents, type AcceptedEvent } from './countEvents.ts';

/** body is JSON as text: PostgreSQL's json type would refuse some escapes. */
const insertEvents = insertRows({
  into: 'events',
  columns: ['event_id', 'session_id', 'event_name', 'event_at', 'offer_id', 'body', 'received_at', 'arrival'],
  // Without the key's columns: a process goes on while a newer one changes the key.
  suffix: 'ON CONFLICT DO NOTHING RETURNING session_id, event_id',
});

/** Events of one publisher. */
export interface EventsOfPublisher {
  readonly publisherId: string;
  readonly events: readonly AcceptedEvent[];
  /** A statement to run once they are committed. */
  readonly next?: Statement | undefined;
}

/**
 * Stores events of one publisher and counts them, in one transaction whose statements each touch one shard. Returns those
 * that were new, and the rows of `next`. Its locks are taken in one order: events, activity, conversions, hourly facts, daily
 * facts, and each table's rows sorted. So of two batches that share rows, one waits for the other, and neither deadlocks.
 */
export async function storeEvents(
  db: Database,
  { publisherId, events, next }: EventsOfPublisher,
): Promise<{ readonly stored: ReadonlySet<AcceptedEvent>; readonly rows: readonly unknown[] }> {
  const incoming = [...byIdentity(events)].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const rows = incoming.map(([, [event_id, { event, at, session, raw, receivedAt, arrival }]]) => [
    event_id,
    session.session_id,
    event.event_name,
    new Date(at).toISOString(),
    event.brand_properties?.offer_id ?? null,
    JSON.stringify(raw),
    receivedAt.toISOString(),
    arrival,
  ]);
  const { stored, rows: reading } = await db.transaction(async (transaction) => {
    const inserted = await hotEach<EventIdentity>(transaction, insertEvents(publisherId, rows));
    const names = new Set(inserted.map(identityOf));
    const fresh = incoming.flatMap(([name, [, event]]) => (names.has(name) ? [event] : []));
    await countEvents(transaction, publisherId, fresh);
    return { stored: new Set(fresh), rows: next ? transaction.afterCommit(...next) : undefined };
  });
  return { stored, rows: (await reading) ?? [] };
}

/** What makes two events the same: the session and the exact event_id. */
interface EventIdentity {
  readonly session_id: string;
  readonly event_id: string;
}

function identityOf({ session_id, event_id }: EventIdentity): string {
  return `${session_id} ${event_id}`;
}

/** The events by identity, each with its event_id: the first where one is repeated. */
function byIdentity(events: readonly AcceptedEvent[]): Map<string, readonly [event_id: string, event: AcceptedEvent]> {
  const unique = new Map<string, readonly [string, AcceptedEvent]>();
  for (const event of events) {
    const event_id = event.event.event_id ?? randomUUID();
    const identity = identityOf({ session_id: event.session.session_id, event_id });
    if (!unique.has(identity)) unique.set(identity, [event_id, event]);
  }
  return unique;
}
