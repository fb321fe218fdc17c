import { readBatchResponse } from '../../wire/events/batch.ts';
import { QUEUE_MAX_REFUSALS } from '../../wire/limits.ts';
import { afterFailure, HOUR_MS, jitter, type Backoff } from './backoff.ts';
import type { QueueEvent } from '../events.ts';
import { BACKOFF, type RowChange, DEAD, dueAt } from '../rows/rows.ts';
import { hasResults, type BatchResponse } from './sendBatch.ts';
import { countFailure, isSuspect, type Failures, type QueueEntry } from './takeBatch.ts';

/** Milliseconds without a success after which every failure may be the fault of an event. */
const STUCK_MS = 3 * HOUR_MS;

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

/** What a response changes, and what is reported of it. */
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
export type EventFate = readonly [fate: 'delivered' | 'queued' | 'refused' | 'dead', reason?: string];

/** What a response means: the fate of each event that was sent, and what the sender does next. */
export interface BatchVerdict {
  fates: readonly EventFate[];
  next: 'go' | 'split' | 'pause' | 'wait';
}

/**
 * Reads the response to a batch (docs/wire.md#batch-responses). Only 201, 202 and 207 deliver: a captive portal's 200 does not. Results are
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
