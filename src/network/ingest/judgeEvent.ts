import { parseDatetime } from '../../wire/parseDatetime.ts';
import { parseEvent } from '../../wire/events/parseEvent.ts';
import type { ResultError, WireEvent } from '../../wire/events/wireEvent.ts';
import { EVENT_MAX_AGE_MS, EVENT_MAX_AHEAD_MS, EVENT_MAX_BEFORE_SESSION_MS } from '../../wire/limits.ts';
import type { Session } from './readSessions.ts';

/** An event that may be stored, or why it may not: no repetition will change that, so none of these is retryable. */
export type Verdict =
  | { readonly ok: true; readonly event: WireEvent; readonly at: number; readonly session: Session }
  | { readonly ok: false; readonly error: ResultError };

/** What the event says, when it is an event at all; else the refusal. Its session is judged later. */
export function readEvent(
  raw: unknown,
): { readonly ok: true; readonly event: WireEvent } | { readonly ok: false; readonly error: ResultError } {
  const parsed = parseEvent(raw);
  if (parsed.ok) return { ok: true, event: parsed.value };
  const message = parsed.problems.map(({ path, message }) => (path ? `${path} ${message}` : message)).join('; ');
  return { ok: false, error: { code: 'INVALID_EVENT', message, retryable: false } };
}

/** Whether an event fits the time and its session (E6, E8). */
export function judgeEvent(event: WireEvent, session: Session | undefined, now: number): Verdict {
  const at = parseDatetime(event.event_datetime) ?? Number.NaN;
  if (at - now > EVENT_MAX_AHEAD_MS)
    return refuse('EVENT_IN_THE_FUTURE', 'event_datetime is more than 5 minutes ahead of the network');
  if (!(now - at <= EVENT_MAX_AGE_MS)) return refuse('EVENT_TOO_OLD', 'event_datetime is more than 30 days ago');
  if (!session) return refuse('UNKNOWN_SESSION', 'session_id names no session of this publisher');
  if (now - session.created_at.getTime() > EVENT_MAX_AGE_MS)
    return refuse('SESSION_TOO_OLD', 'session_id names a session older than 30 days');
  if (session.created_at.getTime() - at > EVENT_MAX_BEFORE_SESSION_MS)
    return refuse('EVENT_BEFORE_SESSION', 'event_datetime is more than 5 minutes before the session was created');
  const brand = event.brand_properties;
  if (brand) {
    const insertion = Object.hasOwn(session.insertions, brand.insertion_id)
      ? session.insertions[brand.insertion_id]
      : undefined;
    if (!insertion)
      return refuse('UNKNOWN_INSERTION', 'brand_properties.insertion_id names no insertion of this session');
    if (insertion.offer_id !== brand.offer_id)
      return refuse('UNKNOWN_INSERTION', 'brand_properties.offer_id is not the offer of this insertion');
  }
  return { ok: true, event, at, session };
}

function refuse(code: string, message: string): Verdict {
  return { ok: false, error: { code, message, retryable: false } };
}
