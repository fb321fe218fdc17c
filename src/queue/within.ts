/**
 * The promise's value, or a rejection when it takes longer. The time is taken in two halves: a page that was busy for all
 * of it gets to hear the answers that came meanwhile before the second half is over.
 */
export function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => setTimeout(reject, ms / 2, Error('Timeout')), ms / 2);
  });
  return Promise.race([promise, late]);
}
