/** Resolves in a separate task, after `ms`, so that the current task stays short and input is handled in between. */
export function nextTask(ms?: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
