import { QUEUE_MAX_REFUSALS } from '../wire/limits.ts';
import { jitter } from './backoff.ts';
import type { DeadLetter } from './events.ts';
import type { Verdict } from './judge.ts';
import { dueAt, keyTime } from './key.ts';
import { DEAD, type Change, type Entry } from './openRows.ts';

/** A verdict as changes to the rows, and what there is to tell of it. */
export interface Applied extends Required<Omit<Change, 'trouble'>> {
  event_ids: readonly string[];
  dead: readonly DeadLetter[];
  /** Refused events that get another try of their own. */
  retried?: { count: number; reason: string; nextTryAt: number };
}

/** Turns a verdict on a batch into changes: the accepted go, the refused come again later, behind the others. */
export function applyVerdict(batch: readonly Entry[], { accepted, dead, refused }: Verdict, now: number, random = Math.random): Applied {
  const gone: string[] = [];
  const event_ids: string[] = [];
  const moved: { from: string; to: string; row: Entry[1] }[] = [];
  const letters: DeadLetter[] = [];
  let retried: Applied['retried'];
  const taken = new Set(accepted);
  batch.forEach(([from, { event, tries = 0, since = keyTime(from) }], index) => {
    const reason = dead.get(index) ?? refused.get(index);
    if (taken.has(index)) {
      gone.push(from);
      event_ids.push(event.event_id);
    } else if (reason !== undefined && (dead.has(index) || tries + 1 >= QUEUE_MAX_REFUSALS)) {
      const letter = { event, reason: dead.has(index) ? reason : `given up after ${tries + 1} tries: ${reason}` };
      letters.push(letter);
      moved.push({ from, to: DEAD + from, row: letter });
    } else if (reason !== undefined) {
      const nextTryAt = Math.floor(now + jitter(Math.min(300_000, 1_000 * 2 ** tries), random));
      moved.push({ from, to: dueAt(from, nextTryAt), row: { event, tries: tries + 1, since } });
      retried = { count: (retried?.count ?? 0) + 1, reason, nextTryAt: Math.min(retried?.nextTryAt ?? Infinity, nextTryAt) };
    }
  });
  return { gone, event_ids, moved, dead: letters, retried };
}
