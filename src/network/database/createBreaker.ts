import { DatabaseUnavailableError } from './database.ts';

/** Milliseconds for which nothing is tried that was silent. */
const PAUSE_MS = 2_000;

/** Keeps work that would wait for a silent node from holding every connection. */
export interface Breaker {
  /**
   * Runs work that depends on something by this name. Once work has waited for `silentMs` without a reply, other work
   * of the name is refused at once, except for one attempt at a time. Without a name it simply runs.
   */
  run<T>(name: string | undefined, work: () => Promise<T>): Promise<T>;
}

/** Creates a breaker that opens when work has waited for so many milliseconds without a reply. */
export function createBreaker(silentMs: number): Breaker {
  const silent = new Map<string, { until: number; isTrying: boolean }>();
  return {
    async run(name, work) {
      if (name === undefined) return work();
      const entry = silent.get(name);
      if (entry && (entry.isTrying || performance.now() < entry.until))
        throw new DatabaseUnavailableError(new Error('a node that this needs does not reply'));
      if (entry) entry.isTrying = true;
      const started = performance.now();
      try {
        const result = await work();
        silent.delete(name);
        return result;
      } catch (error) {
        const now = performance.now();
        const isSilent = error instanceof DatabaseUnavailableError && now - started >= silentMs;
        if (isSilent) silent.set(name, { until: now + PAUSE_MS, isTrying: false });
        // The server has replied, if only with an error.
        else if (entry) silent.delete(name);
        throw error;
      }
    },
  };
}
