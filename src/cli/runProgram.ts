/** Errors whose message says everything that the caller needs: one line, exit code 2. */
const EXPECTED: ReadonlySet<string> = new Set(['UsageError', 'RelayConfigError', 'NetworkStartError']);

/** Runs a program to its end, then exits: 0 on success, 2 for a mistake of the caller, 1 for anything else. */
export function runProgram(main: (argv: readonly string[]) => Promise<void>): void {
  main(process.argv.slice(2)).then(
    () => process.exit(0),
    (error: unknown) => {
      const isExpected = error instanceof Error && EXPECTED.has(error.name);
      process.stderr.write(`offerlet: ${isExpected ? error.message : stackOf(error)}\n`);
      process.exit(isExpected ? 2 : 1);
    },
  );
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
