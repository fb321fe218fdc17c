import { sentNothing } from '../../http/sentNothing.ts';
import { readCappedText } from '../../wire/readCapped.ts';
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
      wasSent: !sentNothing(cause),
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
  const text = await readCappedText(response, RESPONSE_MAX);
  if (text === undefined) throw new ResponseTooLargeError();
  return { ok, status, headers, text };
}

/** Bytes of a response that are read: a page of a report has a hundredth of this, and a network may send without end. */
const RESPONSE_MAX = 64 * 1024 * 1024;

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

/** Certificates that cannot be verified, and servers that do not speak HTTP: the next attempt would fail as well. */
const PERMANENT =
  /^(ERR_TLS|ERR_SSL|CERT_|HPE_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|UND_ERR_HEADERS_OVERFLOW|ERR_INVALID)/;

/** Returns the system's codes for a failure, one for each IP address that was tried. */
function codesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  if (error instanceof AggregateError) return error.errors.flatMap(codesOf);
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? [code] : codesOf(error.cause);
}

function isRedirect(error: unknown): boolean {
  return error instanceof Error && (/redirect/.test(error.message) || isRedirect(error.cause));
}
