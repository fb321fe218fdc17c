import { SEEN_MAX_AGE_MS } from '../wire/limits.ts';

/** `new`: yours to forward. `known`: accepted before. `busy`: another relay is forwarding it at this moment. */
export type Claim = 'new' | 'known' | 'busy';

/**
 * Remembers which event ids the network accepted. Within one relay the same id is never claimed twice at a time; a
 * store that several relays share answers `busy` for what another one holds.
 */
export interface SeenStore {
  /** One claim for each id, in order. */
  claim(ids: readonly string[]): readonly Claim[] | Promise<readonly Claim[]>;
  /** The network accepted these. */
  accept(ids: readonly string[]): void | Promise<void>;
  /** The network did not take these, or nobody knows: the next try may forward them. */
  release(ids: readonly string[]): void | Promise<void>;
  close?(): Promise<void>;
}

export interface SeenMemoryOptions {
  /** Ids kept at most; the oldest go first. One costs about 150 bytes. */
  max?: number;
  maxAgeMs?: number;
  now?: () => number;
}

/** A bounded memory of ids with the time at which each was accepted; iterates oldest first. */
export interface SeenMemory extends SeenStore {
  claim(ids: readonly string[]): readonly Claim[];
  accept(ids: readonly string[]): void;
  release(ids: readonly string[]): void;
  /** Puts back an id that was accepted earlier. */
  restore(id: string, acceptedAt: number): void;
  entries(): IterableIterator<[id: string, acceptedAt: number]>;
  size(): number;
}

const DEFAULT_MAX = 200_000;

/** Accepted ids in this process's memory: gone at a restart, when one repeat per event can slip through. */
export function createSeenMemory(options: SeenMemoryOptions = {}): SeenMemory {
  const { max = DEFAULT_MAX, maxAgeMs = SEEN_MAX_AGE_MS, now = Date.now } = options;
  // A Map keeps the order in which ids were added, so the oldest are always at its front.
  const times = new Map<string, number>();

  function forget(): void {
    const oldest = now() - maxAgeMs;
    for (const [id, time] of times) {
      if (times.size <= max && time > oldest) return;
      times.delete(id);
    }
  }

  function restore(id: string, acceptedAt: number): void {
    times.delete(id);
    times.set(id, acceptedAt);
    forget();
  }

  return {
    claim: (ids) => {
      forget();
      return ids.map((id) => (times.has(id) ? 'known' : 'new'));
    },
    accept: (ids) => {
      for (const id of ids) restore(id, now());
    },
    release: () => undefined,
    restore,
    entries: () => times.entries(),
    size: () => times.size,
  };
}
