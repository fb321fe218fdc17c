import type { EventName, WireEvent } from '../../wire/events/wireEvent.ts';
import type { Transaction } from '../database/database.ts';
import { hotEach, insertRows } from '../database/insertRows.ts';
import { factsWriter, type Cell, type Measures } from '../facts/factsWriter.ts';
import type { Session } from '../sessions/session.ts';
import { periodsOf } from '../facts/periodsOf.ts';

/** A valid event, as it arrived. */
export interface AcceptedEvent {
  readonly event: WireEvent;
  /** When it happened, in milliseconds. */
  readonly at: number;
  readonly session: Session;
  /** Rises from event to event. */
  readonly arrival: number;
  readonly receivedAt: Date;
  /** The event as the caller sent it. */
  readonly raw: unknown;
}

/** What counts once: a session's load, display and view, and an insertion's impression. */
type Kind = 'load' | 'display' | 'view' | 'impression';

/** What each event counts as. Each click counts, and each conversion by its own id. */
const COUNTS: Readonly<Record<EventName, Kind | 'click' | 'conversion' | undefined>> = {
  WIDGET_LOAD: 'load',
  WIDGET_DISPLAY: 'display',
  WIDGET_VIEW: 'view',
  BRAND_DISPLAY: 'impression',
  BRAND_VIEW: 'impression',
  BRAND_CLICK: 'click',
  ELEMENT_CLICK: undefined,
  PRODUCT_DISPLAY: undefined,
  PRODUCT_VIEW: undefined,
  PRODUCT_CLICK: undefined,
  CONVERSION: 'conversion',
};

/** Whether an event may earn money. */
export function mayEarn(name: EventName): boolean {
  return COUNTS[name] === 'click' || COUNTS[name] === 'conversion';
}

const MEASURE_OF = {
  load: 'feed_loads',
  display: 'widget_displays',
  view: 'viewable_widget_displays',
  impression: 'impressions',
} as const;

/** The measures that follow from events alone; attribution adds the money later. */
const addCounts = factsWriter([
  'feed_loads',
  'widget_displays',
  'viewable_widget_displays',
  'impressions',
  'clicks',
  'conversions',
  'order_revenue_amount',
]);

/** What counts once does so in the hour of its first event: one with an earlier time moves it, and returns the hour that it leaves. */
const insertActivity = insertRows({
  into: 'activity AS a',
  columns: ['session_id', 'kind', 'insertion_id', 'hour'],
  suffix: `ON CONFLICT (publisher_id, session_id, kind, insertion_id)
    DO UPDATE SET previous_hour = a.hour, hour = excluded.hour WHERE excluded.hour < a.hour
    RETURNING session_id, kind, hour, previous_hour`,
});

const insertConversions = insertRows({
  into: 'conversions',
  columns: ['conversion_id', 'session_id', 'offer_id', 'event_at', 'hour'],
  suffix: 'ON CONFLICT DO NOTHING RETURNING session_id, hour',
});

interface Marked {
  readonly session_id: string;
  readonly kind: Kind;
  readonly hour: Date;
  readonly previous_hour: Date | null;
}

/** Adds what one publisher's events count to the facts. None of the events may have been counted before. */
export async function countEvents(
  db: Transaction,
  publisherId: string,
  events: readonly AcceptedEvent[],
): Promise<void> {
  const [marked, converted] = await Promise.all([
    hotEach<Marked>(db, insertActivity(publisherId, marksOf(events))),
    hotEach<Pick<Marked, 'session_id' | 'hour'>>(db, insertConversions(publisherId, conversionsOf(events))),
  ]);
  const sessions = new Map(events.map(({ session }) => [session.session_id, session]));
  const cells: Cell[] = [];
  function add(sessionId: string, at: Date | number, measuresOf: (session: Session) => Measures): void {
    const session = sessions.get(sessionId);
    if (session) cells.push({ ...placementOf(session), ...periodsOf(at), measures: measuresOf(session) });
  }
  for (const { session_id, kind, hour, previous_hour } of marked) {
    add(session_id, hour, (session) => once(kind, session));
    if (previous_hour) add(session_id, previous_hour, (session) => once(kind, session, '-'));
  }
  for (const { event, session, at } of events)
    if (COUNTS[event.event_name] === 'click') add(session.session_id, at, () => ({ clicks: 1 }));
  for (const { session_id, hour } of converted) add(session_id, hour, () => ({ conversions: 1 }));
  addCounts(db, publisherId, cells);
}

/** What one thing that counts once adds to its hour, or takes from it. */
function once(kind: Kind, { is_sandbox, order_amount }: Session, sign: '' | '-' = ''): Measures {
  const count = { [MEASURE_OF[kind]]: sign === '-' ? -1 : 1 };
  // A sandbox session earns nothing.
  return kind === 'load' && !is_sandbox ? { ...count, order_revenue_amount: sign + (order_amount ?? '0') } : count;
}

function placementOf({
  channel_id,
  page_type,
  widget_type,
  widget_id,
}: Session): Omit<Cell, 'measures' | 'hour' | 'day' | 'week_start' | 'month_start'> {
  return { channel_id, page_type, widget_type, widget_id };
}

/** The rows of what counts once, each in the earliest hour that these events say. */
function marksOf(events: readonly AcceptedEvent[]): unknown[][] {
  const earliest = new Map<string, { readonly row: readonly string[]; readonly at: number }>();
  for (const { event, session, at } of events) {
    const kind = COUNTS[event.event_name];
    if (!kind || kind === 'click' || kind === 'conversion') continue;
    const row = [session.session_id, kind, kind === 'impression' ? (event.brand_properties?.insertion_id ?? '') : ''];
    const name = row.join(' ');
    if (at < (earliest.get(name)?.at ?? Number.POSITIVE_INFINITY)) earliest.set(name, { row, at });
  }
  return [...earliest]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, { row, at }]) => [...row, periodsOf(at).hour]);
}

/**
 * The rows of the conversions that count, each with the earliest event that reports it: no other kind of event, which a page
 * could send, and none in a sandbox session.
 */
function conversionsOf(events: readonly AcceptedEvent[]): unknown[][] {
  const earliest = new Map<string, AcceptedEvent>();
  for (const event of events) {
    const { event_name, conversion_properties } = event.event;
    const counts = COUNTS[event_name] === 'conversion' && !event.session.is_sandbox;
    const id = counts ? conversion_properties?.conversion_id : undefined;
    if (id !== undefined && event.at < (earliest.get(id)?.at ?? Number.POSITIVE_INFINITY)) earliest.set(id, event);
  }
  return [...earliest]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([id, { event, session, at }]) => [
      id,
      session.session_id,
      event.brand_properties?.offer_id ?? null,
      new Date(at).toISOString(),
      periodsOf(at).hour,
    ]);
}
