/** Failures before a connection is established: the request cannot have reached anybody. */
const BEFORE_SENDING = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
  'ConnectionRefused',
  'FailedToOpenSocket',
]);

/**
 * Whether a failed request certainly sent nothing, so that it is safe to repeat. A reset connection is not such a case:
 * it may have broken after the request was read.
 */
export function sentNothing(error: unknown): boolean {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const code: unknown = 'code' in at ? at.code : undefined;
    if (typeof code === 'string' && BEFORE_SENDING.has(code)) return true;
    // Happy Eyeballs: every address of a name was refused.
    if (at instanceof AggregateError && at.errors.length > 0 && at.errors.every((each) => sentNothing(each)))
      return true;
    // Deno has no code, only a message.
    if (/^(client error \(Connect\)|.*tcp connect error)/.test(at.message)) return true;
  }
  return false;
}
