import { randomUUID } from 'node:crypto';
import {
  batchResponse,
  batchStatus,
  parseBatch,
  type BatchResult,
  type ResultError,
  judgeEvent,
  readEvent,
} from '../wire/events.ts';
import { own, readUuid } from '../wire/json.ts';
import { EVENTS_BODY_MAX_BYTES, ID_MAX_LENGTH } from '../wire/limits.ts';
import {
  checkCall,
  type KeyRecord,
  type NetworkContext,
  type NetworkRoute,
  partnerRefusal,
  readJson,
} from './context.ts';
import { FIRST_VERSION, versionColumn, type ProcessCache } from './createProcessCache.ts';
import { DatabaseUnavailableError, hotEach, insertRows, UnconfirmedCommitError } from './database/database.ts';
import { SESSION_PUBLISHER_DIGITS } from './database/schema.ts';
import type { StoredSession } from './events/attributeConversions.ts';
import { mayEarn, type AcceptedEvent } from './events/eventStore.ts';

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

/** Checks each event on its own and stores the valid ones. Returns the results in input order, once everything is committed. */
async function acceptEvents(raws: readonly unknown[], key: KeyRecord, context: NetworkContext): Promise<BatchResult[]> {
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
    else {
      const raw = context.environment === 'staging' ? raws[index] : undefined;
      accepted.push({ ...verdict, arrival: arrivals[index] ?? 0, receivedAt: now, raw });
    }
  }
  const stored = await store(accepted, context);
  // The events are committed, whatever becomes of the list that shows them.
  await storeReceipts(context, key, listReceipts({ raws, arrivals, errors, stored })).catch(context.noteFailure);
  context.measure({ name: 'events_accepted', value: raws.length - errors.size });
  context.measure({ name: 'events_refused', value: errors.size });
  return raws.map((_, index) => {
    const error = errors.get(index);
    return error ? { index, success: false, error } : { index, success: true };
  });
}

/** Stores the events; returns the arrivals of those that were new. What they earn is billed later, as they are committed. */
async function store(accepted: readonly AcceptedEvent[], context: NetworkContext): Promise<Set<number>> {
  const arrivals = new Set<number>();
  for (const [publisherId, events] of byPublisher(accepted)) {
    const stored = await context.store(publisherId, events).catch((error: unknown) => {
      // Those of another publisher may be stored by now, so "try again" would store them twice.
      throw arrivals.size > 0 && error instanceof DatabaseUnavailableError ? new UnconfirmedCommitError(error) : error;
    });
    for (const event of events) if (stored.has(event)) arrivals.add(event.arrival);
    const earning = events.filter(({ event, session }) => mayEarn(event.event_name) && !session.is_sandbox);
    context.bill(earning.map(({ session }) => session));
  }
  return arrivals;
}

function byPublisher(events: readonly AcceptedEvent[]): Map<string, AcceptedEvent[]> {
  const groups = new Map<string, AcceptedEvent[]>();
  for (const event of events)
    groups.set(event.session.publisher_id, [...(groups.get(event.session.publisher_id) ?? []), event]);
  return groups;
}

function scriptedError({ retryable }: NonNullable<NetworkContext['fault']>): ResultError {
  return { code: 'SCRIPTED_FAULT', message: 'A scripted fault refused this event.', retryable: retryable ?? true };
}

function listReceipts(batch: {
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

/** An event that arrived and was not stored. */
interface Receipt {
  readonly arrival: number;
  readonly raw: unknown;
  readonly status: 'duplicate' | 'refused';
  readonly reason?: string;
}

/** The publisher of receipts whose key belongs to none. */
const NO_PUBLISHER = '00000000-0000-0000-0000-000000000000';

const insertReceipts = insertRows({
  into: 'receipts',
  columns: ['id', 'arrival', 'session_id', 'event_name', 'status', 'reason', 'body', 'received_at'],
});

/** Numbers for the events of one batch: microseconds, so they rise within a process, and with time between processes. */
function numberArrivals(count: number): number[] {
  const now = Math.floor((performance.timeOrigin + performance.now()) * 1_000);
  return Array.from({ length: count }, (_, index) => now + index);
}

/** Stores what GET /sandbox/events shows besides the stored events; in production it stores nothing. */
async function storeReceipts(
  context: NetworkContext,
  key: KeyRecord | undefined,
  receipts: readonly Receipt[],
): Promise<void> {
  if (context.environment !== 'staging' || receipts.length === 0) return;
  const publisherId = key?.publisher_id ?? NO_PUBLISHER;
  const receivedAt = await context.now();
  const rows = receipts.map(({ arrival, raw, status, reason }) => [
    randomUUID(),
    arrival,
    storableText(own(raw, 'session_id')) ?? null,
    storableText(own(raw, 'event_name')) ?? null,
    status,
    reason ?? null,
    JSON.stringify(raw),
    receivedAt,
  ]);
  await hotEach(context.db, insertReceipts(publisherId, rows));
}

/** A field of a refused event may be anything, and PostgreSQL can store neither U+0000 nor lone surrogates. */
function storableText(value: unknown): string | undefined {
  return typeof value === 'string' ? value.replaceAll(/\0|\p{Cs}/gu, '').slice(0, ID_MAX_LENGTH) : undefined;
}

/** Records the events of a request to which a scripted fault responds, so that GET /sandbox/events shows them. */
async function recordRefused(request: Request, context: NetworkContext): Promise<void> {
  const body = await readJson(request, EVENTS_BODY_MAX_BYTES);
  if (!body.ok) return;
  const events = readEventList(body.json);
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
function readEventList(json: unknown): readonly unknown[] {
  const events = own(json, 'events');
  return Array.isArray(events) ? events : [json];
}

/** What sessions are read with. */
type SessionContext = Pick<NetworkContext, 'db' | 'cache' | 'versions'>;

/** Keeps a session that this process has stored, so that it need not read it. */
export function rememberSession(cache: ProcessCache, key: KeyRecord, session: StoredSession): void {
  void cache.forever(cacheName(key, session.session_id), async () => session);
}

function cacheName({ id }: KeyRecord, sessionId: string): string {
  return `session ${id} ${sessionId}`;
}

/** Returns those sessions that the key gives access to, by lower-case id. A key is of one environment, so the cache may hold them by key. */
async function readSessions(
  context: SessionContext,
  key: KeyRecord,
  ids: Iterable<string>,
): Promise<Map<string, StoredSession>> {
  const wanted = new Set([...ids].map(readUuid).filter((id) => id !== undefined));
  const missing: string[] = [];
  let reading: Promise<Map<string, StoredSession>> | undefined;
  // All ids that are not cached are collected first; then one statement for each publisher reads them together.
  const found = [...wanted].map((id) =>
    context.cache.forever(cacheName(key, id), async () => {
      missing.push(id);
      await Promise.resolve();
      reading ??= selectSessions(context, key, missing);
      return (await reading).get(id);
    }),
  );
  const sessions = await Promise.all(found);
  return new Map(sessions.flatMap((session) => (session ? [[session.session_id, session] as const] : [])));
}

async function selectSessions(
  context: SessionContext,
  key: KeyRecord,
  ids: readonly string[],
): Promise<Map<string, StoredSession>> {
  const byPublisher =
    key.publisher_id === null ? await findPublishers(context, ids) : new Map([[key.publisher_id, ids] as const]);
  const rows = await Promise.all(
    [...byPublisher].map(([publisherId, some]) => {
      // The ids are separate parameters: with a list in one parameter a distributed PostgreSQL would query every shard.
      const places = some.map((_, index) => `$${index + 4}`).join(', ');
      return context.db.hot<StoredSession>(
        `SELECT publisher_id, session_id, channel_id, page_type, widget_type, widget_id, is_sandbox, has_email, order_amount, insertions, created_at
         FROM sessions WHERE publisher_id = $1 AND session_id IN (${places}) AND environment = $2 AND ($3::uuid IS NULL OR channel_id = $3)`,
        [publisherId, key.environment, key.publisher_id === null ? key.channel_id : null, ...some],
      );
    }),
  );
  return new Map(rows.flat().map((row) => [row.session_id, row]));
}

/** The publishers that sessions may belong to, with their sessions: a session's id ends as its publisher's does. Nearly always one each. */
async function findPublishers(
  { db, cache, versions }: SessionContext,
  ids: readonly string[],
): Promise<Map<string, string[]>> {
  const { publishers } = await versions();
  const found = new Map<string, string[]>();
  await Promise.all(
    ids.map(async (id) => {
      const end = id.slice(-SESSION_PUBLISHER_DIGITS);
      const names = await cache.atVersion(`publishers ${end}`, publishers, async () => {
        const [row] = await db.query<{ version: string | null; ids: readonly string[] | null }>(
          `SELECT ${versionColumn('publishers')}, (
             SELECT json_agg(publisher_remote_id) FROM publishers WHERE right(publisher_remote_id::text, ${SESSION_PUBLISHER_DIGITS}) = $1) AS ids`,
          [end],
        );
        return { version: row?.version ?? FIRST_VERSION, value: row?.ids ?? [] };
      });
      for (const name of names) found.set(name, [...(found.get(name) ?? []), id]);
    }),
  );
  return found;
}
