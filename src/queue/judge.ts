import { own } from '../wire/json.ts';

/** What becomes of one event: it is through, stays, is to come again (which counts against it) or never will be accepted; and why. */
export type Fate = readonly [fate: 'done' | 'kept' | 'again' | 'dead', reason?: string];

/** What an answer means: the fate of each event that was sent, and what the sender does next. */
export interface Verdict {
  fates: readonly Fate[];
  next: 'go' | 'split' | 'pause' | 'wait';
}

/**
 * Reads an answer as the table of WIRE.md 3 has it. Only 201, 202 and 207 deliver: a captive portal's 200 does not. Results
 * are matched by `index`, never by position; what is missing, doubled or unreadable stays, since the relay de-duplicates.
 */
export function judge(status: number, body: unknown, sent: number): Verdict {
  const isWhole = status === 400 || status === 413 || status === 422;
  const results = status === 207 || status === 502 ? own(body, 'results') : 0;
  // An old Prototype.js has an Array.from that maps nothing.
  const fates = [...Array(sent).keys()].map((index): Fate => {
    if (status === 201 || status === 202) return ['done'];
    if (isWhole && sent < 2) return ['dead'];
    const [result, again] = Array.isArray(results) ? results.filter((one) => own(one, 'index') === index) : [];
    const success = own(result, 'success');
    if (again || typeof success !== 'boolean') return ['kept'];
    if (success) return ['done'];
    const error = own(result, 'error');
    // A 502 is an outage behind the relay: it never counts against an event.
    const fate = own(error, 'retryable') === false ? 'dead' : status === 502 ? 'kept' : 'again';
    return error ? [fate, `${String(own(error, 'code'))}: ${String(own(error, 'message'))}`.slice(0, 300)] : [fate];
  });
  const isOutage = fates.some(([fate]) => fate === 'kept') || fates.every(([fate]) => fate === 'again');
  const isOurs = status >= 400 && status < 500 && ![408, 425, 429].includes(status);
  return { fates, next: !isWhole ? (isOurs ? 'pause' : isOutage ? 'wait' : 'go') : sent > 1 ? 'split' : 'go' };
}
