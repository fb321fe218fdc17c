import { parseDatetime } from '../../wire/parseDatetime.ts';

/** Returns the true time of an event, both as RFC 3339. */
export type CorrectTime = (datetime: string) => string;

/** Milliseconds by which a device's clock may be wrong. A request on a slow line takes as long. */
const TOLERANCE_MS = 30_000;
/** Times that have four digits for the year. */
const [FIRST_MS, LAST_MS] = [Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T00:00:00Z')];

/**
 * Returns how to correct the times of a request, whose query has the device's time when it was sent: by as much as the
 * device's clock is wrong. No event happens after it was sent: one that seems to was stored under a clock that has been
 * set back since, and gets the time at which it arrived. Returns `undefined` without such a query: those times are true.
 */
export function readCorrection(search: string, now: number): CorrectTime | undefined {
  const sent = /[?&]sent=(\d{1,15})(?:&|$)/.exec(search)?.[1];
  if (sent === undefined) return undefined;
  const wrong = now - Number(sent);
  const move = Math.abs(wrong) > TOLERANCE_MS ? wrong : 0;
  return (datetime) => {
    const at = (parseDatetime(datetime) ?? Number.NaN) + move;
    if (at > now + TOLERANCE_MS) return new Date(now).toISOString();
    return move !== 0 && at > FIRST_MS && at < LAST_MS ? new Date(at).toISOString() : datetime;
  };
}
