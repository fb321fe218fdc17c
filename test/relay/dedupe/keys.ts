import type { DedupeClaim, DedupeStore } from '../../../src/relay/dedupe/dedupeStore.ts';

import { createHash } from 'node:crypto';

/** A key as the relay makes them. */
export function key(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 32);
}

export function keys(...names: string[]): string[] {
  return names.map(key);
}

/** What a store says of keys that nobody is going to forward. */
export async function ask(store: DedupeStore, wanted: readonly string[]): Promise<readonly DedupeClaim[]> {
  const claims = await store.claim(wanted);
  await store.release(wanted);
  return claims;
}
