import { readBatchAnswer } from '../wire/batch.ts';

/** What an answer means for the rows that were sent, by their place in the batch. */
export interface Verdict {
  /** On the other side for good. */
  accepted: readonly number[];
  /** Never to be accepted: the dead letters, with the reason. */
  dead: ReadonlyMap<number, string>;
  /** Refused this time, each with its reason; counts against the event. */
  refused: ReadonlyMap<number, string>;
  /** What the sender does with everything else. */
  next: 'go on' | 'split' | 'pause' | 'wait';
}

const PASSING = [408, 425, 429];

/** Reads an answer as the table of WIRE.md 3 has it. Only 201, 202 and 207 deliver: a captive portal's 200 does not. */
export function judge(status: number, body: unknown, sent: number): Verdict {
  const verdict = (next: Verdict['next'], accepted: readonly number[] = []): Verdict =>
    ({ next, accepted, dead: new Map(), refused: new Map() });
  if (status === 201 || status === 202) return verdict('go on', Array.from({ length: sent }, (_, index) => index));
  if (status === 207 || status === 502) return judgeEach(status, body, sent);
  if (status === 400 || status === 413 || status === 422) {
    return sent > 1 ? verdict('split') : { ...verdict('go on'), dead: new Map([[0, `answered ${status}`]]) };
  }
  return verdict(status >= 400 && status < 500 && !PASSING.includes(status) ? 'pause' : 'wait');
}

function judgeEach(status: number, body: unknown, sent: number): Verdict {
  const read = readBatchAnswer(body, sent);
  const dead = new Map<number, string>();
  const refused = new Map<number, string>();
  for (const [index, { retryable, code, message }] of read.refused) {
    const reason = [code, message].filter(Boolean).join(': ') || `refused in a ${status}`;
    if (!retryable) dead.set(index, reason);
    else if (status === 207) refused.set(index, reason);
  }
  // A 502 is an outage behind the relay: nothing that it keeps counts against an event. An answer that settles nothing is one too.
  const isOutage = status === 502 ? read.accepted.size + dead.size < sent : read.unknown.length > 0 || read.accepted.size + dead.size === 0;
  return { accepted: [...read.accepted], dead, refused, next: isOutage ? 'wait' : 'go on' };
}
