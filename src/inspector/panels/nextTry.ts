import type { QueueStats } from '../../queue/events.ts';
import { timeOf } from '../report/timeOf.ts';

/** Says when the queue sends next, and why. */
export function nextTry(
  { isPaused, nextTryAt, lastAnswer, onDisk, inMemory, inFlight }: QueueStats,
  now: number,
): string {
  const last = lastAnswer?.status ? `the last response was ${lastAnswer.status}` : 'the last request got no response';
  const waiting = onDisk + inMemory;
  if (isPaused) return `Sending is paused because ${last}. It continues on the next page view, or with Flush.`;
  if (waiting === 0) return lastAnswer ? `Nothing is waiting; ${last}.` : 'Nothing is waiting.';
  if (inFlight > 0) return `${inFlight} in flight.`;
  if (nextTryAt !== undefined && nextTryAt > now)
    return `Next try at ${timeOf(nextTryAt)}, in ${((nextTryAt - now) / 1_000).toFixed(1)} s, because ${last}.`;
  return `${waiting} ${waiting === 1 ? 'event waits' : 'events wait'} for the next batch, or for the delay after a refusal.`;
}
