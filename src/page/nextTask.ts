/** Resolves in a task of its own, so that what follows does not lengthen the one before: taps are answered between them. */
export function nextTask(ms?: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
