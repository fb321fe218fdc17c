import { BATCH_MAX_EVENTS } from '../../wire/limits.ts';
import type { EventRow } from '../rows/rows.ts';

/** How often each event, by its key, was in a batch that the server failed on. */
export type Failures = Readonly<Record<string, number>>;

/** An event's row and its key. */
export type QueueEntry = readonly [key: string, row: EventRow];

/** Failures of the server after which an event is a suspect: it may be what makes the server fail. */
const SUSPECT_FAILURES = 3;
/** A suspect that failed alone has the next multiple of it: more than others can have by then. */
const ALONE = 1_000;

/** Whether an event was in so many failed batches that it waits behind the others. */
export function isSuspect(failures: Failures | undefined, key: string): boolean {
  return (failures?.[key] ?? 0) >= SUSPECT_FAILURES;
}

/**
 * Returns the next batch of what is due: the oldest events, then suspects. Suspects that failed equally often are sent in
 * halves, those that failed least first, until one stands alone. An attempt is spent on each batch whatever it holds, so an outage causes no
 * more requests than without suspects.
 */
export function takeBatch(due: readonly QueueEntry[], failures: Failures = {}): readonly QueueEntry[] {
  const others = alike(due.filter(([key]) => !isSuspect(failures, key)));
  if (others[0]) return others.slice(0, BATCH_MAX_EVENTS);
  const least = Math.min(...due.map(([key]) => failures[key] ?? 0));
  const equals = alike(due.filter(([key]) => failures[key] === least));
  return equals.slice(0, Math.min(BATCH_MAX_EVENTS, (equals.length + 1) >> 1));
}

/** Returns those whose time is of the same clock as that of the first: the relay corrects the times of a whole batch. */
function alike(rows: readonly QueueEntry[]): readonly QueueEntry[] {
  return rows.filter(([, { isTrue }]) => isTrue === rows[0]?.[1].isTrue);
}

/**
 * Returns the failures after one more of a batch. Every event is counted, the full queue if need be: a batch that was not would go first for
 * ever once an outage had used up the room. A suspect that failed alone goes behind all others, or it would fail with the same ones again.
 */
export function countFailure(before: Failures, keys: readonly string[]): Failures {
  const after = { ...before };
  for (const key of keys) {
    const count = after[key] ?? 0;
    after[key] = keys[1] || count < SUSPECT_FAILURES ? count + 1 : count - (count % ALONE) + ALONE;
  }
  return after;
}

/** Returns the failures of the rows that still exist, which bounds their number. */
export function keepFailures(failures: Failures, keys: readonly string[]): Failures {
  const existing = new Set(keys);
  return Object.fromEntries(Object.entries(failures).filter(([key]) => existing.has(key)));
}
