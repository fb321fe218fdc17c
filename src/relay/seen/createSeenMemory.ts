import { SEEN_MAX_AGE_MS } from '../../wire/limits.ts';
import { checkWhole } from './checkWhole.ts';
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
  /** The entries of events that one sender had accepted. */
  entriesOf(keys: readonly string[], sender?: string): readonly SeenEntry[];
  /**
   * Chooses which senders share a number. It is secret and random: who knew it could pick an address that shares the
   * number of another sender, and have that one's events dropped.
   */
  salt: number;
  /** Puts back an event that was accepted earlier. */
  restore(entry: SeenEntry): void;
  /** All events, the oldest first. */
  entries(): IterableIterator<SeenEntry>;
  size(): number;
}

/** 9 MB. */
const DEFAULT_MAX = 200_000;

/** 4.6 GB. */
const MOST = 100_000_000;

/** Accepted events in this process's memory: gone after a restart, when one duplicate per event can slip through. */
export function createSeenMemory(options: SeenMemoryOptions = {}): SeenMemory {
  const { max = DEFAULT_MAX, maxAgeMs = SEEN_MAX_AGE_MS, now = Date.now } = options;
  checkWhole('max', max, MOST);
  checkWhole('maxAgeMs', maxAgeMs);
  const table = createSeenTable(max);
  const memory: SeenMemory = {
    salt: crypto.getRandomValues(new Uint32Array(1))[0] ?? 0,
    claim(keys) {
      table.expire(now() - maxAgeMs);
      return keys.map((key) => (table.has(key) ? 'known' : 'new'));
    },
    accept(keys, sender = '') {
      const number = senderNumber(sender, memory.salt);
      const acceptedAt = now();
      for (const key of keys) table.add({ key, acceptedAt, sender: number });
    },
    release: () => undefined,
    entriesOf(keys, sender = '') {
      const number = senderNumber(sender, memory.salt);
      const acceptedAt = now();
      return keys.map((key) => ({ key, acceptedAt, sender: number }));
    },
    restore: (entry) => table.add(entry),
    entries: () => table.entries(),
    size: () => table.size(),
  };
  return memory;
}

/** The number of a sender (FNV-1a from a secret start, mixed once more at the end as in MurmurHash3). */
function senderNumber(sender: string, salt: number): number {
  let hash = salt;
  for (let at = 0; at < sender.length; at++) hash = Math.imul(hash ^ sender.charCodeAt(at), 0x01_00_01_93);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85_eb_ca_6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2_b2_ae_35);
  return (hash ^ (hash >>> 16)) & (SENDERS - 1);
}
