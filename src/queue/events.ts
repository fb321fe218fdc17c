import type { WireEvent } from '../wire/events.ts';

/** The parameter of `track`: an event of the wire format. A missing id or time is filled in. */
export type TrackedEvent = Omit<WireEvent, 'event_datetime' | 'conversion_properties'> & { event_datetime?: string };

/** A stored event: complete, with known fields only. */
export type StoredEvent = Omit<WireEvent, 'event_id' | 'conversion_properties'> & { event_id: string };

/**
 * Why events were dropped: the queue was full, the events were too old, the browser lost them, there were too many dead
 * letters, or consent was withdrawn.
 */
export type DropReason = 'full' | 'expired' | 'storage_lost' | 'dead_letters_full' | 'withdrawn';

/** What `onEvent` reports. `nextTryAt` is in milliseconds since 1970. */
export type QueueEvent =
  | { type: 'tracked'; event: StoredEvent }
  | { type: 'delivered'; count: number; eventIds: readonly string[] }
  | { type: 'retried'; count: number; reason: string; nextTryAt: number }
  | { type: 'paused'; status: number; reason: string }
  | { type: 'dropped'; count: number; reason: DropReason }
  | { type: 'deadLetter'; event: StoredEvent; reason: string }
  | { type: 'error'; reason: string };

/** An event that will never be accepted, and why. */
export interface DeadLetter {
  event: StoredEvent;
  reason: string;
}

/** The last response; status 0 when there was none. */
export interface LastResponse {
  status: number;
  at: number;
}

/** What the queue holds, and how many events were delivered and dropped since this page opened it. */
export interface QueueStats {
  onDisk: number;
  inMemory: number;
  inFlight: number;
  deadLetters: number;
  storage: 'indexeddb' | 'key-value' | 'memory';
  isPaused: boolean;
  nextTryAt?: number | undefined;
  lastResponse?: LastResponse | undefined;
  delivered: number;
  dropped: number;
}

/** The state of the queue after a flush, and what the flush has delivered. */
export interface FlushOutcome extends QueueStats {
  /** Delivered by this flush. */
  delivered: number;
  /** Events still queued, on disk or in memory. */
  kept: number;
}

/** What `send` resolves to: a `Response`, or the parts of one that matter. */
export type SendResponse = Response | { status: number; body?: unknown; retryAfter?: string | null };

/** Sends one batch. A rejection is a network failure. */
export type Send = (
  events: readonly StoredEvent[],
  how: {
    keepalive: boolean;
    signal: AbortSignal;
    /** The device's time, in milliseconds since 1970, if the events have theirs by its clock. The relay corrects them by it. */
    sent?: number | undefined;
  },
) => Promise<SendResponse>;
