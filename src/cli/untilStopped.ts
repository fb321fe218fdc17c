/** Milliseconds for closing everything; then the process exits with what is left. */
const CLOSE_MS = 20_000;

/** Waits for Ctrl-C or SIGTERM, then closes everything in order. A second Ctrl-C exits at once. */
export async function untilStopped(closables: readonly { close(): Promise<void> }[]): Promise<void> {
  await new Promise<void>((resolve) => {
    const stop = (): void => {
      process.once('SIGINT', () => process.exit(130));
      resolve();
    };
    process.once('SIGINT', stop);
    process.once('SIGTERM', stop);
  });
  const deadline = setTimeout(() => {
    process.stderr.write(`offerlet: closing took more than ${CLOSE_MS / 1_000} seconds; exiting anyway.\n`);
    process.exit(1);
  }, CLOSE_MS);
  for (const closable of closables) await closable.close();
  clearTimeout(deadline);
}
