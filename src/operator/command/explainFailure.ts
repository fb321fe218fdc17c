import { EXIT, ExitError } from '../../cli/ExitError.ts';
import { safeText } from '../../cli/output/terminal.ts';
import { ApiError, failureOf } from '../clients/errors.ts';
import { FAILURES } from '../failures.ts';

/** Returns the one line that a person reads, and the exit code, for whatever went wrong. */
export function explainFailure(error: unknown, keySource = 'OFFERLET_API_KEY'): ExitError {
  const isRefused = error instanceof ApiError && error.kind === 'key_refused';
  return new ExitError(safeText(explain(error, keySource)), isRefused ? EXIT.refused : EXIT.failed);
}

function explain(error: unknown, key: string): string {
  if (error instanceof ApiError) return FAILURES[error.kind].command(failureOf(error), key);
  // The clients check the outline of a response; commands read all of it.
  if (error instanceof TypeError)
    return `The network returned data that could not be understood (${error.message}). Check --network.`;
  return error instanceof Error ? error.message : String(error);
}
