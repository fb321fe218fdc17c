import { readBatchResponse } from '../wire/events.ts';
import { own } from '../wire/json.ts';
import type { PageEvent } from '../session/openTrace.ts';
import type { QueueStats, StoredEvent } from '../queue/events.ts';
import type { RequestRecord } from './observePage.ts';

/** What has become of an event. */
export type EventStatus = 'waiting' | 'in flight' | 'delivered' | 'retried' | 'dead';

/** One thing that happened to an event. */
export interface TimelineStep {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly text: string;
}

/** An event and everything that happened to it since it was tracked. */
export interface EventTimeline {
  readonly event: StoredEvent;
  readonly status: EventStatus;
  readonly steps: readonly TimelineStep[];
}

type OpenTimeline = { -readonly [Name in keyof EventTimeline]: EventTimeline[Name] } & { steps: TimelineStep[] };

/** Returns the timeline of every tracked event: from what the queue emitted and from the responses to its batches. */
export function eventTimelines(events: readonly PageEvent[], requests: readonly RequestRecord[]): EventTimeline[] {
  const timelines = new Map<string, OpenTimeline>();
  for (const event of events) {
    if (event.type === 'tracked' && !timelines.has(event.event.event_id))
      timelines.set(event.event.event_id, {
        event: event.event,
        status: 'waiting',
        steps: [{ at: Date.parse(event.event.event_datetime), text: 'tracked' }],
      });
  }
  for (const request of requests) {
    for (const [index, id] of idsIn(request).entries()) {
      const timeline = timelines.get(id);
      if (!timeline) continue;
      timeline.status = request.ms === undefined ? 'in flight' : 'retried';
      timeline.steps.push({ at: request.at, text: timeline.steps.length > 1 ? 'sent again' : 'sent' });
      if (request.ms === undefined) continue;
      timeline.steps.push({ at: request.at + request.ms, text: describeResult(request, index) });
    }
  }
  for (const event of events) {
    if (event.type === 'delivered')
      for (const id of event.eventIds) finish(timelines.get(id), 'delivered', 'delivered');
    if (event.type === 'deadLetter') finish(timelines.get(event.event.event_id), 'dead', `dead: ${event.reason}`);
  }
  return [...timelines.values()];
}

/** What the queue emits takes precedence over the responses: a dead letter that was replayed may be delivered after all. */
function finish(timeline: OpenTimeline | undefined, status: EventStatus, text: string): void {
  if (!timeline) return;
  timeline.status = status;
  // The response has said so already, if the inspector saw it.
  if (status === 'delivered' && timeline.steps.at(-1)?.text.endsWith(': accepted')) return;
  timeline.steps.push({ at: timeline.steps.at(-1)?.at ?? 0, text });
}

function idsIn({ path, sent }: RequestRecord): string[] {
  const events = path.endsWith('/events/batch') ? own(sent, 'events') : undefined;
  return Array.isArray(events) ? events.map((event) => String(own(event, 'event_id'))) : [];
}

function describeResult({ status, received, error }: RequestRecord, index: number): string {
  if (error !== undefined) return `no response (${error}): kept`;
  const result = readBatchResponse(received, index + 1)[index] ?? 'unknown';
  if (status === 201 || status === 202 || ((status === 207 || status === 502) && result === 'accepted'))
    return `${status}: accepted`;
  if (typeof result === 'string') return `${status}: kept`;
  const reason = [result.code, result.message].filter(Boolean).join(': ');
  return `${status}: refused ${result.retryable ? 'for now' : 'permanently'}${reason && ` (${reason})`}`;
}

/** Says when the queue sends next, and why. */
export function nextTry(
  { isPaused, nextTryAt, lastResponse, onDisk, inMemory, inFlight }: QueueStats,
  now: number,
): string {
  const last = lastResponse?.status
    ? `the last response was ${lastResponse.status}`
    : 'the last request got no response';
  const waiting = onDisk + inMemory;
  if (isPaused) return `Sending is paused because ${last}. It continues on the next page view, or with Flush.`;
  if (waiting === 0) return lastResponse ? `Nothing is waiting; ${last}.` : 'Nothing is waiting.';
  if (inFlight > 0) return `${inFlight} in flight.`;
  if (nextTryAt !== undefined && nextTryAt > now)
    return `Next try at ${timeOfDay(nextTryAt)}, in ${((nextTryAt - now) / 1_000).toFixed(1)} s, because ${last}.`;
  return `${waiting} ${waiting === 1 ? 'event waits' : 'events wait'} for the next batch, or for the delay after a refusal.`;
}

/** Formats a time of day to the millisecond; empty for undefined. */
export function timeOfDay(at: number | undefined): string {
  return at !== undefined && Number.isFinite(at) ? new Date(at).toISOString().slice(11, 23) : '';
}
