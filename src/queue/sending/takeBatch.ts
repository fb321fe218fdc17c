import { BATCH_MAX_EVENTS } from '../../wire/limits.ts';
import type { EventRow } from '../rows/rows.ts';

/** How often each event, by its key, was in a batch that the server failed on. */
export type Failures = Readonly<Record<string, number>>;

/** An event's row and its key. */
export type QueueEntry = readonly [key: string, row: EventRow];

/** Failures of the server after which an event is a suspect: it may be what makes the server fail. */
const SUSPECT_FAILURES = 3;
/** Suspects at most: when so many fail and none comes through, it is the server. */
const SUSPECTS_MAX = 100;

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
  const others = due.filter(([key]) => !isSuspect(failures, key));
  if (others[0]) return others.slice(0, BATCH_MAX_EVENTS);
  const least = Math.min(...due.map(([key]) => failures[key] ?? 0));
  const equals = due.filter(([key]) => failures[key] === least);
  return equals.slice(0, Math.min(BATCH_MAX_EVENTS, Math.ceil(equals.length / 2)));
}

/** Returns the failures after one more of a batch. */
export function countFailure(before: Failures, keys: readonly string[]): Failures {
  const after = { ...before };
  for (const key of keys)
    if (after[key] || Object.keys(after).length < SUSPECTS_MAX) after[key] = (after[key] ?? 0) + 1;
  return after;
}

/** Returns the failures of the rows that still exist. */
export function keepFailures(failures: Failures, keys: readonly string[]): Failures {
  return Object.fromEntries(Object.entries(failures).filter(([key]) => keys.includes(key)));
}
