/**
 * Settles like a promise, but rejects with the error of `late` after `ms` milliseconds. What is there already is returned at
 * once: a store in memory needs no timer.
 */
export function withDeadline<T>(
  work: T | PromiseLike<T>,
  { ms, late = () => new Error(`no reply within ${ms} ms`) }: { ms: number; late?: () => Error },
): T | Promise<T> {
  if (typeof (work as Partial<PromiseLike<T>> | undefined | null)?.then !== 'function') return work as T;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), ms);
    void Promise.resolve(work)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}
