import { own } from '../../wire/json.ts';

/** What becomes of one event, and why: it is delivered, stays queued, was refused (which counts against it), or is never accepted. */
export type EventFate = readonly [fate: 'delivered' | 'queued' | 'refused' | 'dead', reason?: string];

/** What a response means: the fate of each event that was sent, and what the sender does next. */
export interface BatchVerdict {
  fates: readonly EventFate[];
  next: 'go' | 'split' | 'pause' | 'wait';
}

/** Whether the body of a response says what became of each event; all others are settled by their status. */
export function hasResults(status: number): boolean {
  return status === 207 || status === 502;
}

/**
 * Reads the response to a batch (docs/wire.md#batch-responses). Only 201, 202 and 207 deliver: a captive portal's 200 does not. Results are
 * matched by `index`, never by position; what is missing, duplicated or unreadable stays, since the relay drops duplicates.
 */
export function readVerdict(status: number, body: unknown, sent: number): BatchVerdict {
  const isWhole = status === 400 || status === 413 || status === 422;
  const results = hasResults(status) ? own(body, 'results') : 0;
  // An old Prototype.js has an Array.from that maps nothing.
  const fates = [...Array(sent).keys()].map((index): EventFate => {
    if (status === 201 || status === 202) return ['delivered'];
    if (isWhole && sent < 2) return ['dead'];
    const [result, duplicate] = Array.isArray(results) ? results.filter((one) => own(one, 'index') === index) : [];
    const success = own(result, 'success');
    if (duplicate || typeof success !== 'boolean') return ['queued'];
    if (success) return ['delivered'];
    const error = own(result, 'error');
    // A 502 is an outage behind the relay: it never counts against an event.
    const fate = own(error, 'retryable') === false ? 'dead' : status === 502 ? 'queued' : 'refused';
    return error ? [fate, `${String(own(error, 'code'))}: ${String(own(error, 'message'))}`.slice(0, 300)] : [fate];
  });
  const isOutage = fates.some(([fate]) => fate === 'queued') || fates.every(([fate]) => fate === 'refused');
  const isOurs = status >= 400 && status < 500 && ![408, 425, 429].includes(status);
  const next = isWhole ? (sent > 1 ? 'split' : 'go') : isOurs ? 'pause' : isOutage ? 'wait' : 'go';
  return { fates, next };
}
