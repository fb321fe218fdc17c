import { EVENT_MAX_AGE_MS, EVENT_MAX_AHEAD_MS, EVENT_MAX_BEFORE_SESSION_MS } from '../limits.ts';
import { parseDatetime } from '../parseDatetime.ts';
import { parseEvent } from './parseEvent.ts';
import type { ResultError, WireEvent } from './wireEvent.ts';

/** What a network knows about the session that an event names. */
export interface EventSession {
  readonly created_at: Date;
  /** What was shown in the session, by insertion_id. */
  readonly insertions: Readonly<Record<string, { readonly offer_id: string }>>;
}

/** An event that may be stored, or why not. Sending it again would not help, so none of these errors is retryable. */
export type EventVerdict<Session extends EventSession> =
  | { readonly ok: true; readonly event: WireEvent; readonly at: number; readonly session: Session }
  | { readonly ok: false; readonly error: ResultError };

/** Parses an event as a network does; `judgeEvent` checks it against its session later. */
export function readEvent(
  raw: unknown,
): { readonly ok: true; readonly event: WireEvent } | { readonly ok: false; readonly error: ResultError } {
  const parsed = parseEvent(raw);
  if (parsed.ok) return { ok: true, event: parsed.value };
  const message = parsed.problems.map(({ path, message }) => (path ? `${path} ${message}` : message)).join('; ');
  return { ok: false, error: { code: 'INVALID_EVENT', message, retryable: false } };
}

/** Checks the time of an event and that it belongs to its session (docs/rules.md#e6, docs/rules.md#e8). */
export function judgeEvent<Session extends EventSession>(
  event: WireEvent,
  session: Session | undefined,
  now: number,
): EventVerdict<Session> {
  const at = parseDatetime(event.event_datetime) ?? Number.NaN;
  if (at - now > EVENT_MAX_AHEAD_MS)
    return refuseEvent('EVENT_IN_THE_FUTURE', 'event_datetime is more than 5 minutes ahead of the network');
  if (!(now - at <= EVENT_MAX_AGE_MS)) return refuseEvent('EVENT_TOO_OLD', 'event_datetime is more than 30 days ago');
  if (!session) return refuseEvent('UNKNOWN_SESSION', 'session_id is not a session of this publisher');
  const opened = session.created_at.getTime();
  if (now - opened > EVENT_MAX_AGE_MS)
    return refuseEvent('SESSION_TOO_OLD', 'session_id is a session that is older than 30 days');
  // Otherwise a session opened today could rewrite the figures of any of the last 30 days.
  if (opened - at > EVENT_MAX_BEFORE_SESSION_MS)
    return refuseEvent('EVENT_BEFORE_SESSION', 'event_datetime is more than 5 minutes before the session was created');
  const brand = event.brand_properties;
  if (brand) {
    const insertion = Object.hasOwn(session.insertions, brand.insertion_id)
      ? session.insertions[brand.insertion_id]
      : undefined;
    if (!insertion)
      return refuseEvent('UNKNOWN_INSERTION', 'brand_properties.insertion_id is not an insertion of this session');
    if (insertion.offer_id !== brand.offer_id)
      return refuseEvent('UNKNOWN_INSERTION', 'brand_properties.offer_id is not the offer of this insertion');
  }
  return { ok: true, event, at, session };
}

function refuseEvent(code: string, message: string): { readonly ok: false; readonly error: ResultError } {
  return { ok: false, error: { code, message, retryable: false } };
}
