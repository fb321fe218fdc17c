/** A mistake in how a command was called. It is printed as one line, and the exit code is 2. */
export class UsageError extends Error {
  override name = 'UsageError';
}
