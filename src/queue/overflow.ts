import { QUEUE_MAX_BYTES, QUEUE_MAX_EVENTS } from '../wire/limits.ts';
import { isClickKey, keyBytes } from './key.ts';

/** Which rows have to go so that the rest fits: the oldest displays, and the oldest clicks only when no display is left. */
export function overflow(keys: readonly string[]): { drop: string[]; room: number; roomBytes: number } {
  let room = QUEUE_MAX_EVENTS - keys.length;
  let roomBytes = QUEUE_MAX_BYTES - keys.reduce((sum, key) => sum + keyBytes(key), 0);
  const drop: string[] = [];
  for (const key of [...keys].sort((a, b) => Number(isClickKey(a)) - Number(isClickKey(b)) || (a < b ? -1 : 1))) {
    if (room >= 0 && roomBytes >= 0) break;
    drop.push(key);
    room++;
    roomBytes += keyBytes(key);
  }
  return { drop, room, roomBytes };
}
