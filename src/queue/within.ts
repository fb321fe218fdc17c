/** The promise's value, or a rejection when it takes longer. */
export function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  return Promise.race([promise, new Promise<never>((_, reject) => void setTimeout(reject, ms, Error('Timeout')))]);
}
