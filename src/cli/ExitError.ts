/** A mistake in how a command was called. It is printed as one line, and the exit code is 2. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/**
 * Ends a command with its own exit code; the message is printed as one line, unless it is empty.
 * See docs/errors.md#commands.
 */
export class ExitError extends Error {
  override name = 'ExitError';
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The exit codes of the operator commands. */
export const EXIT = {
  failed: 1,
  usage: 2,
  refused: 3,
  notFound: 4,
  someFailed: 5,
  attention: 6,
  interrupted: 130,
} as const;
