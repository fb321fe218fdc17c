import { own } from '../wire/json.ts';

/** What becomes of one event: it is through, stays, is to come again (which counts against it) or never will be accepted. */
export type Fate = 'done' | 'kept' | 'again' | 'dead';

/** What an answer means: the fate of each event that was sent, the reason where one was refused, and what the sender does next. */
export interface Verdict {
  fates: readonly Fate[];
  reasons: readonly string[];
  next: 'go' | 'split' | 'pause' | 'wait';
}

/**
 * Reads an answer as the table of WIRE.md 3 has it. Only 201, 202 and 207 deliver: a captive portal's 200 does not. Results
 * are matched by `index`, never by position; what is missing, doubled or unreadable stays, since the relay de-duplicates.
 */
export function judge(status: number, body: unknown, sent: number): Verdict {
  const isSplit = [400, 413, 422].includes(status);
  const results = status === 207 || status === 502 ? own(body, 'results') : 0;
  const reasons: string[] = [];
  // An old Prototype.js has an Array.from that maps nothing.
  const fates = [...Array(sent).keys()].map((index): Fate => {
    if (status === 201 || status === 202) return 'done';
    if (isSplit && sent === 1) return 'dead';
    const [result, again] = Array.isArray(results) ? results.filter((one) => own(one, 'index') === index) : [];
    const success = own(result, 'success');
    if (again || (success !== true && success !== false)) return 'kept';
    if (success) return 'done';
    const error = own(result, 'error');
    if (error) reasons[index] = [own(error, 'code'), own(error, 'message')].join(': ').slice(0, 300);
    if (own(error, 'retryable') === false) return 'dead';
    // A 502 is an outage behind the relay: it never counts against an event.
    return status === 502 ? 'kept' : 'again';
  });
  const isOurs = status >= 400 && status < 500 && ![408, 425, 429].includes(status);
  const isOutage = fates.includes('kept') || fates.every((fate) => fate === 'again');
  return {
    fates,
    reasons,
    next: isSplit && sent > 1 ? 'split' : isOurs && !isSplit ? 'pause' : isOutage ? 'wait' : 'go',
  };
}
