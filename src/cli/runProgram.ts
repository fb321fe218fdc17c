import { EXIT, ExitError } from './ExitError.ts';
import { documentWithoutControls } from './output/displayWidth.ts';
import { withoutCommands } from '../http/printable.ts';

/** Errors whose message says everything that the caller needs: one line, exit code 2. */
const EXPECTED: ReadonlySet<string> = new Set(['UsageError', 'RelayConfigError', 'NetworkStartError']);

/** Runs a program to its end, then exits: 0 on success, 2 for a mistake of the caller, 1 for anything else. */
export function runProgram(main: (argv: readonly string[]) => Promise<void>): void {
  process.stdout.on('error', (error) => exitWithoutOutput(error));
  // Nobody reads about the progress any more, or the log's disk is full; what was begun is done all the same.
  process.stderr.on('error', () => undefined);
  main(process.argv.slice(2)).then(
    () => exitAfterWriting(0),
    (error: unknown) => {
      const isExpected = error instanceof Error && (EXPECTED.has(error.name) || error instanceof ExitError);
      const text = documentWithoutControls(isExpected ? error.message : stackOf(error));
      if (text !== '') process.stderr.write(withoutCommands(`offerlet: ${text}\n`));
      exitAfterWriting(error instanceof ExitError ? error.exitCode : isExpected ? EXIT.usage : EXIT.failed);
    },
  );
}

/** Exits when stdout has taken everything: a pipe may take a large report slowly. */
function exitAfterWriting(code: number): void {
  process.stdout.write('', () => {
    // Known here before its event comes.
    if (process.stdout.errored) return exitWithoutOutput(process.stdout.errored, code);
    process.stderr.write('', () => process.exit(code));
  });
}

function exitWithoutOutput({ code, message }: NodeJS.ErrnoException, ended?: number): void {
  // The reader of a pipe, such as `head`, has seen enough. A command that ends now, with its output, still says how.
  if (code === 'EPIPE' && ended === undefined) return void setImmediate(() => process.exit(0));
  if (code === 'EPIPE') process.exit(ended);
  process.stderr.write(`offerlet: The output cannot be written (${code ?? message}).\n`);
  // As with a file of --output that cannot be written; 1 may have a meaning of its own.
  process.exit(EXIT.usage);
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
