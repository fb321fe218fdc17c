import { parseEvent } from '../../wire/events/parseEvent.ts';
import type { ResultError, WireEvent } from '../../wire/events/wireEvent.ts';
import { own, type Problem } from '../../wire/json.ts';
import { EVENT_MAX_AGE_MS } from '../../wire/limits.ts';

/** An event that may go to the network, or why it must not. */
export type Judged =
  | { readonly ok: true; readonly event: WireEvent }
  | {
      readonly ok: false;
      readonly status: 400 | 422;
      readonly error: ResultError;
      readonly problems: readonly Problem[];
    };

/** Judges one raw event from a page: conversions, malformed and too old ones go no further. */
export function judgeEvent(raw: unknown, now: number): Judged {
  if (own(raw, 'event_name') === 'CONVERSION') {
    const message =
      'Conversions are not taken from pages: the server that knows of the order reports them to the network itself.';
    return refuse({
      status: 422,
      code: 'conversion_from_page',
      message,
      problems: [{ path: 'event_name', message: 'must not be CONVERSION' }],
    });
  }
  const parsed = parseEvent(raw);
  if (!parsed.ok) {
    const message = parsed.problems
      .map(({ path, message }) => (path ? `${path} ${message}` : message))
      .join('; ')
      .slice(0, 300);
    return refuse({ status: 400, code: 'invalid_event', message, problems: parsed.problems });
  }
  // Parsed once already, so it is a date that `Date.parse` reads.
  if (now - Date.parse(parsed.value.event_datetime) > EVENT_MAX_AGE_MS) {
    const problems = [{ path: 'event_datetime', message: 'must not be more than 30 days ago' }];
    return refuse({ status: 422, code: 'event_too_old', message: 'The event is more than 30 days old.', problems });
  }
  return { ok: true, event: parsed.value };
}

function refuse(why: { status: 400 | 422; code: string; message: string; problems: readonly Problem[] }): Judged {
  const { status, code, message, problems } = why;
  return { ok: false, status, problems, error: { code, message, retryable: false } };
}
