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
/** Forgotten places at the front of the queue below which it is not worth copying. */
const QUEUE_SLACK = 1_024;

/** Accepted ids in this process's memory: gone at a restart, when one repeat per event can slip through. */
export function createSeenMemory(options: SeenMemoryOptions = {}): SeenMemory {
  const { max = DEFAULT_MAX, maxAgeMs = SEEN_MAX_AGE_MS, now = Date.now } = options;
  const known = new Set<string>();
  // The same ids in the order in which they were accepted, and when. A Set has that order too, but asking it for its
  // first one walks over all that were ever deleted before it: a millisecond per batch once the memory is full.
  let queue: string[] = [];
  let times: number[] = [];
  let head = 0;

  function forget(): void {
    const oldest = now() - maxAgeMs;
    for (; head < queue.length; head++) {
      if (known.size <= max && (times[head] ?? 0) > oldest) break;
      known.delete(queue[head] ?? '');
    }
    if (head < QUEUE_SLACK || head * 2 < queue.length) return;
    queue = queue.slice(head);
    times = times.slice(head);
    head = 0;
  }

  function add(id: string, acceptedAt: number): void {
    const before = known.size;
    known.add(id);
    // One that is known keeps its place: its sender stops repeating it a week after the first try.
    if (known.size === before) return;
    queue.push(id);
    times.push(acceptedAt);
  }

  return {
    claim: (ids) => {
      forget();
      return ids.map((id) => (known.has(id) ? 'known' : 'new'));
    },
    accept: (ids) => {
      const time = now();
      for (const id of ids) add(id, time);
      forget();
    },
    release: () => undefined,
    restore: (id, acceptedAt) => {
      add(id, acceptedAt);
      forget();
    },
    *entries() {
      for (let at = head; at < queue.length; at++) yield [queue[at] ?? '', times[at] ?? 0];
    },
    size: () => known.size,
  };
}
