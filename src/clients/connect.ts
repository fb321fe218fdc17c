import { refuseBrowser } from '../wire/refuseBrowser.ts';
import { parseJson } from '../wire/json.ts';
import { UnreachableError, NetworkError } from './errors.ts';
import { errorFrom } from './errorFrom.ts';

const ENTRY = 'offerlet/clients';
refuseBrowser(ENTRY);

/** Milliseconds a call may take, body included: large reports take seconds, nothing takes longer than this. */
const TIMEOUT_MS = 30_000;

/** The options of both clients. */
export interface ClientOptions {
  /** The URL of the API, such as `https://channel.example`. */
  readonly baseUrl: string;
  /** The key, sent as `x-api-key`. */
  readonly apiKey: string;
  /** Milliseconds a call may take, body included; 30,000 by default. */
  readonly timeout?: number | undefined;
  /** Replaces the platform's `fetch`. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

/** One call of the API. */
export interface ApiCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly query?: URLSearchParams | undefined;
  readonly body?: unknown;
}

/** A successful response. */
export interface ApiResponse {
  readonly status: number;
  /** The parsed body; `undefined` when there is none. */
  readonly json: unknown;
  /** Creates the error for a response that is not what the API promises. */
  unexpected(expected: string): NetworkError;
}

/** Returns a function that makes calls with the key. Throws a TypeError when an option is not valid. */
export function connect(options: ClientOptions): (call: ApiCall) => Promise<ApiResponse> {
  refuseBrowser(ENTRY);
  const base = readBaseUrl(options.baseUrl);
  const key = readApiKey(options.apiKey);
  const timeout = options.timeout ?? TIMEOUT_MS;
  if (!(timeout > 0)) throw new TypeError('timeout must be a number of milliseconds greater than 0.');

  return async ({ method, path, query, body }) => {
    const call = `${method} ${base.pathname}${path}`;
    const url = `${base.origin}${base.pathname}${path}${query && query.size > 0 ? `?${query}` : ''}`;
    const headers: Record<string, string> = { 'x-api-key': key, accept: 'application/json' };
    const init: RequestInit = { method, headers, redirect: 'error' };
    if (body !== undefined) {
      headers['content-type'] = 'application/json';
      init.body = JSON.stringify(body);
    }
    const { response, text } = await request({ url, init, timeout, call, fetch: options.fetch ?? fetch });
    const { status } = response;
    // An error body may repeat the key, and errors end up in logs.
    if (!response.ok)
      throw errorFrom({ call, status, headers: response.headers, body: parseJson(text.replaceAll(key, '[key]')) });
    const requestId = response.headers.get('x-request-id') ?? undefined;
    return {
      status,
      json: text.trim() === '' ? undefined : parseJson(text),
      unexpected: (expected) =>
        new NetworkError(`${call} returned ${status}, but not ${expected}.`, { status, requestId }),
    };
  };
}

interface TimedRequest {
  readonly url: string;
  readonly init: RequestInit;
  readonly timeout: number;
  readonly call: string;
  readonly fetch: NonNullable<ClientOptions['fetch']>;
}

/** Sends a request with one timeout for headers and body. Every failure without a response becomes one kind of error. */
async function request({
  url,
  init,
  timeout,
  call,
  fetch,
}: TimedRequest): Promise<{ response: Response; text: string }> {
  const controller = new AbortController();
  let isTimeout = false;
  const timer = setTimeout(() => {
    isTimeout = true;
    controller.abort();
  }, timeout);
  try {
    const response = await fetch(url, { ...init, signal: controller.signal });
    return { response, text: await response.text() };
  } catch (cause) {
    const reason = isTimeout
      ? `timed out after ${timeout} ms.`
      : 'got no response: the network is unreachable, closed the connection, or redirected (redirects are not followed).';
    throw new UnreachableError(`${call} ${reason}`, { status: 0, cause });
  } finally {
    clearTimeout(timer);
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
