import { readBatchResponse } from '../wire/events.ts';
import { BATCH_MAX_EVENTS, QUEUE_MAX_REFUSALS } from '../wire/limits.ts';
import { HOUR_MS } from '../wire/utcDates.ts';
import type { QueueEvent } from './events.ts';
import { BACKOFF, DEAD, type QueueEntry, type RowChange, dueAt, isSuspect, suspectKey } from './rows.ts';

/** Milliseconds without a success after which every failure may be the fault of an event. */
const STUCK_MS = 3 * HOUR_MS;
/** Failures of the server after which a batch is split: one of its events may be what makes the server fail. */
const SPLIT_FAILURES = 3;

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
  /** Whether a row is still in flight, and not cleared meanwhile. */
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
export function settle({ batch, isWanted, response, before = {}, isEager, now }: SentBatch): Settlement {
  const { status, body, reason, retryAfter } = response;
  const { fates, next } = readVerdict(status, body, batch.length);
  const changes: RowChange[] = [];
  const events: QueueEvent[] = [];
  const eventIds: string[] = [];
  const queued: QueueEntry[] = [];

  batch.forEach(([key, row], index) => {
    const { event, tries = 0 } = row;
    const [fate, why = reason] = fates[index] ?? ['queued'];
    if (!isWanted(key)) return;
    if (fate === 'queued') queued.push([key, row]);
    else if (fate === 'delivered') {
      changes.push([key]);
      eventIds.push(event.event_id);
    } else if (fate === 'dead' || tries + 1 >= QUEUE_MAX_REFUSALS) {
      // The rest is the server's text, and may quote personal data.
      changes.push([DEAD + key, { event, reason: why.match(CODE_AND_FIELDS)?.join(': ') ?? 'refused' }, key]);
      events.push({ type: 'deadLetter', event, reason: why });
    } else {
      const nextTryAt = now + jitter(1_000 * 2 ** tries);
      changes.push([dueAt(key, nextTryAt), { ...row, tries: tries + 1 }, key]);
      events.push({ type: 'retried', count: 1, reason: why, nextTryAt });
    }
  });
  if (eventIds[0]) events.push({ type: 'delivered', count: eventIds.length, eventIds });

  const hasFailed = next === 'wait';
  const isSuspects = hasFailed && (!before.at || before.isSuspects) && batch.every(([key]) => isSuspect(key));
  // A refused connection or a rate limit says nothing about the events, unless it lasts for hours, or a batch is being split.
  const isTheirs = hasFailed && (status >= 500 || before.sizes || isSuspects || now - (before.since ?? now) > STUCK_MS);
  const failures = (before.failures ?? 0) + Number(!!isTheirs);
  const isSplit = next === 'split' || (isTheirs && (before.sizes || failures >= SPLIT_FAILURES));
  const sizes = (before.sizes ?? []).slice(hasFailed && !isSplit ? 0 : 1);
  if (isSplit && batch[1]) sizes.unshift((batch.length + 1) >> 1, batch.length >> 1);
  else if (isSplit) for (const [key, row] of queued) changes.push([suspectKey(key, now), row, key]);

  let backoff: Backoff | undefined = sizes[0] ? { sizes } : undefined;
  if (hasFailed) {
    const delays = afterFailure(isEager ? undefined : before, now, retryAfter);
    backoff = { ...backoff, ...delays, failures, isSuspects };
    if (queued[0]) events.push({ type: 'retried', count: queued.length, reason, nextTryAt: delays.at });
  }
  changes.push([BACKOFF, backoff]);
  return { changes, backoff, events, next };
}

/** The code of a refusal, or the status, and each field that it names. */
const CODE_AND_FIELDS = /^Status \d+$|^[a-z_]+(?=:)|\b[a-z]+_(id|name|datetime|target|properties)\b/gi;

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
  /** Sizes of the next batches: the halves of those that were split. */
  sizes?: readonly number[];
  /** When the failures began; missing, as all that follow, when the last request succeeded. */
  since?: number;
  /** When the delay was set: a clock that shows less was set back since, and nobody knows how much of it is left. */
  set?: number;
  /** The next attempt. */
  at?: number;
  /** `online` and the like bring the next attempt forward to here, never further: the pause after a failure, or Retry-After. */
  floor?: number;
  /** How often the server has failed since it last accepted something. */
  failures?: number;
  /** Only suspects have failed since then: other events need not wait. */
  isSuspects?: boolean | undefined;
}

/** Milliseconds between a failure and the next request, whatever triggers it. */
export const FAILURE_PAUSE_MS = 500;
/** The longest delay in the first four seconds of an outage: a thank-you page is open for seconds. */
const EAGER_DELAY_MS = 2_000;
export const LONGEST_DELAY_MS = 300_000;

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

/**
 * Returns the state after one more failure. After a few seconds each delay is about as long as all before it, but at most
 * three times the last one: a clock that jumps ahead makes no outage long.
 */
export function afterFailure(
  before: Backoff | undefined,
  now: number,
  retryAfter?: string | null,
): Required<Pick<Backoff, 'since' | 'set' | 'at' | 'floor'>> {
  const { since = now, set = now, at = now } = before ?? {};
  const passed = Math.min(now - since - 3_000, 3 * (at - set));
  const delay = jitter(before?.since ? Math.max(EAGER_DELAY_MS, passed) : 1_000);
  const asked = retryAfterMs(retryAfter, now);
  const floor = now + (asked ? asked + Math.random() * Math.max(delay, asked / 2) : FAILURE_PAUSE_MS);
  return { since: Math.min(since, now), set: now, at: Math.max(now + delay, floor), floor };
}

/** Returns the milliseconds until a request may be sent. `isEager`: back online, visible again or flushed. */
export function remainingDelay({ set, at, floor }: Backoff = {}, now: number, isEager: boolean): number {
  return Number(set) <= now ? Math.max(0, Number(isEager ? floor : at) - now) : 0;
}

/** Returns the next batch of what is due, oldest first: suspects only if nothing else is, and times of one clock only. */
export function takeBatch(due: readonly QueueEntry[], { sizes = [] }: Backoff = {}): readonly QueueEntry[] {
  const [oldest] = due;
  // The relay corrects the times of a whole batch.
  const alike = due.filter(
    ([key, row]) => oldest && isSuspect(key) === isSuspect(oldest[0]) && row.isRelayTime === oldest[1].isRelayTime,
  );
  return alike.slice(0, sizes[0] ?? BATCH_MAX_EVENTS);
}
