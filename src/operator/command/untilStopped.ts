import { EXIT, ExitError } from '../../program/ExitError.ts';
import { explainFailure } from './explainFailure.ts';

/**
 * Runs work that Ctrl-C and SIGTERM stop between two calls. Returns why it ended early: what was done by then still has to be
 * printed.
 */
export async function untilStopped(
  work: (signal: AbortSignal) => Promise<unknown>,
  keySource: string,
): Promise<ExitError | undefined> {
  const stop = new AbortController();
  const interrupt = (): void =>
    stop.abort(new ExitError('Interrupted.', EXIT.interrupted, { hint: 'Run the command again for the rest.' }));
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  try {
    await work(stop.signal);
    return undefined;
  } catch (error) {
    return error instanceof ExitError ? error : explainFailure(error, keySource);
  } finally {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  }
}
