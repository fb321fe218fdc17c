import type { QueueStats } from './mount.ts';
import { timeOf } from './timeOf.ts';

/** When the queue tries again, and why then. */
export function nextTry(
  { isPaused, nextTryAt, lastAnswer, onDisk, inMemory, inFlight }: QueueStats,
  now: number,
): string {
  const last = lastAnswer?.status ? `the last answer was ${lastAnswer.status}` : 'the last request had no answer';
  const waiting = onDisk + inMemory;
  if (isPaused) return `Sending pauses because ${last}; it goes on at the next page view, or with Flush.`;
  if (waiting === 0) return lastAnswer ? `Nothing waits; ${last}.` : 'Nothing waits.';
  if (inFlight > 0) return `${inFlight} in flight.`;
  if (nextTryAt !== undefined && nextTryAt > now)
    return `Next try at ${timeOf(nextTryAt)}, in ${((nextTryAt - now) / 1_000).toFixed(1)} s, because ${last}.`;
  return `${waiting} ${waiting === 1 ? 'waits' : 'wait'} for the next batch, or for the pause after a refusal to end.`;
}
