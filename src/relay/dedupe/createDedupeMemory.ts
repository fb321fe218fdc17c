import { DEDUPE_MAX_AGE_MS } from '../../wire/limits.ts';
import { noteUnconfirmed, type DedupeClaim, type DedupeStore } from './dedupeStore.ts';
import { KeyTable, randomSalt, senderNumber } from './keyTable.ts';

export interface DedupeMemoryOptions {
  /** Events remembered at most, 46 bytes each. A full memory drops the oldest events of the sender that has most. */
  max?: number;
  maxAgeMs?: number;
  /** By default, a clock that does not jump when the machine's clock is set. */
  now?: () => number;
}

/** A bounded memory of accepted events. */
export interface DedupeMemory extends DedupeStore {
  claim(keys: readonly string[]): readonly DedupeClaim[];
  accept(keys: readonly string[], sender?: string): void;
  release(keys: readonly string[], how?: 'unconfirmed'): void;
  /** Number of events remembered. */
  size(): number;
}

/** 9 MB. */
const DEFAULT_MAX = 200_000;

/** Accepted events in this process's memory: gone after a restart, when one duplicate per event can slip through. */
export function createDedupeMemory(options: DedupeMemoryOptions = {}): DedupeMemory {
  const { max = DEFAULT_MAX, maxAgeMs = DEDUPE_MAX_AGE_MS, now = steadyClock() } = options;
  const table = new KeyTable({ max, maxAgeMs });
  const salt = randomSalt();
  const unconfirmed = new Map<string, true>();
  return {
    claim(keys) {
      table.expire(now());
      return keys.map((key) => (table.has(key) ? 'known' : unconfirmed.has(key) ? 'unconfirmed' : 'new'));
    },
    accept(keys, sender = '') {
      const entry = { at: now(), sender: senderNumber(sender, salt) };
      for (const key of keys) {
        table.add(key, entry);
        unconfirmed.delete(key);
      }
    },
    release(keys, how) {
      for (const key of keys)
        if (how) noteUnconfirmed(unconfirmed, key);
        else unconfirmed.delete(key);
    },
    size: () => table.size,
  };
}

/**
 * Returns a clock for ages and expiry: the time at its creation, plus what has passed since. Unlike `Date.now`, it does not
 * jump when somebody sets the machine's clock.
 */
export function steadyClock(): () => number {
  const start = Date.now() - performance.now();
  return () => start + performance.now();
}

/** Returns the earlier of two clocks: neither a moment's wrong time nor one at the start makes anything look too old. */
export function carefulClock(): () => number {
  const steady = steadyClock();
  return () => Math.min(Date.now(), steady());
}
