import { randomUUID } from 'node:crypto';
import type { EventName, WireEvent } from '../../wire/events.ts';
import {
  type Database,
  DatabaseUnavailableError,
  hotEach,
  insertRows,
  type Transaction,
} from '../database/database.ts';
import { factsWriter, type FactCell, type Measures, periodsAt } from '../facts.ts';
import type { StoredSession } from './attributeConversions.ts';

/** Milliseconds that a request waits at most for others of its publisher. */
const WAIT_MS = 5;
/** Events that are committed together; a group may exceed it by one batch. */
const GROUP_EVENTS = 200;

/** Stores the events of one publisher that a request brings. Resolves to those that were new, once everything is committed. */
export type EventStore = (publisherId: string, events: readonly AcceptedEvent[]) => Promise<ReadonlySet<AcceptedEvent>>;

/** Stores events, those of concurrent requests for one publisher in one transaction. */
export function createEventStore(db: Database): EventStore {
  type Stored = () => Promise<ReadonlySet<AcceptedEvent>>;
  const groups = createGroups<readonly AcceptedEvent[], Stored>(
    async (publisherId, works) => {
      try {
        const stored = await storeEvents(db, publisherId, works.flat());
        return works.map(() => async () => stored);
      } catch (error) {
        if (works.length === 1 || error instanceof DatabaseUnavailableError) throw error;
        // One of them cannot be stored: each on its own, so that it fails alone.
        return works.map((events) => () => storeEvents(db, publisherId, events));
      }
    },
    { waitMs: WAIT_MS, size: GROUP_EVENTS },
  );
  return async (publisherId, events) => (await groups(publisherId, events, events.length))();
}

/** How long work waits, and how much of it runs together. */
interface GroupLimits {
  /** Milliseconds that work waits at most while another group of its name runs. */
  readonly waitMs: number;
  /** The total size at which the waiting work starts at once. */
  readonly size: number;
}

/** A piece of work that has not started. */
interface Waiting<Work, Result> {
  readonly work: Work;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** The work of one name: what runs, and what waits. */
interface Line<Work, Result> {
  running: number;
  waiting: Waiting<Work, Result>[];
  /** The total size of what waits. */
  size: number;
  /** Cancels the start that is planned. */
  cancel: (() => void) | undefined;
}

/**
 * Runs work of the same name in groups: work that arrives while a group runs becomes the next group. So the busier a name,
 * the larger its groups, and work that arrives alone starts at once. `run` returns one result per work.
 */
export function createGroups<Work, Result>(
  run: (name: string, works: readonly Work[]) => Promise<readonly Result[]>,
  limits: GroupLimits,
): (name: string, work: Work, size: number) => Promise<Result> {
  const lines = new Map<string, Line<Work, Result>>();

  function start(name: string, line: Line<Work, Result>): void {
    line.cancel?.();
    line.cancel = undefined;
    const group = line.waiting;
    if (group.length === 0) return;
    line.waiting = [];
    line.size = 0;
    line.running += 1;
    const works = group.map(({ work }) => work);
    run(name, works).then(
      (results) => {
        end(name, line);
        for (const [index, waiting] of group.entries()) waiting.resolve(results[index] as Result);
      },
      (error: unknown) => {
        end(name, line);
        for (const waiting of group) waiting.reject(error);
      },
    );
  }

  function end(name: string, line: Line<Work, Result>): void {
    line.running -= 1;
    if (line.waiting.length > 0) start(name, line);
    else if (line.running === 0) lines.delete(name);
  }

  return (name, work, size) => {
    let line = lines.get(name);
    if (!line) lines.set(name, (line = { running: 0, waiting: [], size: 0, cancel: undefined }));
    const own = line;
    return new Promise((resolve, reject) => {
      own.waiting.push({ work, resolve, reject });
      own.size += size;
      if (own.size >= limits.size) start(name, own);
      else own.cancel ??= plan(() => start(name, own), own.running === 0 ? 0 : limits.waitMs);
    });
  };
}

/** Runs something later: without a wait, once what has come in the same turn of the event loop is there. Returns how to cancel it. */
function plan(run: () => void, waitMs: number): () => void {
  if (waitMs === 0) {
    const immediate = setImmediate(run);
    return () => clearImmediate(immediate);
  }
  const timer = setTimeout(run, waitMs);
  return () => clearTimeout(timer);
}

/** body is JSON as text: PostgreSQL's json type would refuse some escapes. In production it is empty. */
const insertEvents = insertRows({
  into: 'events',
  columns: ['event_id', 'session_id', 'event_name', 'event_at', 'offer_id', 'body', 'received_at', 'arrival'],
  // Without the key's columns: a process goes on while a newer one changes the key.
  suffix: 'ON CONFLICT DO NOTHING RETURNING session_id, event_id',
});

/**
 * Stores events of one publisher and counts them, in one transaction whose statements each touch one shard. Returns those
 * that were new. Its locks are taken in one order: events, activity, conversions, hourly facts, daily facts, and each table's
 * rows sorted. So of two batches that share rows, one waits for the other, and neither deadlocks.
 */
export async function storeEvents(
  db: Database,
  publisherId: string,
  events: readonly AcceptedEvent[],
): Promise<ReadonlySet<AcceptedEvent>> {
  const incoming = [...byIdentity(events)].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const rows = incoming.map(([, [event_id, { event, at, session, raw, receivedAt, arrival }]]) => [
    event_id,
    session.session_id,
    event.event_name,
    new Date(at).toISOString(),
    event.brand_properties?.offer_id ?? null,
    raw === undefined ? '' : JSON.stringify(raw),
    receivedAt.toISOString(),
    arrival,
  ]);
  return db.transaction(async (transaction) => {
    const inserted = await hotEach<EventIdentity>(transaction, insertEvents(publisherId, rows));
    const names = new Set(inserted.map(identityText));
    const fresh = incoming.flatMap(([name, [, event]]) => (names.has(name) ? [event] : []));
    await countEvents(transaction, publisherId, fresh);
    return new Set(fresh);
  });
}

/** What makes two events the same: the session and the exact event_id. */
interface EventIdentity {
  readonly session_id: string;
  readonly event_id: string;
}

function identityText({ session_id, event_id }: EventIdentity): string {
  return `${session_id} ${event_id}`;
}

/** The events by identity, each with its event_id: the first where one is repeated. */
function byIdentity(events: readonly AcceptedEvent[]): Map<string, readonly [event_id: string, event: AcceptedEvent]> {
  const unique = new Map<string, readonly [string, AcceptedEvent]>();
  for (const event of events) {
    const event_id = event.event.event_id ?? randomUUID();
    const identity = identityText({ session_id: event.session.session_id, event_id });
    if (!unique.has(identity)) unique.set(identity, [event_id, event]);
  }
  return unique;
}

/** A valid event, as it arrived. */
export interface AcceptedEvent {
  readonly event: WireEvent;
  /** When it happened, in milliseconds. */
  readonly at: number;
  readonly session: StoredSession;
  /** Rises from event to event. */
  readonly arrival: number;
  readonly receivedAt: Date;
  /** The event as the caller sent it, which a staging network shows. */
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
async function countEvents(db: Transaction, publisherId: string, events: readonly AcceptedEvent[]): Promise<void> {
  const [marked, converted] = await Promise.all([
    hotEach<Marked>(db, insertActivity(publisherId, markRows(events))),
    hotEach<Pick<Marked, 'session_id' | 'hour'>>(db, insertConversions(publisherId, conversionRows(events))),
  ]);
  const sessions = new Map(events.map(({ session }) => [session.session_id, session]));
  const cells: FactCell[] = [];
  function add(sessionId: string, at: Date | number, measuresOf: (session: StoredSession) => Measures): void {
    const session = sessions.get(sessionId);
    if (session) cells.push({ ...placementOf(session), ...periodsAt(at), measures: measuresOf(session) });
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
function once(kind: Kind, { is_sandbox, order_amount }: StoredSession, sign: '' | '-' = ''): Measures {
  const count = { [MEASURE_OF[kind]]: sign === '-' ? -1 : 1 };
  // A sandbox session earns nothing.
  return kind === 'load' && !is_sandbox ? { ...count, order_revenue_amount: sign + (order_amount ?? '0') } : count;
}

function placementOf({
  channel_id,
  page_type,
  widget_type,
  widget_id,
}: StoredSession): Omit<FactCell, 'measures' | 'hour' | 'day' | 'week_start' | 'month_start'> {
  return { channel_id, page_type, widget_type, widget_id };
}

/** The rows of what counts once, each in the earliest hour that these events say. */
function markRows(events: readonly AcceptedEvent[]): unknown[][] {
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
    .map(([, { row, at }]) => [...row, periodsAt(at).hour]);
}

/**
 * The rows of the conversions that count, each with the earliest event that reports it: no other kind of event, which a page
 * could send, and none in a sandbox session.
 */
function conversionRows(events: readonly AcceptedEvent[]): unknown[][] {
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
      periodsAt(at).hour,
    ]);
}
