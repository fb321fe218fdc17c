/** The network cannot start. The message is one line that says what to change. */
export class NetworkStartError extends Error {
  override readonly name = 'NetworkStartError';
}
