/** What a transaction does once it is committed. */
export interface Later {
  /** Returns the result of `start`, which runs later; rejects if the transaction fails. */
  add<T>(start: () => Promise<T>): Promise<T>;
  /** Starts everything. */
  run(): void;
  fail(error: unknown): void;
  /** Resolves when everything that was started has ended. */
  settled(): Promise<void>;
}

/** Holds back what a transaction must not do before it is committed. */
export function createLater(): Later {
  const waiting: { start(): void; fail(error: unknown): void }[] = [];
  const results: Promise<unknown>[] = [];
  return {
    add<T>(start: () => Promise<T>) {
      const result = new Promise<T>((resolve, reject) => {
        waiting.push({ start: () => void start().then(resolve, reject), fail: reject });
      });
      // The caller may no longer wait for it.
      result.catch(() => undefined);
      results.push(result);
      return result;
    },
    run: () => waiting.forEach(({ start }) => start()),
    fail: (error) => waiting.forEach(({ fail }) => fail(error)),
    settled: async () => void (await Promise.allSettled(results)),
  };
}
