import { randomUUID } from 'node:crypto';

/**
 * Returns a UUID (version 7) that sorts after all earlier ones, so that "newest first" also holds within a millisecond and
 * while the network's clock is stopped. `index` (0 to 63) orders the ids of one call.
 */
export function timeOrderedId(index: number, now = performance.timeOrigin + performance.now()): string {
  const milliseconds = Math.floor(now);
  const part = Math.floor((now - milliseconds) * 64);
  const time = milliseconds.toString(16).padStart(12, '0');
  const order = ((part << 6) | index).toString(16).padStart(3, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${order}${randomUUID().slice(18)}`;
}
