import { QUEUE_MAX_EVENTS } from '../../wire/limits.ts';
import type { DeadLetter } from '../../queue/events.ts';
import type { EventRow } from '../../queue/rows/rows.ts';
import type { SessionQueue } from '../../queue/openSessionQueue.ts';

/** Returns the rows that wait for delivery, on disk or in memory. */
export async function readWaiting(queue: SessionQueue): Promise<readonly EventRow[]> {
  return (await readRows(queue)).flatMap(([, row]) => (row.reason === undefined ? [row] : []));
}

/** Empties the queue, and what the page remembers of orders. */
export async function empty({ notes, rows }: SessionQueue): Promise<void> {
  notes.forget();
  await rows.purge();
}

/** Sends the event of a dead letter again, with the same id, and removes the letter. */
export async function replay(queue: SessionQueue, { event }: DeadLetter): Promise<void> {
  const rows = await readRows(queue);
  const letters = rows.filter(([, row]) => row.reason !== undefined && row.event.event_id === event.event_id);
  // Tracked before the letter is removed: a page that is closed in between has both, never neither.
  await queue.track(event);
  await queue.rows.change(letters.map(([key]) => [key]));
  await queue.flush();
}

async function readRows({ rows }: SessionQueue): Promise<(readonly [key: string, row: EventRow])[]> {
  const { first } = await rows.read(QUEUE_MAX_EVENTS);
  return [...first].flatMap(([key, value]) => (isEventRow(value) ? [[key, value] as const] : []));
}

function isEventRow(value: unknown): value is EventRow {
  return typeof value === 'object' && value !== null && 'event' in value;
}
