/** Milliseconds after which storage that does not respond counts as broken. */
export const HANGING_MS = 1_000;

/**
 * Rejects what took too long. Not an Error: one that is created while the script starts has the browser look for its position,
 * which with developer tools attached means to parse the whole script again.
 */
export const LATE = 'Timeout';

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
