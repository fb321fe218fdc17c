import { EXIT, ExitError } from './ExitError.ts';
import { withoutCommands } from '../http/printable.ts';

/** Errors whose message says everything that the caller needs: one line, exit code 2. */
const EXPECTED: ReadonlySet<string> = new Set(['UsageError', 'RelayConfigError', 'NetworkStartError']);

/** Runs a program to its end, then exits: 0 on success, 2 for a mistake of the caller, 1 for anything else. */
export function runProgram(main: (argv: readonly string[]) => Promise<void>): void {
  // The reader of a pipe, such as `head`, has seen enough.
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(0);
      throw error;
    });
  main(process.argv.slice(2)).then(
    () => exitAfterWriting(0),
    (error: unknown) => {
      const isExpected = error instanceof Error && (EXPECTED.has(error.name) || error instanceof ExitError);
      process.stderr.write(withoutCommands(`offerlet: ${isExpected ? error.message : stackOf(error)}\n`));
      exitAfterWriting(error instanceof ExitError ? error.exitCode : isExpected ? EXIT.usage : EXIT.failed);
    },
  );
}

/** Exits when stdout has taken everything: a pipe may take a large report slowly. */
function exitAfterWriting(code: number): void {
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
