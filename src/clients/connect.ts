import { parseJson } from '../wire/json.ts';
import { UnreachableError, NetworkError } from './errors.ts';
import { errorFrom } from './errorFrom.ts';
import { refuseBrowser } from './refuseBrowser.ts';

refuseBrowser();

/** Milliseconds a call may take with its body: large reports take seconds, nothing takes longer than this. */
const TIMEOUT_MS = 30_000;

/** What both clients need. */
export interface ClientOptions {
  /** Where the API lives, such as `https://channel.example`. */
  readonly baseUrl: string;
  /** The key that is sent as x-api-key. */
  readonly apiKey: string;
  /** Milliseconds a call may take with its body; 30,000 unless given. */
  readonly timeout?: number | undefined;
  /** Instead of the platform's own `fetch`. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

/** One call, as the specification writes it. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly query?: URLSearchParams | undefined;
  readonly body?: unknown;
}

/** The JSON of a successful answer, `undefined` where it has no body, with what an error about it needs. */
export interface Reply {
  readonly status: number;
  readonly json: unknown;
  /** The error that says that this answer is not what the specification promises. */
  unreadable(expected: string): NetworkError;
}

/** A function that makes calls with the key; options that cannot work throw a TypeError here. */
export function connect(options: ClientOptions): (call: Call) => Promise<Reply> {
  refuseBrowser();
  const base = readBase(options.baseUrl);
  const key = readApiKey(options.apiKey);
  const timeout = options.timeout ?? TIMEOUT_MS;
  if (!(timeout > 0)) throw new TypeError('timeout must be a number of milliseconds above 0');

  return async ({ method, path, query, body }) => {
    const call = `${method} ${base.pathname}${path}`;
    const address = `${base.origin}${base.pathname}${path}${query && query.size > 0 ? `?${query}` : ''}`;
    const headers: Record<string, string> = { 'x-api-key': key, accept: 'application/json' };
    const init: RequestInit = { method, headers, redirect: 'error' };
    if (body !== undefined) {
      headers['content-type'] = 'application/json';
      init.body = JSON.stringify(body);
    }
    const { response, text } = await ask({ address, init, timeout, call, fetch: options.fetch ?? fetch });
    const requestId = response.headers.get('x-request-id') ?? undefined;
    // An error body may repeat the key; nobody who logs the error should log that.
    if (!response.ok) {
      const { status } = response;
      throw errorFrom({ call, status, headers: response.headers, body: parseJson(text.replaceAll(key, '[key]')) });
    }
    return {
      status: response.status,
      json: text.trim() === '' ? undefined : parseJson(text),
      unreadable: (expected) =>
        new NetworkError(`${call} was answered ${response.status} without ${expected}`, {
          status: response.status,
          requestId,
        }),
    };
  };
}

interface Ask {
  readonly address: string;
  readonly init: RequestInit;
  readonly timeout: number;
  readonly call: string;
  readonly fetch: NonNullable<ClientOptions['fetch']>;
}

/** One timeout over headers and body; every failure without an answer becomes one error. */
async function ask({ address, init, timeout, call, fetch }: Ask): Promise<{ response: Response; text: string }> {
  const controller = new AbortController();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    controller.abort();
  }, timeout);
  try {
    const response = await fetch(address, { ...init, signal: controller.signal });
    return { response, text: await response.text() };
  } catch (cause) {
    const why = late
      ? `within ${timeout} ms`
      : 'at all: unreachable, cut off, or redirected (redirects are not followed)';
    throw new UnreachableError(`${call} was not answered ${why}`, { status: 0, cause });
  } finally {
    clearTimeout(timer);
  }
}

function readBase(baseUrl: unknown): { origin: string; pathname: string } {
  const url = typeof baseUrl === 'string' && URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new TypeError(
      'baseUrl must be an http(s) address without credentials or query, such as https://channel.example',
    );
  }
  return { origin: url.origin, pathname: url.pathname.replace(/\/+$/, '') };
}

function readApiKey(apiKey: unknown): string {
  // Not echoed, and checked before a header could be refused with the key in its message.
  if (typeof apiKey !== 'string' || !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new TypeError('apiKey must be the key as the network gave it: one word, no spaces');
  }
  return apiKey;
}
