import { SEEN_MAX_AGE_MS } from '../../wire/limits.ts';
import { createSeenTable, SENDERS, type SeenEntry } from './createSeenTable.ts';
import type { SeenClaim, SeenStore } from './seenStore.ts';

export interface SeenMemoryOptions {
  /** Events remembered at most, 46 bytes each. A full memory drops the oldest events of the sender that has most. */
  max?: number;
  maxAgeMs?: number;
  now?: () => number;
}

/** A bounded memory of accepted events. */
export interface SeenMemory extends SeenStore {
  claim(keys: readonly string[]): readonly SeenClaim[];
  accept(keys: readonly string[], sender?: string): void;
  release(keys: readonly string[]): void;
  /** Puts back an event that was accepted earlier. */
  restore(entry: SeenEntry): void;
  /** All events, the oldest first. */
  entries(): IterableIterator<SeenEntry>;
  size(): number;
}

/** 9 MB. */
const DEFAULT_MAX = 200_000;

/** Accepted events in this process's memory: gone after a restart, when one duplicate per event can slip through. */
export function createSeenMemory(options: SeenMemoryOptions = {}): SeenMemory {
  const { max = DEFAULT_MAX, maxAgeMs = SEEN_MAX_AGE_MS, now = Date.now } = options;
  const table = createSeenTable(max);
  return {
    claim(keys) {
      table.expire(now() - maxAgeMs);
      return keys.map((key) => (table.has(key) ? 'known' : 'new'));
    },
    accept(keys, sender) {
      for (const entry of seenEntries(keys, { sender, acceptedAt: now() })) table.add(entry);
    },
    release: () => undefined,
    restore: (entry) => table.add(entry),
    entries: () => table.entries(),
    size: () => table.size(),
  };
}

/** The entries of events that one sender had accepted. */
export function seenEntries(
  keys: readonly string[],
  { sender = '', acceptedAt }: { sender: string | undefined; acceptedAt: number },
): readonly SeenEntry[] {
  const number = senderNumber(sender);
  return keys.map((key) => ({ key, acceptedAt, sender: number }));
}

/** The number of a sender (FNV-1a, folded). */
function senderNumber(sender: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let at = 0; at < sender.length; at++) hash = Math.imul(hash ^ sender.charCodeAt(at), 0x01_00_01_93);
  return ((hash >>> 16) ^ hash) & (SENDERS - 1);
}
