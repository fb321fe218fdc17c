import { documentWithoutControls } from './output/terminal.ts';
import { hideKeys, printableJson, withoutCommands } from '../text/printable.ts';

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

/** The `code` of an error that has none of its own. */
const CODES: Readonly<Record<number, string>> = {
  [EXIT.usage]: 'usage',
  [EXIT.refused]: 'key_refused',
  [EXIT.notFound]: 'not_found',
  [EXIT.someFailed]: 'some_failed',
  [EXIT.attention]: 'attention',
  [EXIT.interrupted]: 'interrupted',
};

/** Errors whose message says everything that the caller needs: one line. */
const EXPECTED: ReadonlySet<string> = new Set(['UsageError', 'ExitError', 'RelayConfigError', 'NetworkStartError']);

/** The hint of a mistake that has no better one. */
export const SEE_HELP = 'Use --help to see all options.';

/** Whether a program reads the errors of a command. */
export function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end < 0 ? undefined : end).includes('--json');
}

/**
 * Returns what a program writes to stderr about an error that ends it, and its exit code: 2 for a mistake of the caller, 1 for
 * what nobody expected. A key that was typed in the wrong place is in neither form: cron would mail it.
 */
export function describeEnd(
  error: unknown,
  { json }: { readonly json: boolean },
): { readonly text: string; readonly exit: number } {
  // By name: a command of another package has its own copy of these classes.
  const known = error instanceof Error && EXPECTED.has(error.name) ? (error as Error & Partial<ExitError>) : undefined;
  const exit = known ? (known.exitCode ?? EXIT.usage) : EXIT.failed;
  const message = hideKeys(documentWithoutControls(known?.message ?? stackText(error)));
  const hint = known?.hint === undefined ? undefined : hideKeys(documentWithoutControls(known.hint));
  if (json) {
    const usual = exit === EXIT.usage ? SEE_HELP : null;
    const code = (known?.name === 'ExitError' ? known.code : undefined) ?? CODES[exit] ?? 'failed';
    return { text: `${printableJson({ error: { code, message, hint: hint ?? usual, exit } })}\n`, exit };
  }
  const line = [message, hint].filter(Boolean).join(' ');
  return { text: line === '' ? '' : withoutCommands(`offerlet: ${line}\n`), exit };
}

function stackText(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
