import { EXIT, type ExitError, SEE_HELP } from './ExitError.ts';
import { documentWithoutControls } from './terminal.ts';
import { hideKeys, printableJson, withoutCommands } from '../text/printable.ts';

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
