/** Causes of causes that are looked at: an error may be its own. */
const CAUSES_MAX = 5;

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
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < CAUSES_MAX; at = at.cause, depth++) {
    // Happy Eyeballs: every address of a name was tried. The aggregate itself carries the code of the first only.
    if (at instanceof AggregateError && at.errors.length > 0) return at.errors.every((each) => sentNothing(each));
    const { code, syscall } = at as NodeJS.ErrnoException;
    // A connection that is there can lose its network as well, in the middle of a request.
    const isLater = syscall === 'read' || syscall === 'write';
    if (syscall === 'connect' || (!isLater && typeof code === 'string' && BEFORE_SENDING.has(code))) return true;
    // Deno has no code, only a message.
    if (/^(client error \(Connect\)|.*tcp connect error)/.test(at.message)) return true;
  }
  return false;
}

/** Returns the system's codes for a failure, one for each IP address that was tried. */
export function systemErrorCodes(error: unknown, depth = 0): string[] {
  if (!(error instanceof Error) || depth === CAUSES_MAX) return [];
  if (error instanceof AggregateError) return error.errors.flatMap((each) => systemErrorCodes(each, depth + 1));
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? [code] : systemErrorCodes(error.cause, depth + 1);
}

/** Returns what a failure says, and nothing else that the runtime attached: undici adds the bytes of a response, which may repeat the key. */
export function cleanCause(cause: unknown, redact: (text: string) => string): Error {
  const messages: string[] = [];
  for (let at = cause; at instanceof Error && messages.length < CAUSES_MAX; at = at.cause) messages.push(at.message);
  const [code] = systemErrorCodes(cause);
  const clean = new Error(redact(messages.filter(Boolean).join(': ')));
  return code === undefined ? clean : Object.assign(clean, { code: redact(code) });
}
