import { BATCH_MAX_BYTES, BATCH_MAX_EVENTS, QUEUE_MAX_BYTES, QUEUE_MAX_EVENTS } from '../wire/limits.ts';
import { byWorth, keyBytes } from './key.ts';

/** What one row takes of `bytes` that have to do for `count` rows: its own bytes, and never less than an even share. */
function share(key: string, count: number, bytes: number): number {
  return Math.max(Math.floor(bytes / count), keyBytes(key) + 1);
}

/** How many of the first keys go into one batch of at most `count` events and `bytes` bytes. */
export function batchSize(keys: readonly string[], count = BATCH_MAX_EVENTS, bytes = BATCH_MAX_BYTES): number {
  let left = bytes;
  const size = keys.findIndex((key) => (left -= share(key, count, bytes)) < 0);
  return size < 0 ? keys.length : size;
}

/** What a row takes of the store's room, of which there are `QUEUE_MAX_BYTES`. */
export function roomOf(key: string): number {
  return share(key, QUEUE_MAX_EVENTS, QUEUE_MAX_BYTES);
}

/** Which rows have to go so that the rest fits, and the room that is left then: the oldest displays go before any click. */
export function overflow(keys: readonly string[]): { drop: string[]; room: number } {
  let room = QUEUE_MAX_BYTES;
  const drop = [...keys].sort(byWorth).filter((key) => (room -= roomOf(key)) < 0);
  return { drop, room };
}
