import { refuseBrowser } from '../../wire/refuseBrowser.ts';
import { parseJson } from '../../wire/json.ts';
import { hideKey } from '../../wire/keys.ts';
import { attempt, type Attempt } from './attempt.ts';
import { errorFrom } from './errorFrom.ts';
import { NetworkError } from './errors.ts';
import type { CallOptions, ClientOptions } from './options.ts';
import { pause } from './pause.ts';
import { retryDelay } from './retryDelay.ts';

const ENTRY = 'offerlet/clients';
refuseBrowser(ENTRY);

/** Milliseconds an attempt may take, body included: large reports take seconds, nothing takes longer than this. */
const TIMEOUT_MS = 30_000;
/** Two more attempts survive a restart of the network, and keep a caller waiting for seconds only. */
const MAX_RETRIES = 2;

/** One call of the API. */
export interface ApiCall extends CallOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly query?: URLSearchParams | undefined;
  readonly body?: unknown;
}

/** A successful response. */
export interface ApiResponse {
  readonly status: number;
  /** The parsed body; `undefined` if the response has no body. */
  readonly json: unknown;
  /** Creates the error for a response that is not what the API promises. */
  unexpected(expected: string): NetworkError;
}

/** Returns a function that makes calls with the key, retries included. Throws a TypeError when an option is not valid. */
export function connect(options: ClientOptions): (call: ApiCall) => Promise<ApiResponse> {
  refuseBrowser(ENTRY);
  const base = readBaseUrl(options.baseUrl);
  const key = readApiKey(options.apiKey);
  const defaultTimeout = readTimeout(options.timeout ?? TIMEOUT_MS);
  const maxRetries = readMaxRetries(options.maxRetries ?? MAX_RETRIES);
  const { onRequest, onResponse } = options;

  return async ({ method, path, query, body, signal, timeout = defaultTimeout }) => {
    readTimeout(timeout);
    const call = `${method} ${base.pathname}${path}`;
    const url = `${base.origin}${base.pathname}${path}${query && query.size > 0 ? `?${query}` : ''}`;
    const headers: Record<string, string> = { 'x-api-key': key, accept: 'application/json' };
    const init: RequestInit = { method, headers, redirect: 'error' };
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
      const left = maxRetries - (number - 1);
      const retryIn = left > 0 ? retryDelay({ method, result, attempt: number }) : undefined;
      notify(onResponse, {
        ...notice,
        status: result.kind === 'response' ? result.status : 0,
        duration: Math.round(performance.now() - begin),
        requestId: requestIdOf(result),
        retryIn,
      });
      if (retryIn === undefined) return finish({ result, call, key, isUncertain: isUncertain && method === 'DELETE' });
      isUncertain ||= result.kind === 'failure' ? result.wasSent : result.status >= 500;
      await pause(retryIn, signal);
    }
  };
}

interface Finished {
  readonly result: Attempt;
  readonly call: string;
  readonly key: string;
  /** Whether an earlier attempt to delete may have taken effect. */
  readonly isUncertain: boolean;
}

/** Returns the response of the last attempt, or throws its error. */
function finish({ result, call, key, isUncertain }: Finished): ApiResponse {
  if (result.kind === 'failure') throw result.error;
  const { status, headers, text } = result;
  const requestId = requestIdOf(result);
  const unexpected = (expected: string): NetworkError =>
    new NetworkError(`${call} returned ${status}, but not ${expected}.`, { status, requestId });
  // The earlier attempt deleted it, and its response was lost.
  if (isUncertain && status === 404) return { status: 204, json: undefined, unexpected };
  // An error body may repeat the key, and errors end up in logs.
  if (!result.ok) throw errorFrom({ call, status, headers, body: parseJson(hideKey(text, key)) });
  return { status, json: text.trim() === '' ? undefined : parseJson(text), unexpected };
}

function requestIdOf(result: Attempt): string | undefined {
  return result.kind === 'response' ? (result.headers.get('x-request-id') ?? undefined) : undefined;
}

/** Calls a hook. What it throws is ignored: a call that took effect must not seem to have failed. */
function notify<Notice>(hook: ((notice: Notice) => void) | undefined, notice: Notice): void {
  try {
    hook?.(notice);
  } catch {
    // The hook is the caller's, and so are its errors.
  }
}

function readBaseUrl(baseUrl: unknown): { origin: string; pathname: string } {
  const example = 'Use something like "https://channel.example".';
  const url = typeof baseUrl === 'string' && URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  // The value is not repeated: it could hold a password, or the key by mistake.
  if (!url || !/^https?:$/.test(url.protocol)) throw new TypeError(`baseUrl is not a valid http(s) URL. ${example}`);
  if (url.username || url.password || url.search || url.hash)
    throw new TypeError(`baseUrl must not contain credentials, a query or a fragment. ${example}`);
  return { origin: url.origin, pathname: url.pathname.replace(/\/+$/, '') };
}

function readApiKey(apiKey: unknown): string {
  if (typeof apiKey !== 'string' || apiKey === '')
    throw new TypeError('apiKey is missing. Use the key that the network issued to you.');
  // Checked here, because `fetch` would repeat a key that is not a valid header value in its error.
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    throw new TypeError('apiKey is not a valid key: it contains a space, a line break or a letter that no key has.');
  return apiKey;
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
