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
  /** The relay has said that the network accepted it. */
  readonly isAccepted: boolean;
  /** It was in a request without a response: what the relay made of that is not known. */
  readonly isUnanswered: boolean;
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
        isAccepted: false,
        isUnanswered: false,
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
      const text = describeResult(request, index);
      timeline.steps.push({ at: request.at + request.ms, text });
      timeline.isAccepted ||= isAcceptance(text);
      timeline.isUnanswered ||= request.error !== undefined;
    }
  }
  for (const event of events) {
    if (event.type === 'delivered')
      for (const id of event.eventIds) finish(timelines.get(id), 'delivered', 'delivered');
    if (event.type === 'dead_letter') finish(timelines.get(event.event.event_id), 'dead', `dead: ${event.reason}`);
  }
  return [...timelines.values()];
}

/** What the queue emits takes precedence over the responses: a dead letter that was replayed may be delivered after all. */
function finish(timeline: OpenTimeline | undefined, status: EventStatus, text: string): void {
  if (!timeline) return;
  timeline.status = status;
  timeline.isAccepted ||= status === 'delivered';
  // The response has said so already, if the inspector saw it.
  if (status === 'delivered' && isAcceptance(timeline.steps.at(-1)?.text)) return;
  timeline.steps.push({ at: timeline.steps.at(-1)?.at ?? 0, text });
}

/** Reads what `describeResult` has written. */
function isAcceptance(text: string | undefined): boolean {
  return !!text?.endsWith(': accepted');
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

/** Describes one event of a mount in a sentence. */
export function describeEvent(event: PageEvent): string {
  return endWithStop(describe(event));
}

/** Ends a text with exactly one full stop: foreign text may have its own. */
export function endWithStop(text: string): string {
  return text.replace(/\.*$/, '.');
}

function describe(event: PageEvent): string {
  switch (event.type) {
    case 'tracked':
      return `${event.event.event_name} tracked`;
    case 'delivered':
      return `${event.count} delivered`;
    case 'retried':
      return `${event.count} kept for another try: ${event.reason}`;
    case 'paused':
      return `Sending is paused: ${event.reason}`;
    case 'dropped':
      return `${event.count} dropped: ${event.reason}`;
    case 'dead_letter':
      return `${event.event.event_name} will never be accepted: ${event.reason}`;
    case 'leftOut':
      return `Offer ${event.offer_id} left out: ${event.reason}`;
    case 'dismiss':
      return `Closed by ${event.by}`;
    case 'footer':
      return `The ${event.link} link in the footer was opened`;
    case 'error':
      return `Error: ${event.reason}`;
    case 'outcome':
      return `${event.code}: ${event.message}`;
    case 'impression':
    case 'view':
    case 'click':
    case 'decline':
    case 'next':
    case 'back':
    case 'copy':
    case 'product':
      return `${event.type} of offer ${event.offer_id}`;
  }
}

/** Says when the queue sends next, and why. */
export function nextTry(
  { isPaused, nextTryAt, lastAnswer, onDisk, inMemory, inFlight }: QueueStats,
  now: number,
): string {
  const last = lastAnswer?.status ? `the last response was ${lastAnswer.status}` : 'the last request got no response';
  const waiting = onDisk + inMemory;
  if (isPaused) return `Sending is paused because ${last}. It continues on the next page view, or with Flush.`;
  if (waiting === 0) return lastAnswer ? `Nothing is waiting; ${last}.` : 'Nothing is waiting.';
  if (inFlight > 0) return `${inFlight} in flight.`;
  if (nextTryAt !== undefined && nextTryAt > now)
    return `Next try at ${timeOf(nextTryAt)}, in ${((nextTryAt - now) / 1_000).toFixed(1)} s, because ${last}.`;
  return `${waiting} ${waiting === 1 ? 'event waits' : 'events wait'} for the next batch, or for the delay after a refusal.`;
}

/** Formats a time of day to the millisecond; empty for undefined. */
export function timeOf(at: number | undefined): string {
  return at !== undefined && Number.isFinite(at) ? new Date(at).toISOString().slice(11, 23) : '';
}
