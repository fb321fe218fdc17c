import { BATCH_MAX_BYTES, BATCH_MAX_EVENTS } from '../wire/limits.ts';
import { keyBytes } from './key.ts';

/** Bytes around the events of a body. */
const WRAPPER_BYTES = 13;

/** The first entries that fit into one batch (at least one), and the bytes of its body. */
export function takeBatch<T extends readonly [key: string, ...rest: unknown[]]>(
  entries: readonly T[],
  { max = BATCH_MAX_EVENTS, maxBytes = BATCH_MAX_BYTES }: { max?: number; maxBytes?: number } = {},
): { batch: T[]; bytes: number } {
  const batch: T[] = [];
  let bytes = WRAPPER_BYTES;
  for (const entry of entries.slice(0, max)) {
    const more = keyBytes(entry[0]) + 1;
    if (batch.length && bytes + more > Math.min(maxBytes, BATCH_MAX_BYTES)) break;
    batch.push(entry);
    bytes += more;
  }
  return { batch, bytes };
}
