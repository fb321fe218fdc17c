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
  for (const closable of closables) await closable.close();
}
