/** Milliseconds after which storage that does not respond counts as broken. */
export const HANGING_MS = 1_000;

/** Rejects what took too long. */
export const LATE = /* @__PURE__ */ Error('Timeout');

/**
 * Resolves to the promise's value, or rejects when it takes longer. The time is taken in two halves: a page that was busy for
 * all of it receives the events that arrived meanwhile before the second half is over.
 */
export function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout>;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      timer = setTimeout(reject, ms / 2, LATE);
    }, ms / 2);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
