import { readBatchResponse } from '../wire/events.ts';
import { BATCH_MAX_EVENTS, QUEUE_MAX_REFUSALS } from '../wire/limits.ts';
import { HOUR_MS } from '../wire/utcDates.ts';
import type { QueueEvent } from './events.ts';
import { BACKOFF, DEAD, type EventRow, type RowChange, dueAt } from './rows.ts';

/** Milliseconds without a success after which every failure may be the fault of an event. */
const STUCK_MS = 3 * HOUR_MS;

/** The parts of a response that matter; status 0 when there was none. */
export interface BatchResponse {
  status: number;
  body?: unknown;
  retryAfter?: string | null;
  reason: string;
}

/** Whether the body of a response says what became of each event; all others are settled by their status. */
export function hasResults(status: number): boolean {
  return status === 207 || status === 502;
}

/** What a response to a batch is judged by. */
export interface SentBatch {
  readonly batch: readonly QueueEntry[];
  /** Whether a row is still in flight, and not purged meanwhile. */
  isWanted(key: string): boolean;
  readonly response: BatchResponse;
  /** The backoff state before the request. */
  readonly before: Backoff | undefined;
  /** The request was sent before its time, so the delays begin anew. */
  readonly isEager: boolean;
  readonly now: number;
}

/** What a response changes, and what is reported. */
export interface Settlement {
  readonly changes: readonly RowChange[];
  readonly backoff: Backoff | undefined;
  readonly events: readonly QueueEvent[];
  /** What the sender does next. */
  readonly next: BatchVerdict['next'];
}

/** Decides what becomes of the events of a batch, and of the backoff state. */
export function settle({ batch, isWanted, response, before, isEager, now }: SentBatch): Settlement {
  const { status, body, reason, retryAfter } = response;
  const { fates, next } = readVerdict(status, body, batch.length);
  const changes: RowChange[] = [];
  const events: QueueEvent[] = [];
  const eventIds: string[] = [];
  const queued: string[] = [];
  const failures: Record<string, number> = { ...before?.failures };

  const isSuspects = (!before?.at || before.isSuspects) && batch.every(([key]) => isSuspect(before?.failures, key));

  batch.forEach(([key, row], index) => {
    const { event, tries = 0 } = row;
    const [fate, why = reason] = fates[index] ?? ['queued'];
    if (!isWanted(key)) return;
    if (fate === 'queued') return void queued.push(key);
    delete failures[key];
    if (fate === 'delivered') {
      changes.push([key]);
      eventIds.push(event.event_id);
    } else if (fate === 'dead' || tries + 1 >= QUEUE_MAX_REFUSALS) {
      // The message is the server's text: what looks like an email address or a number of a person is not stored.
      changes.push([DEAD + key, { event, reason: why.replace(/\S*@\S*|\d{4,}/g, '…') }, key]);
      events.push({ type: 'dead_letter', event, reason: why });
    } else {
      const nextTryAt = now + jitter(1_000 * 2 ** tries);
      changes.push([dueAt(key, nextTryAt), { ...row, tries: tries + 1 }, key]);
      events.push({ type: 'retried', count: 1, reason: why, nextTryAt });
    }
  });
  if (eventIds[0]) events.push({ type: 'delivered', count: eventIds.length, eventIds });

  // A refused connection or a rate limit says nothing about the events, unless it lasts for hours.
  const isTheirs = status >= 500 || isSuspects || now - (before?.since ?? now) > STUCK_MS;
  const all: Failures = isTheirs ? countFailure(failures, queued) : failures;
  let backoff: Backoff | undefined = Object.keys(all)[0] ? { failures: all } : undefined;
  if (next === 'wait') {
    backoff = { ...backoff, ...afterFailure(isEager ? undefined : before, now, retryAfter), isSuspects };
    if (queued[0]) events.push({ type: 'retried', count: queued.length, reason, nextTryAt: backoff.at ?? 0 });
  }
  changes.push([BACKOFF, backoff]);
  return { changes, backoff, events, next };
}

/** What becomes of one event, and why: it is delivered, stays queued, was refused (which counts against it), or is never accepted. */
type EventFate = readonly [fate: 'delivered' | 'queued' | 'refused' | 'dead', reason?: string];

/** What a response means: the fate of each event that was sent, and what the sender does next. */
export interface BatchVerdict {
  fates: readonly EventFate[];
  next: 'go' | 'split' | 'pause' | 'wait';
}

/**
 * Reads the response to a batch (docs/project/wire.md#batch-responses). Only 201, 202 and 207 deliver: a captive portal's 200 does not. Results are
 * matched by `index`, never by position; what is missing, duplicated or unreadable stays, since the relay drops duplicates.
 */
export function readVerdict(status: number, body: unknown, sent: number): BatchVerdict {
  const isWhole = status === 400 || status === 413 || status === 422;
  const results = readBatchResponse(hasResults(status) ? body : undefined, sent);
  const fates = results.map((result): EventFate => {
    if (status === 201 || status === 202 || result === 'accepted') return ['delivered'];
    if (isWhole && sent < 2) return ['dead'];
    if (result === 'unknown') return ['queued'];
    const { code, message, retryable } = result;
    // A 502 is an outage behind the relay: it never counts against an event.
    const fate = retryable ? (status === 502 ? 'queued' : 'refused') : 'dead';
    return code || message ? [fate, `${code}: ${message}`] : [fate];
  });
  const isOutage = fates.some(([fate]) => fate === 'queued') || fates.every(([fate]) => fate === 'refused');
  const isOurs = status >= 400 && status < 500 && ![408, 425, 429].includes(status);
  const next = isWhole ? (sent > 1 ? 'split' : 'go') : isOurs ? 'pause' : isOutage ? 'wait' : 'go';
  return { fates, next };
}

/** The backoff state that the tabs of an origin share; times are of the shopper's clock, in milliseconds. */
export interface Backoff {
  /** When the failures began; missing, as the next two, when the last request succeeded. */
  since?: number;
  /** The next attempt. */
  at?: number;
  /** `online` and the like bring the next attempt forward to here, never further: the pause after a failure, or Retry-After. */
  floor?: number;
  /** Only suspects have failed since the server last accepted something: other events need not wait. */
  isSuspects?: boolean | undefined;
  failures?: Failures;
}

/** Milliseconds between a failure and the next request, whatever triggers it. */
export const FAILURE_PAUSE_MS = 500;
/** The longest delay in the first four seconds of an outage: a thank-you page is open for seconds. */
const EAGER_DELAY_MS = 2_000;
const LONGEST_DELAY_MS = 300_000;

/** Returns a delay below a ceiling: half of it, the rest random, so that a thousand pages do not return together. */
function jitter(ceiling: number): number {
  return Math.ceil((Math.min(ceiling, LONGEST_DELAY_MS) * (1 + Math.random())) / 2);
}

/** Returns the milliseconds that a Retry-After header asks for, in seconds or as a date; 0 when it is missing or unreadable. */
export function retryAfterMs(header: string | null | undefined, now: number): number {
  const ms = Number(header) * 1_000 || Date.parse(String(header)) - now;
  // 2,147,484 s would overflow setTimeout into a hot loop.
  return ms > 0 ? Math.min(ms, HOUR_MS) : 0;
}

/** Returns the state after one more failure. After a few seconds each delay is about as long as all before it. */
export function afterFailure(
  before: Backoff | undefined,
  now: number,
  retryAfter?: string | null,
): Required<Pick<Backoff, 'since' | 'at' | 'floor'>> {
  const since = before?.since ?? now;
  const delay = jitter(before?.since ? Math.max(EAGER_DELAY_MS, now - since - 3_000) : 1_000);
  const asked = retryAfterMs(retryAfter, now);
  const floor = now + (asked ? asked + Math.random() * Math.max(delay, asked / 2) : FAILURE_PAUSE_MS);
  return { since, at: Math.max(now + delay, floor), floor };
}

/** Returns the milliseconds until a request may be sent. `isEager`: back online, visible again or flushed. */
export function remainingDelay(backoff: Backoff | undefined, now: number, isEager: boolean): number {
  const delay = ((isEager ? backoff?.floor : backoff?.at) ?? now) - now;
  // Further ahead than anything we set: written under a clock that has been set back since.
  return delay > 0 && delay < 2 * HOUR_MS ? delay : 0;
}

/** How often each event, by its key, was in a batch that the server failed on. */
export type Failures = Readonly<Record<string, number>>;

/** An event's row and its key. */
export type QueueEntry = readonly [key: string, row: EventRow];

/** Failures of the server after which an event is a suspect: it may be what makes the server fail. */
const SUSPECT_FAILURES = 3;
/** A suspect that failed alone has the next multiple of it: more than others can have by then. */
const ALONE = 1_000;

/** Whether an event was in so many failed batches that it waits behind the others. */
export function isSuspect(failures: Failures | undefined, key: string): boolean {
  return (failures?.[key] ?? 0) >= SUSPECT_FAILURES;
}

/**
 * Returns the next batch of what is due: the oldest events, then suspects. Suspects that failed equally often are sent in
 * halves, those that failed least first, until one is left alone. An attempt is spent on each batch whatever it holds,
 * so an outage causes no more requests than without suspects.
 */
export function takeBatch(due: readonly QueueEntry[], failures: Failures = {}): readonly QueueEntry[] {
  const others = alike(due.filter(([key]) => !isSuspect(failures, key)));
  if (others[0]) return others.slice(0, BATCH_MAX_EVENTS);
  const least = Math.min(...due.map(([key]) => failures[key] ?? 0));
  const equals = alike(due.filter(([key]) => failures[key] === least));
  return equals.slice(0, Math.min(BATCH_MAX_EVENTS, (equals.length + 1) >> 1));
}

/** Returns those whose time is of the same clock as that of the first: the relay corrects the times of a whole batch. */
function alike(rows: readonly QueueEntry[]): readonly QueueEntry[] {
  return rows.filter(([, { isTrue }]) => isTrue === rows[0]?.[1].isTrue);
}

/**
 * Returns the failures after one more of a batch. Every event is counted, the full queue if need be: a batch that was not would go first for
 * ever once an outage had used up the room. A suspect that failed alone goes behind all others, or it would fail with the same ones again.
 */
export function countFailure(before: Failures, keys: readonly string[]): Failures {
  const after = { ...before };
  for (const key of keys) {
    const count = after[key] ?? 0;
    after[key] = keys[1] || count < SUSPECT_FAILURES ? count + 1 : count - (count % ALONE) + ALONE;
  }
  return after;
}

/** Returns the failures of the rows that still exist, which bounds their number. */
export function keepFailures(failures: Failures, keys: readonly string[]): Failures {
  const existing = new Set(keys);
  return Object.fromEntries(Object.entries(failures).filter(([key]) => existing.has(key)));
}
