import { parseJson, readCappedText } from '../wire/json.ts';
import { hideKey, readKey, refuseBrowser } from '../wire/keys.ts';
import { ApiError, errorFrom, retryAfterSeconds, UnreachableError, type FailedResponse } from './apiErrors.ts';
import { readApiKey, readNetworkUrl, type Refuse } from './networkAccess.ts';
import { abortError, pause } from './pause.ts';
import { createSecrets } from '../text/printable.ts';
import { cleanCause, systemErrorCodes, sentNothing } from './causes.ts';

/** Milliseconds an attempt may take, body included: large reports take seconds, nothing takes longer than this. */
const TIMEOUT_MS = 30_000;
/** The longest time that a timer can wait, 24 days: for a longer one, it would not wait at all. */
const TIMER_MAX_MS = 2 ** 31 - 1;
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
  /** Bytes of a response that are read: a network may send without end. */
  readonly maxBytes: number;
  /** Headers of every call, besides the key. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Returns the error for a failed response; by its status by default. */
  readonly errorFrom?: ((failed: FailedResponse) => ApiError) | undefined;
}

/** A call that succeeded or failed. Rejects with an `ApiError`, or with the reason of the signal. */
export type Connection = (call: ApiCall) => Promise<ApiResponse>;

/** Throws the error of an option that is not valid, with its name and the problem for programs that call it something else. */
export const refuseOption: Refuse = (option, problem) => {
  throw Object.assign(new TypeError(`${option} ${problem}`), { option, problem });
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
  const { isIn, redact } = createSecrets(key);
  // The owner of a publishable key reads it in responses, and it is not a secret.
  const isSecret = readKey(key)?.family !== 'publishable';
  const defaultTimeout = readMs('timeout', options.timeout ?? TIMEOUT_MS);
  const maxRetries = readMaxRetries(options.maxRetries ?? MAX_RETRIES);
  const { onRequest, onResponse } = options;

  function readBody(text: string, status: number): Body {
    // An error body may repeat the key, and errors end up in logs.
    const shown = isOk(status) ? text : hideKey(text, key);
    const isWithheld = isSecret && isIn(shown);
    return { isWithheld, json: isWithheld ? undefined : parseJson(shown) };
  }

  return async ({ method, path, query, body, isRepeatable = method !== 'POST', isResult, signal, ...more }) => {
    const timeout = readMs('timeout', more.timeout ?? defaultTimeout);
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
      void notify(onRequest, notice);
      const begin = performance.now();
      const { maxBytes } = kind;
      const sent = { url, init, timeout, signal, call, fetch: options.fetch ?? fetch, maxBytes, readBody, redact };
      const result = await attempt(sent);
      const hasResult = result.kind === 'response' && (isResult?.(result.status, result.json) ?? isOk(result.status));
      const isFinal = number > maxRetries || hasResult;
      const retryIn = isFinal ? undefined : retryDelay({ isRepeatable, result, attempt: number });
      const requestId = requestIdOf(result, isIn);
      const status = result.kind === 'response' ? result.status : 0;
      const duration = Math.round(performance.now() - begin);
      void notify(onResponse, { ...notice, status, duration, requestId, retryIn });
      if (retryIn !== undefined) {
        isUncertain ||= result.kind === 'failure' ? result.wasSent : status >= 500;
        await pause(retryIn, signal);
        continue;
      }
      if (result.kind === 'failure') throw result.error;
      const { headers: received, json, isWithheld } = result;
      const but = (problem: string): ApiError =>
        new ApiError(`${call} returned ${status}, but ${problem}.`, { status, requestId });
      const unexpected = (expected: string): ApiError => but(`not ${expected}`);
      // An earlier attempt deleted it, and its response was lost.
      if (isUncertain && method === 'DELETE' && status === 404)
        return { status: 204, json: undefined, retryAfterMs: undefined, unexpected };
      if (!isOk(status) && !hasResult)
        throw (kind.errorFrom ?? errorFrom)({ call, status, headers: received, requestId, body: json });
      if (isWithheld) throw but('the response was withheld: it contained the key');
      const seconds = retryAfterSeconds(received.get('retry-after'));
      return { status, json, retryAfterMs: seconds === undefined ? undefined : seconds * 1_000, unexpected };
    }
  };
}

/** The id that the network gave the request, unless it could not be one: it is written to logs. */
function requestIdOf(result: Attempt, isIn: (text: string) => boolean): string | undefined {
  const id = result.kind === 'response' ? result.headers.get('x-request-id') : null;
  return id !== null && /^[\w.:/+=-]{1,128}$/.test(id) && !isIn(id) ? id : undefined;
}

/** Calls a hook. What it throws, or rejects with, is ignored: a call that took effect must not seem to have failed. */
export async function notify<Notice extends unknown[]>(
  hook: ((...notice: Notice) => unknown) | undefined,
  ...notice: Notice
): Promise<void> {
  try {
    await hook?.(...notice);
  } catch {
    // The hook is the caller's, and so are its errors.
  }
}

/** Returns an option in milliseconds as a timer can take it. Throws a TypeError when it is not valid. */
export function readMs(option: string, ms: number): number {
  if (!(ms > 0)) throw new TypeError(`${option} must be a number of milliseconds greater than 0.`);
  return Math.min(Math.ceil(ms), TIMER_MAX_MS);
}

function readMaxRetries(maxRetries: number): number {
  if (!Number.isInteger(maxRetries) || maxRetries < 0)
    throw new TypeError('maxRetries must be a whole number, 0 or more.');
  return maxRetries;
}

/** A body as it may be used. */
interface Body {
  /** The parsed body; `undefined` when it is not JSON, or withheld. */
  readonly json: unknown;
  /** Whether it contained the key. */
  readonly isWithheld: boolean;
}

/** What became of one attempt: a response of any status, or none. */
type Attempt =
  | (Body & { readonly kind: 'response'; readonly status: number; readonly headers: Headers })
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
  readonly maxBytes: number;
  readBody(text: string, status: number): Body;
  redact(text: string): string;
}

/** Sends a request once, with one timeout for headers and body. Rejects only when the caller's signal is aborted. */
async function attempt(options: AttemptOptions): Promise<Attempt> {
  const { url, init, timeout, signal, call, fetch, redact } = options;
  if (signal?.aborted) throw abortError(signal);
  const controller = new AbortController();
  const cancel = (): void => controller.abort();
  signal?.addEventListener('abort', cancel, { once: true });
  const late = new NoResponseError('timeout', `timed out after ${timeout} ms.`);
  const timer = setTimeout(() => controller.abort(late), timeout);
  try {
    const responding = fetch(url, { ...init, signal: controller.signal });
    return await untilAborted(readResponse(responding, options), controller);
  } catch (error) {
    if (signal?.aborted) throw abortError(signal);
    const cause = controller.signal.aborted ? late : error;
    const codes = systemErrorCodes(cause);
    const isKnown = cause instanceof NoResponseError;
    const message = isKnown ? cause.message : 'got no response: the network is unreachable, or closed the connection.';
    const code = isKnown ? cause.code : codes.includes('ECONNREFUSED') ? 'refused' : 'no_response';
    return {
      kind: 'failure',
      error: new UnreachableError(`${call} ${message}`, { status: 0, code, cause: cleanCause(cause, redact) }),
      wasSent: !sentNothing(cause),
      isTransient: !isKnown && !codes.some((each) => PERMANENT.test(each)),
    };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
  }
}

async function readResponse(
  responding: Promise<Response>,
  { maxBytes, readBody }: AttemptOptions,
): Promise<Attempt & { kind: 'response' }> {
  const response = await responding;
  const { status } = response;
  // Some runtimes hide the status of a redirect and report 0.
  if (response.type === 'opaqueredirect' || [301, 302, 303, 307, 308].includes(status)) {
    void response.body?.cancel().catch(() => undefined);
    throw new NoResponseError('redirect', 'was redirected. Redirects are not followed: they would receive the key.');
  }
  const text = await readCappedText(response, maxBytes);
  if (text === undefined)
    throw new NoResponseError('too_large', `got a response that is larger than ${maxBytes / 1024 / 1024} MiB.`);
  // A custom `fetch` may return less than a whole response.
  return { kind: 'response', status, headers: new Headers(response.headers), ...readBody(text, status) };
}

function isOk(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Why a response is not used, which another attempt would not change. */
class NoResponseError extends Error {
  readonly code: NonNullable<UnreachableError['code']>;

  constructor(code: NonNullable<UnreachableError['code']>, message: string) {
    super(message);
    this.code = code;
  }
}

/** A `fetch` of the caller's own may ignore its signal; the call ends all the same. */
function untilAborted<T>(work: Promise<T>, { signal }: AbortController): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('Aborted')), { once: true });
    work.then(resolve, reject);
  });
}

/** Certificates that cannot be verified, and servers that do not speak HTTP: the next attempt would fail as well. */
const PERMANENT =
  /^(ERR_TLS|ERR_SSL|CERT_|HPE_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|UND_ERR_HEADERS_OVERFLOW|ERR_INVALID)/;

/** Milliseconds before the first retry; doubled for each further one. */
const FIRST_DELAY_MS = 500;
/** Maximum milliseconds between two attempts without a `Retry-After`. */
const MAX_DELAY_MS = 8_000;
/** Maximum milliseconds of a `Retry-After`: a caller waits a minute, not an hour. */
export const MAX_RETRY_AFTER_MS = 60_000;

/**
 * Returns the milliseconds until a call may be repeated, or undefined when it must not be: it succeeded, failed for good,
 * or may have taken effect and is not repeatable. Attempts are counted from 1.
 */
export function retryDelay(
  { isRepeatable, result, attempt }: { isRepeatable: boolean; result: Attempt; attempt: number },
  random?: () => number,
): number | undefined {
  const backoff = backoffMs(attempt, random);
  if (result.kind === 'failure') return result.isTransient && (isRepeatable || !result.wasSent) ? backoff : undefined;
  const { status, headers } = result;
  const seconds = status === 429 || status === 503 ? retryAfterSeconds(headers.get('retry-after')) : undefined;
  // After a shorter wait than the network demands, the request would be refused again.
  if (seconds) return seconds * 1_000 > MAX_RETRY_AFTER_MS ? undefined : seconds * 1_000;
  // A time that has passed: the network is ready, but perhaps not for all of its callers at once.
  return seconds === 0 || status === 429 || (status >= 500 && isRepeatable) ? backoff : undefined;
}

/** Returns the milliseconds before another attempt. Half of them are random, so that clients which failed together do not come back together. */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  return Math.round(Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1)) * (0.5 + random() / 2));
}

/** The options of every client. */
export interface ClientOptions {
  /** The URL of the API, such as `https://channel.example`. */
  readonly networkUrl: string | undefined;
  /** The key, sent as `x-api-key`. */
  readonly apiKey: string | undefined;
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
