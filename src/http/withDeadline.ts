/** Settles like a promise, but rejects with the error of `late` after `ms` milliseconds. */
export function withDeadline<T>(work: Promise<T>, { ms, late }: { ms: number; late: () => Error }): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), ms);
    void work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
