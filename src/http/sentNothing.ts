/** Failures of name resolution and of connecting: no byte of the request has left this machine. */
const BEFORE_SENDING: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
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
    // Happy Eyeballs: every address of a name was tried. The aggregate itself carries the code of the first only.
    if (at instanceof AggregateError && at.errors.length > 0) return at.errors.every((each) => sentNothing(each));
    const { code, syscall } = at as NodeJS.ErrnoException;
    if (syscall === 'connect' || (typeof code === 'string' && BEFORE_SENDING.has(code))) return true;
    // Deno has no code, only a message.
    if (/^(client error \(Connect\)|.*tcp connect error)/.test(at.message)) return true;
  }
  return false;
}
