/** Throws if the signal is aborted. React Native's signals have no method for it. */
export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw Error('Aborted');
}
