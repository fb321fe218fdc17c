/**
 * What one process may remember between requests. What can change is remembered only by a network that is alone on its
 * database (the embedded one); where several share one, every request reads it anew, so that a key revoked by one is refused
 * by all at once.
 */
export interface Recall {
  /** The value that `read` gives, or gave since the last `forget`. */
  once<T>(name: string, read: () => Promise<T>): Promise<T>;
  /** The same for what never changes once it is there: remembered by every network, and never forgotten for a change. */
  always<T>(name: string, read: () => Promise<T | undefined>): Promise<T | undefined>;
  /** Forgets everything: called around every request that may change what is remembered. */
  forget(): void;
}

/** Entries kept at most; then it begins anew. */
const MAX_ENTRIES = 20_000;

/** A memory for a process that is alone on its database, or for one that shares it. */
export function createRecall(isAlone: boolean): Recall {
  const passing: Memory = new Map();
  const lasting: Memory = new Map();
  return {
    once: (name, read) => (isAlone ? remember(passing, name, read) : read()),
    always: (name, read) => remember(lasting, name, read, (value) => value !== undefined),
    forget: () => passing.clear(),
  };
}

type Memory = Map<string, Promise<unknown>>;

function remember<T>(
  memory: Memory,
  name: string,
  read: () => Promise<T>,
  isWorthIt: (value: T) => boolean = () => true,
): Promise<T> {
  const found = memory.get(name);
  if (found) return found as Promise<T>;
  if (memory.size >= MAX_ENTRIES) memory.clear();
  // The promise is kept, not its value: one that was under way when all was forgotten is not found again.
  const reading = read();
  memory.set(name, reading);
  const drop = (): void => void (memory.get(name) === reading && memory.delete(name));
  reading.then((value) => isWorthIt(value) || drop(), drop);
  return reading;
}
