import { BATCH_MAX_BYTES, BATCH_MAX_EVENTS, QUEUE_MAX_BYTES, QUEUE_MAX_EVENTS } from '../wire/limits.ts';
import { byWorth, keyBytes } from './key.ts';

/** What a row takes of the store's room, of which there are `QUEUE_MAX_BYTES`: its bytes, and never less than an even share. */
export function roomOf(key: string): number {
  return Math.max(Math.floor(QUEUE_MAX_BYTES / QUEUE_MAX_EVENTS), keyBytes(key));
}

/** How many of the first rows go into one batch of at most `max` events and `bytes` bytes. */
export function batchSize(
  rows: readonly (readonly [key: string, ...unknown[]])[],
  max = BATCH_MAX_EVENTS,
  bytes = BATCH_MAX_BYTES,
): number {
  let size = 0;
  for (const [key] of rows)
    if (size === max || (bytes -= keyBytes(key)) < 0) break;
    else size++;
  return size;
}

/** Which rows have to go so that the rest fits, and the room that is left then: the oldest displays go before any click. */
export function overflow(keys: readonly string[]): { drop: string[]; room: number } {
  let room = QUEUE_MAX_BYTES;
  const drop = [...keys].sort(byWorth).filter((key) => (room -= roomOf(key)) < 0);
  return { drop, room };
}
