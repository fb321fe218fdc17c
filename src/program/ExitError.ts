/** A mistake in how a command was called. It is printed as one line, and the exit code is 2. */
export class UsageError extends Error {
  override name = 'UsageError';
  /** What to do, in a sentence after the message. */
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
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

/** What `ExitError` says besides its message. */
interface ExitDetails {
  /** What went wrong, for programs; by default what the exit code means. */
  readonly code?: string | undefined;
  /** What to do, in a sentence after the message. */
  readonly hint?: string | undefined;
}

/**
 * Ends a command with its own exit code; message and hint are printed as one line, unless they are empty.
 * See docs/errors.md#commands.
 */
export class ExitError extends Error {
  override name = 'ExitError';
  readonly exitCode: number;
  readonly code: string | undefined;
  readonly hint: string | undefined;

  constructor(message: string, exitCode: number, { code, hint }: ExitDetails = {}) {
    super(message);
    this.exitCode = exitCode;
    this.code = code;
    this.hint = hint;
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

/** The hint of a mistake that has no better one. */
export const SEE_HELP = 'Use --help to see all options.';
