/**
 * What one process may remember between requests. Only a network that is alone on its database (the embedded one) remembers
 * anything; where several share one, every request reads anew, so that a key revoked by one is refused by all at once.
 */
export interface Recall {
  /** The value that `read` gives, or gave since the last `forget`. */
  once<T>(name: string, read: () => Promise<T>): Promise<T>;
  /** Forgets everything: called around every request that may change what is remembered. */
  forget(): void;
}

/** Entries kept at most; then it begins anew. */
const MAX_ENTRIES = 20_000;

/** A memory for a process that is alone on its database, or one that remembers nothing. */
export function createRecall(isAlone: boolean): Recall {
  const known = new Map<string, Promise<unknown>>();
  return {
    once<T>(name: string, read: () => Promise<T>): Promise<T> {
      if (!isAlone) return read();
      const found = known.get(name);
      if (found) return found as Promise<T>;
      if (known.size >= MAX_ENTRIES) known.clear();
      // The promise is kept, not its value: one that was under way when all was forgotten is not found again.
      const reading = read();
      known.set(name, reading);
      reading.catch(() => known.get(name) === reading && known.delete(name));
      return reading;
    },
    forget: () => known.clear(),
  };
}
