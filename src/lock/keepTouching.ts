/** Runs in a thread of its own. Ends by itself once the file is gone, which its successor deletes. */
const TOUCH = `
const { workerData } = process.getBuiltinModule('node:worker_threads');
const { utimesSync } = process.getBuiltinModule('node:fs');
const timer = setInterval(() => {
  try {
    const now = new Date();
    utimesSync(workerData.file, now, now);
  } catch (error) {
    if (error.code === 'ENOENT') clearInterval(timer);
  }
}, workerData.everyMs);
`;

/**
 * Touches a file from a thread of its own, so that a main thread which is busy for seconds does not look dead. Does
 * nothing where the runtime has no threads or does not allow them. Returns what ends it.
 */
export function keepTouching(file: string, everyMs: number): () => Promise<void> {
  try {
    const { Worker } = process.getBuiltinModule('node:worker_threads');
    // Without the process's own flags and environment: a loader that they name has no business in there.
    const worker = new Worker(TOUCH, { eval: true, workerData: { file, everyMs }, execArgv: [], env: {} });
    worker.on('error', () => undefined);
    worker.unref();
    return async () => {
      await worker.terminate();
    };
  } catch {
    return () => Promise.resolve();
  }
}
