import { UnreachableError } from './errors.ts';
import type { ClientOptions } from './options.ts';
import { reasonOf } from './pause.ts';

/** What became of one attempt: a response of any status, or none. */
export type Attempt =
  | {
      readonly kind: 'response';
      readonly ok: boolean;
      readonly status: number;
      readonly headers: Headers;
      readonly text: string;
    }
  | {
      readonly kind: 'failure';
      readonly error: UnreachableError;
      /** Whether the request may have arrived. */
      readonly wasSent: boolean;
      /** Whether another attempt may go better. */
      readonly isTransient: boolean;
    };

/** One attempt of a call. */
export interface AttemptOptions {
  readonly url: string;
  readonly init: RequestInit;
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
  /** Method and path, for the message. */
  readonly call: string;
  readonly fetch: NonNullable<ClientOptions['fetch']>;
}

/** Sends a request once, with one timeout for headers and body. Rejects only when the caller's signal is aborted. */
export async function attempt({ url, init, timeout, signal, call, fetch }: AttemptOptions): Promise<Attempt> {
  if (signal?.aborted) throw reasonOf(signal);
  const controller = new AbortController();
  const cancel = (): void => controller.abort();
  signal?.addEventListener('abort', cancel, { once: true });
  let isTimeout = false;
  const timer = setTimeout(() => {
    isTimeout = true;
    controller.abort();
  }, timeout);
  try {
    const response = await untilAborted(readResponse(fetch(url, { ...init, signal: controller.signal })), controller);
    return { kind: 'response', ...response };
  } catch (cause) {
    if (signal?.aborted) throw reasonOf(signal);
    const isTooLarge = cause instanceof ResponseTooLargeError;
    const reason = isTooLarge
      ? 'got a response that is larger than 64 MiB.'
      : isTimeout
        ? `timed out after ${timeout} ms.`
        : 'got no response: the network is unreachable, closed the connection, or redirected (redirects are not followed).';
    const codes = codesOf(cause);
    return {
      kind: 'failure',
      error: new UnreachableError(`${call} ${reason}`, { status: 0, cause }),
      wasSent: codes.length === 0 || !codes.every((code) => NEVER_SENT.has(code)),
      isTransient: !isTimeout && !isTooLarge && !isRedirect(cause) && !codes.some((code) => PERMANENT.test(code)),
    };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
  }
}

async function readResponse(responding: Promise<Response>): Promise<Omit<Attempt & { kind: 'response' }, 'kind'>> {
  const response = await responding;
  const { ok, status, headers } = response;
  return { ok, status, headers, text: await readText(response) };
}

/** Bytes of a response that are read: a page of a report has a hundredth of this. */
const RESPONSE_MAX = 64 * 1024 * 1024;

/** A network that sends without end must not fill this process's memory before the timeout. */
async function readText(response: Response): Promise<string> {
  // A fetch of the caller's own may return less than a whole Response.
  const body = response.body as Response['body'] | undefined;
  if (!body) return response.text();
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let left = RESPONSE_MAX;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    left -= value.byteLength;
    if (left < 0) {
      void reader.cancel().catch(() => undefined);
      throw new ResponseTooLargeError();
    }
    text += decoder.decode(value, { stream: true });
  }
}

class ResponseTooLargeError extends Error {
  override name = 'ResponseTooLargeError';

  constructor() {
    super(`The response is larger than ${RESPONSE_MAX / 1024 / 1024} MiB.`);
  }
}

/** A `fetch` of the caller's own may ignore its signal; the call ends all the same. */
function untilAborted<T>(work: Promise<T>, { signal }: AbortController): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new DOMException('Aborted', 'AbortError')), { once: true });
    work.then(resolve, reject);
  });
}

/** Failures of name resolution and of connecting: no byte of the request has left this machine. */
const NEVER_SENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'EADDRNOTAVAIL',
  'ENETDOWN',
  'UND_ERR_CONNECT_TIMEOUT',
  'connect',
]);
/** Certificates that cannot be verified, and servers that do not speak HTTP: the next attempt would fail as well. */
const PERMANENT =
  /^(ERR_TLS|ERR_SSL|CERT_|HPE_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|UND_ERR_HEADERS_OVERFLOW|ERR_INVALID)/;

/** Returns the system's codes for a failure, one for each IP address that was tried; `connect` for any other failure to connect. */
function codesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  if (error instanceof AggregateError) return error.errors.flatMap(codesOf);
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall === 'connect') return ['connect'];
  return typeof code === 'string' ? [code] : codesOf(error.cause);
}

function isRedirect(error: unknown): boolean {
  return error instanceof Error && (/redirect/.test(error.message) || isRedirect(error.cause));
}
