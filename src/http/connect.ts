import { parseJson, readCappedText } from '../wire/json.ts';
import { hideKey, readKey, refuseBrowser } from '../wire/keys.ts';
import { ApiError, errorFrom, secondsOf, UnreachableError, type FailedResponse } from './apiErrors.ts';
import { readApiKey, readNetworkUrl, type Refuse } from './networkAccess.ts';
import { cancellationOf, pause } from './pause.ts';
import { createSecrets } from './printable.ts';
import { sentNothing } from './sentNothing.ts';

/** Milliseconds an attempt may take, body included: large reports take seconds, nothing takes longer than this. */
const TIMEOUT_MS = 30_000;
/** Two more attempts survive a restart of the network, and keep a caller waiting for seconds only. */
export const MAX_RETRIES = 2;

/** One call of the API. */
export interface ApiCall extends CallOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly query?: URLSearchParams | undefined;
  readonly body?: unknown;
  /** Whether the network recognizes a repeated call, so that one whose fate is unknown may be repeated. A POST is not by default. */
  readonly isRepeatable?: boolean | undefined;
  /** Whether a response that is not a success is returned all the same, and not repeated. */
  isResult?(status: number, json: unknown): boolean;
}

/** What the clients of one package have in common. */
export interface ClientKind {
  /** The entry of the package, which must not run in a browser. */
  readonly entry: string;
  /** A URL of such a network, for messages. */
  readonly example: string;
  /** Headers of every call, besides the key. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Returns the error for a failed response; by its status by default. */
  readonly errorFrom?: ((failed: FailedResponse) => ApiError) | undefined;
}

/** A call that succeeded or failed. Rejects with an `ApiError`, or with the reason of the signal. */
export type Connection = (call: ApiCall) => Promise<ApiResponse>;

/** Throws the error of an option that is not valid. */
export const refuseOption: Refuse = (option, problem) => {
  throw new TypeError(`${option} ${problem}`);
};

/** A successful response. */
export interface ApiResponse {
  readonly status: number;
  /** The parsed body; `undefined` if the response has no body. */
  readonly json: unknown;
  /** Milliseconds that the network asks to wait. */
  readonly retryAfterMs: number | undefined;
  /** Creates the error for a response that is not what the API promises. */
  unexpected(expected: string): ApiError;
}

/** Returns a function that makes calls with the key, retries included. Throws a TypeError when an option is not valid. */
export function connect(options: ClientOptions, kind: ClientKind): Connection {
  refuseBrowser(kind.entry);
  const key = readApiKey(options.apiKey, { use: 'Use the key that the network issued to you.', refuse: refuseOption });
  const environment = readKey(key)?.environment;
  const base = readNetworkUrl(options.networkUrl, { environment, example: kind.example, refuse: refuseOption });
  const basePath = base.slice(new URL(base).origin.length);
  const { isIn } = createSecrets(key);
  const defaultTimeout = readTimeout(options.timeout ?? TIMEOUT_MS);
  const maxRetries = readMaxRetries(options.maxRetries ?? MAX_RETRIES);
  const { onRequest, onResponse } = options;

  return async ({ method, path, query, body, isRepeatable = method !== 'POST', isResult, signal, ...more }) => {
    const timeout = readTimeout(more.timeout ?? defaultTimeout);
    const call = `${method} ${basePath}${path}`;
    const url = `${base}${path}${query && query.size > 0 ? `?${query}` : ''}`;
    const headers: Record<string, string> = { ...kind.headers, 'x-api-key': key, accept: 'application/json' };
    // Not 'error', which Workers do not have.
    const init: RequestInit = { method, headers, redirect: 'manual' };
    if (body !== undefined) {
      headers['content-type'] = 'application/json';
      init.body = JSON.stringify(body);
    }
    // Whether an attempt without a response may have taken effect.
    let isUncertain = false;
    for (let number = 1; ; number++) {
      const notice = { method, url, attempt: number };
      notify(onRequest, notice);
      const begin = performance.now();
      const result = await attempt({ url, init, timeout, signal, call, fetch: options.fetch ?? fetch });
      const isFinal = number > maxRetries || (isResult && hasResult(result, isResult));
      const retryIn = isFinal ? undefined : retryDelay({ isRepeatable, result, attempt: number });
      notify(onResponse, {
        ...notice,
        status: result.kind === 'response' ? result.status : 0,
        duration: Math.round(performance.now() - begin),
        requestId: requestIdOf(result, isIn),
        retryIn,
      });
      if (retryIn === undefined)
        return finish({ result, call, key, isIn, kind, isResult, isUncertain: isUncertain && method === 'DELETE' });
      isUncertain ||= result.kind === 'failure' ? result.wasSent : result.status >= 500;
      await pause(retryIn, signal);
    }
  };
}

interface Finished {
  readonly result: Attempt;
  readonly call: string;
  readonly key: string;
  /** Whether a text contains the key, however it is encoded. */
  readonly isIn: (text: string) => boolean;
  readonly kind: ClientKind;
  readonly isResult: ApiCall['isResult'];
  /** Whether an earlier attempt to delete may have taken effect. */
  readonly isUncertain: boolean;
}

function hasResult(result: Attempt, isResult: NonNullable<ApiCall['isResult']>): boolean {
  return result.kind === 'response' && isResult(result.status, parseJson(result.text));
}

/** Returns the response of the last attempt, or throws its error. */
function finish({ result, call, key, isIn, kind, isResult, isUncertain }: Finished): ApiResponse {
  if (result.kind === 'failure') throw result.error;
  const { status, headers, text } = result;
  const requestId = requestIdOf(result, isIn);
  const unexpected = (expected: string): ApiError =>
    new ApiError(`${call} returned ${status}, but not ${expected}.`, { status, requestId });
  // The earlier attempt deleted it, and its response was lost.
  if (isUncertain && status === 404) return { status: 204, json: undefined, retryAfterMs: undefined, unexpected };
  if (!result.ok && !(isResult && hasResult(result, isResult))) {
    // An error body may repeat the key, and errors end up in logs.
    const hidden = hideKey(text, key);
    throw (kind.errorFrom ?? errorFrom)({
      call,
      status,
      headers,
      requestId,
      body: isIn(hidden) ? undefined : parseJson(hidden),
    });
  }
  // So do other responses. The owner of a publishable key reads it there, and it is not a secret.
  if (readKey(key)?.family !== 'publishable' && isIn(text))
    throw new ApiError(`${call} returned ${status}, but the response was withheld: it contained the key.`, {
      status,
      requestId,
    });
  const seconds = secondsOf(headers.get('retry-after'));
  return {
    status,
    json: text.trim() === '' ? undefined : parseJson(text),
    retryAfterMs: seconds === undefined ? undefined : seconds * 1_000,
    unexpected,
  };
}

/** The id that the network gave the request, unless it could not be one: it is written to logs. */
function requestIdOf(result: Attempt, isIn: Finished['isIn']): string | undefined {
  const id = result.kind === 'response' ? result.headers.get('x-request-id') : null;
  return id !== null && /^[\w.:/+=-]{1,128}$/.test(id) && !isIn(id) ? id : undefined;
}

/** Calls a hook. What it throws is ignored: a call that took effect must not seem to have failed. */
function notify<Notice>(hook: ((notice: Notice) => void) | undefined, notice: Notice): void {
  try {
    hook?.(notice);
  } catch {
    // The hook is the caller's, and so are its errors.
  }
}

function readTimeout(timeout: number): number {
  if (!(timeout > 0)) throw new TypeError('timeout must be a number of milliseconds greater than 0.');
  return timeout;
}

function readMaxRetries(maxRetries: number): number {
  if (!Number.isInteger(maxRetries) || maxRetries < 0)
    throw new TypeError('maxRetries must be a whole number, 0 or more.');
  return maxRetries;
}

/** What became of one attempt: a response of any status, or none. */
type Attempt =
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
async function attempt({ url, init, timeout, signal, call, fetch }: AttemptOptions): Promise<Attempt> {
  if (signal?.aborted) throw cancellationOf(signal);
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
    if (signal?.aborted) throw cancellationOf(signal);
    const isTooLarge = cause instanceof ResponseTooLargeError;
    const reason = isTooLarge
      ? 'got a response that is larger than 64 MiB.'
      : isTimeout
        ? `timed out after ${timeout} ms.`
        : 'got no response: the network is unreachable, closed the connection, or redirected (redirects are not followed).';
    const codes = codesOf(cause);
    const isRedirect = cause instanceof RedirectError;
    const code: UnreachableError['code'] = isTooLarge
      ? 'too_large'
      : isTimeout
        ? 'timeout'
        : isRedirect
          ? 'redirect'
          : codes.includes('ECONNREFUSED')
            ? 'refused'
            : 'no_response';
    return {
      kind: 'failure',
      error: new UnreachableError(`${call} ${reason}`, { status: 0, code, cause }),
      wasSent: !sentNothing(cause),
      isTransient: !isTimeout && !isTooLarge && !isRedirect && !codes.some((code) => PERMANENT.test(code)),
    };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
  }
}

async function readResponse(responding: Promise<Response>): Promise<Omit<Attempt & { kind: 'response' }, 'kind'>> {
  const response = await responding;
  const { ok, status, headers } = response;
  // Some runtimes hide the status of a redirect and report 0.
  if (response.type === 'opaqueredirect' || [301, 302, 303, 307, 308].includes(status)) {
    void response.body?.cancel().catch(() => undefined);
    throw new RedirectError('The network returned a redirect.');
  }
  const text = await readCappedText(response, RESPONSE_MAX);
  if (text === undefined) throw new ResponseTooLargeError();
  return { ok, status, headers, text };
}

/** Bytes of a response that are read: a page of a report has a hundredth of this, and a network may send without end. */
const RESPONSE_MAX = 64 * 1024 * 1024;

class RedirectError extends Error {
  override name = 'RedirectError';
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

/** Milliseconds before the first retry; doubled for each further one. */
const FIRST_DELAY_MS = 500;
/** Maximum milliseconds between two attempts without a `Retry-After`. */
const MAX_DELAY_MS = 8_000;
/** Maximum milliseconds of a `Retry-After`: a caller waits a minute, not an hour. */
export const MAX_RETRY_AFTER_MS = 60_000;

/** The attempt that decides about the next one. */
export interface RetryOptions {
  readonly isRepeatable: boolean;
  readonly result: Attempt;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  readonly random?: (() => number) | undefined;
}

/**
 * Returns the milliseconds until a call may be repeated, or undefined when it must not be: it succeeded, failed for good,
 * or may have taken effect and is not repeatable.
 */
export function retryDelay({ isRepeatable, result, attempt, random = Math.random }: RetryOptions): number | undefined {
  const backoff = backoffMs(attempt, random);
  if (result.kind === 'failure') {
    return result.isTransient && (isRepeatable || !result.wasSent) ? backoff : undefined;
  }
  const { status, headers } = result;
  const seconds = status === 429 || status === 503 ? secondsOf(headers.get('retry-after')) : undefined;
  // After a shorter wait than the network demands, the request would be refused again.
  if (seconds) return seconds * 1_000 > MAX_RETRY_AFTER_MS ? undefined : seconds * 1_000;
  // A time that has passed: the network is ready, but perhaps not for all of its callers at once.
  if (seconds === 0) return backoff;
  if (status === 429) return backoff;
  return status >= 500 && isRepeatable ? backoff : undefined;
}

/** Returns the milliseconds before another attempt. Half of them are random, so that clients which failed together do not come back together. */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  return Math.round(Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1)) * (0.5 + random() / 2));
}

/** The options of every client. */
export interface ClientOptions {
  /** The URL of the API, such as `https://channel.example`. */
  readonly networkUrl: string;
  /** The key, sent as `x-api-key`. */
  readonly apiKey: string;
  /** Milliseconds an attempt may take, body included; 30,000 by default. An attempt that timed out is not repeated. */
  readonly timeout?: number | undefined;
  /** How often a failed call is repeated when that is safe; 2 by default. */
  readonly maxRetries?: number | undefined;
  /** Called before each attempt, for logs. */
  readonly onRequest?: ((request: RequestNotice) => void) | undefined;
  /** Called after each attempt, for logs and progress. */
  readonly onResponse?: ((response: ResponseNotice) => void) | undefined;
  /** Replaces the platform's `fetch`. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

/** Options of every single call. */
export interface CallOptions {
  /** Cancels the call, its retries and the waits between them. The call rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds an attempt of this call may take; the client's own by default. */
  readonly timeout?: number | undefined;
}

/** What `onRequest` gets: no headers and no body, because they contain the key and personal data. */
export interface RequestNotice {
  readonly method: string;
  readonly url: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
}

/** What `onResponse` gets. */
export interface ResponseNotice extends RequestNotice {
  /** The status of the response; 0 when there was none. */
  readonly status: number;
  /** Milliseconds the attempt took. */
  readonly duration: number;
  /** The id of the request, for the network's support. */
  readonly requestId: string | undefined;
  /** Milliseconds until the next attempt; undefined when this was the last one. */
  readonly retryIn: number | undefined;
}
