import { parseBatch } from '../../wire/events/batch.ts';
import { parseEvent } from '../../wire/events/parseEvent.ts';
import type { ResultError, WireEvent } from '../../wire/events/wireEvent.ts';
import { own, type Problem } from '../../wire/json.ts';
import { EVENT_MAX_AGE_MS } from '../../wire/limits.ts';
import { RelayError } from '../errors.ts';

/** An event that may be forwarded, or why it must not. */
export type CheckedEvent =
  | { readonly ok: true; readonly value: WireEvent }
  | {
      readonly ok: false;
      readonly status: 400 | 422;
      readonly error: ResultError;
      readonly problems: readonly Problem[];
    };

/** Checks one event of a page: conversions, malformed events and those that are too old are not forwarded. */
export function checkEvent(json: unknown, now: number): CheckedEvent {
  return check(json, createAgeLimit(now));
}

function check(json: unknown, isTooOld: (datetime: string) => boolean): CheckedEvent {
  if (own(json, 'event_name') === 'CONVERSION') {
    const message =
      'Conversions are not accepted from pages. The server that handles the order sends them to the network.';
    const problems = [{ path: 'event_name', message: 'must not be CONVERSION' }];
    return refuse({ status: 422, code: 'conversion_from_page', message, problems });
  }
  const parsed = parseEvent(json);
  if (!parsed.ok) {
    const message = parsed.problems
      .map(({ path, message }) => (path ? `${path} ${message}` : message))
      .join('; ')
      .slice(0, 300);
    return refuse({ status: 400, code: 'invalid_event', message, problems: parsed.problems });
  }
  if (isTooOld(parsed.value.event_datetime)) {
    const problems = [{ path: 'event_datetime', message: 'must not be more than 30 days ago' }];
    return refuse({ status: 422, code: 'event_too_old', message: 'The event is more than 30 days old.', problems });
  }
  // Only conversions have these, and a network that counts what an event carries would count money.
  delete parsed.value.conversion_properties;
  return parsed;
}

const DAY_MS = 24 * 3_600_000;

/** Returns whether a valid RFC 3339 date and time is too long ago. The day alone decides for most; parsing costs more. */
function createAgeLimit(now: number): (datetime: string) => boolean {
  // A day later, because an offset moves a date by less than a day.
  const day = new Date(now - EVENT_MAX_AGE_MS + DAY_MS).toISOString().slice(0, 10);
  return (datetime) => datetime.slice(0, 10) <= day && now - Date.parse(datetime) > EVENT_MAX_AGE_MS;
}

/** Checks each event of a batch by itself. Throws a 400 when the body is not a batch. */
export function checkBatch(json: unknown, now: number): readonly CheckedEvent[] {
  const parsed = parseBatch(json);
  if (!parsed.ok)
    throw new RelayError('The body is not a batch of events.', {
      status: 400,
      code: 'invalid_batch',
      problems: parsed.problems,
    });
  const isTooOld = createAgeLimit(now);
  return parsed.value.map((event) => check(event, isTooOld));
}

function refuse(why: { status: 400 | 422; code: string; message: string; problems: readonly Problem[] }): CheckedEvent {
  const { status, code, message, problems } = why;
  return { ok: false, status, problems, error: { code, message, retryable: false } };
}
