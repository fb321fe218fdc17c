import { EXIT, ExitError } from '../../program/ExitError.ts';
import { safeText } from '../../program/terminal.ts';
import { ApiError, failureOf } from '../clients/errors.ts';
import { FAILURES } from '../failures.ts';

/** Returns what a person reads, and the exit code, for whatever went wrong. */
export function explainFailure(error: unknown, keySource = 'OFFERLET_API_KEY'): ExitError {
  if (error instanceof ApiError) {
    const { kind } = error;
    const { message, hint } = FAILURES[kind].command(failureOf(error), keySource);
    const exit = kind === 'key_refused' ? EXIT.refused : EXIT.failed;
    return new ExitError(safeText(message), exit, { code: kind, hint: hint && safeText(hint) });
  }
  // The clients check the outline of a response; commands read all of it.
  if (error instanceof TypeError)
    return new ExitError(
      safeText(`The network returned data that could not be understood (${error.message}).`),
      EXIT.failed,
      { hint: 'Check --network.' },
    );
  return new ExitError(safeText(error instanceof Error ? error.message : String(error)), EXIT.failed);
}
