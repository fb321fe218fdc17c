import { own } from '../wire/json.ts';

/** What becomes of one event: it is through, stays, is to come again (which counts against it) or never will be accepted. */
export type Fate = 'done' | 'kept' | 'again' | 'dead';

/** What an answer means: the fate of each event that was sent, the reason where one was refused, and what the sender does next. */
export interface Verdict {
  fates: readonly Fate[];
  reasons: readonly string[];
  next: 'go' | 'split' | 'pause' | 'wait';
}

/** Reads an answer as the table of WIRE.md 3 has it. Only 201, 202 and 207 deliver: a captive portal's 200 does not. */
export function judge(status: number, body: unknown, sent: number): Verdict {
  const verdict = (fate: Fate, next: Verdict['next']): Verdict => ({
    fates: Array<Fate>(sent).fill(fate),
    reasons: [],
    next,
  });
  if (status === 201 || status === 202) return verdict('done', 'go');
  if (status === 207 || status === 502) return judgeEach(status, own(body, 'results'), sent);
  if (status === 400 || status === 413 || status === 422)
    return sent > 1 ? verdict('kept', 'split') : verdict('dead', 'go');
  return verdict('kept', status < 400 || status > 499 || [408, 425, 429].includes(status) ? 'wait' : 'pause');
}

/** By `index`, never by position; what is missing, doubled or unreadable stays, which is safe because the relay de-duplicates. */
function judgeEach(status: number, results: unknown, sent: number): Verdict {
  const fates: Fate[] = [];
  const reasons: string[] = [];
  for (let index = 0; index < sent; index++) {
    const [result, again] = Array.isArray(results) ? results.filter((one) => own(one, 'index') === index) : [];
    const success = again ? undefined : own(result, 'success');
    const error = own(result, 'error');
    if (error) reasons[index] = [own(error, 'code'), own(error, 'message')].join(': ').slice(0, 300);
    // A 502 is an outage behind the relay: it never counts against an event.
    fates[index] =
      success === true
        ? 'done'
        : success !== false
          ? 'kept'
          : own(error, 'retryable') === false
            ? 'dead'
            : status === 502
              ? 'kept'
              : 'again';
  }
  const isOutage = fates.includes('kept') || fates.every((fate) => fate === 'again');
  return { fates, reasons, next: isOutage ? 'wait' : 'go' };
}
