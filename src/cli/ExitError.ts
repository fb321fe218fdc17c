/** A mistake in how a command was called. It is printed as one line, and the exit code is 2. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** Returns the mistake of an option that code refused. `flags`: what its options are called on the command line. */
export function refusedFlag(error: unknown, flags: Readonly<Record<string, string>>): UsageError {
  const {
    option = '',
    problem = '',
    message,
  } = error as Error & { readonly option?: string; readonly problem?: string };
  const [name = '', ...parts] = option.split('.');
  const flag = flags[name];
  return new UsageError(flag === undefined ? message : [flag, ...parts, problem].join(' '));
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
