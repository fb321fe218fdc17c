/** The network cannot start; the message is one clear line that says what to change. */
export class NetworkStartError extends Error {
  override readonly name = 'NetworkStartError';
}
