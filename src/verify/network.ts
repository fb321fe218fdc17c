import { fetchText } from '../http/fetchText.ts';
import { isObject, own, parseJson } from '../wire/json.ts';
import { createSecrets, hideKeys } from '../text/printable.ts';
import { pause } from '../http/pause.ts';

/** Which key a call carries: that of an interface, one that was revoked, none, or a text that is none. */
export type KeyName = 'integration' | 'management' | 'reporting' | 'revoked' | 'none' | 'wrong';

/** One request. */
export interface Ask {
  readonly method?: 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: string | Readonly<Record<string, string>>;
  readonly key: KeyName;
  /** By default those of its interface. `undefined` leaves one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** JSON, or a text that is sent as it is. */
  readonly body?: unknown;
}

/** A request with its response, as a person may see it: no key is in it. */
export interface Exchange {
  readonly path: string;
  readonly sent: { readonly call: string; readonly headers: Readonly<Record<string, string>>; readonly body?: string };
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: unknown;
}

/** The network under test. */
export interface Network {
  /** Calls so far. */
  readonly calls: number;
  readonly keys: Partial<Record<KeyName, string>>;
  /** Responses with status 429 or 503. */
  readonly delayed: readonly Exchange[];
  /** The latest response. */
  readonly last: Exchange | undefined;
  /** Calls in a row without a response. */
  readonly silent: number;
  /** The beginning of a text, with its keys hidden if it has any. */
  hide(text: string): string;
  ask(ask: Ask): Promise<Exchange>;
  /** From now on calls only undo what was changed: they ignore `signal` and `maxCalls`, and may take a quarter of `maxMs`. */
  finish(): void;
}

export interface NetworkOptions {
  /** Of the Channel and Recommendations APIs; without a final slash. */
  readonly url: string;
  readonly keys: Partial<Record<KeyName, string>>;
  /** The `version` header of the Recommendations API. */
  readonly version: string;
  readonly fetch: typeof fetch;
  readonly signal?: AbortSignal | undefined;
  /** Calls that a run may make. */
  readonly maxCalls: number;
  /** Milliseconds that a run may take before it undoes what it has changed. */
  readonly maxMs: number;
  /** Milliseconds between the beginnings of two calls. */
  readonly paceMs: number;
}

/** The run has made as many calls as it may, or has taken as long. */
export class RunLimitError extends Error {
  override name = 'RunLimitError';
}

/** No response came, or none that ends. */
export class SilentError extends Error {
  override name = 'SilentError';
}

const TIMEOUT_MS = 15_000;
const MAX_BYTES = 8 * 1024 * 1024;
/** A network that asks for more patience is left alone. */
const RETRY_MAX_S = 30;
const RETRIES = 3;
/** Characters of a text that are kept for people. */
const SHOWN = 2_000;
/** Characters behind them in which a key is looked for that begins before. */
const KEY_MAX = 2_000;

/** Returns how to call a network politely: paced, as often as allowed, and later when it asks for that. */
export function openNetwork(options: NetworkOptions): Network {
  const { url, keys, version, maxCalls, maxMs, paceMs } = options;
  const secrets = Object.values(keys).map((key) => createSecrets(key));
  const redact = (text: string): string => secrets.reduce((shown, secret) => secret.redact(shown), text);
  function hide(whole: string): string {
    const text = whole.slice(0, SHOWN + KEY_MAX);
    return hideKeys(secrets.some((secret) => secret.isIn(text)) ? redact(text) : text).slice(0, SHOWN);
  }
  let ends = performance.now() + maxMs;
  let last: Exchange | undefined;
  let silent = 0;
  const delayed: Exchange[] = [];
  let calls = 0;
  let next = 0;
  let isFinishing = false;

  /** Throws if the run ends before these milliseconds have passed. */
  function expectTime(ms: number): void {
    if (performance.now() + ms < ends) return;
    ends = performance.now();
    throw new RunLimitError(`The run takes no longer than ${maxMs / 1_000} seconds.`);
  }

  async function once(ask: Ask): Promise<Exchange> {
    const signal = isFinishing ? undefined : options.signal;
    if (!isFinishing && calls >= maxCalls) throw new RunLimitError(`The run has made ${maxCalls} calls.`);
    expectTime(0);
    calls++;
    const wait = next - performance.now();
    next = Math.max(next, performance.now()) + paceMs;
    if (wait > 0) await pause(wait, signal);
    const { method = ask.body === undefined ? 'GET' : 'POST', path, query = '', body } = ask;
    const search = String(typeof query === 'string' ? query : new URLSearchParams(query));
    const wanted: Readonly<Record<string, string | undefined>> = {
      accept: 'application/json',
      'x-api-key':
        ask.key === 'none' ? undefined : ask.key === 'wrong' ? 'adnet_sk_test_0000000000000000' : keys[ask.key],
      ...(isPartner(path) && { version }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...ask.headers,
    };
    const headers = Object.fromEntries(
      Object.entries(wanted).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
    const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    const target = `${url}${path}${search === '' ? '' : `?${search}`}`;
    silent++;
    const init = { method, headers, ...(text !== undefined && { body: text }) };
    const limits = {
      ms: Math.min(TIMEOUT_MS, Math.max(1, ends - performance.now())),
      maxBytes: MAX_BYTES,
      fetch: options.fetch,
      signal,
    };
    const { response, text: received } = await fetchText(target, init, limits).catch((error: unknown) => {
      throw new SilentError(reasonOf(error));
    });
    silent = 0;
    const sent = {
      call: redact(`${method} ${target}`),
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, hide(value)])),
      ...(text !== undefined && { body: hide(text) }),
    };
    const { status } = response;
    const shown = new Headers([...response.headers].map(([name, value]) => [name, hide(value)]));
    last = { path, sent, status, headers: shown, text: hide(received), json: parseJson(received) };
    return last;
  }

  return {
    get calls() {
      return calls;
    },
    keys,
    delayed,
    get last() {
      return last;
    },
    get silent() {
      return silent;
    },
    hide,
    finish() {
      isFinishing = true;
      ends = performance.now() + maxMs / 4;
    },
    async ask(ask) {
      for (let left = RETRIES; ; left--) {
        const exchange = await once(ask);
        const seconds = Number(exchange.headers.get('retry-after') ?? 1);
        const isPassing = exchange.status === 429 || exchange.status === 503;
        if (isPassing) delayed.push(exchange);
        if (!isPassing || left === 0 || !(seconds <= RETRY_MAX_S)) return exchange;
        expectTime(seconds * 1_000);
        await pause(seconds * 1_000, isFinishing ? undefined : options.signal);
      }
    },
  };
}

function reasonOf(error: unknown): string {
  const { cause, message } = error as Error & { cause?: { code?: string } };
  return cause?.code ?? message;
}

/** A rule does not hold: what was expected instead. */
export class BrokenError extends Error {
  override name = 'BrokenError';
  readonly exchange: Exchange;

  constructor(expected: string, exchange: Exchange) {
    super(expected);
    this.exchange = exchange;
  }
}

/** What was found does not decide whether a rule holds. */
export class UntoldError extends Error {
  override name = 'UntoldError';
}

/** Throws unless it is so. */
export function expect(exchange: Exchange, expected: string, isSo: boolean): void {
  if (!isSo) throw new BrokenError(expected, exchange);
}

function isPartner(path: string): boolean {
  return /^\/(recommendations|events)/.test(path);
}

/** The shapes of error bodies, and what a person reads of them. */
const SHAPES = {
  partner: ['{ "message": "…" }', (json: unknown) => typeof own(json, 'message') === 'string'],
  detail: ['{ "detail": "…" }', (json: unknown) => typeof own(json, 'detail') === 'string'],
  error: ['{ "error": "…" }', (json: unknown) => typeof own(json, 'error') === 'string'],
  fields: ['{ "<field>": ["…"] }', (json: unknown) => isObject(json) && Object.values(json).some(isMessages)],
  any: ['any body', () => true],
} as const satisfies Record<string, readonly [string, (json: unknown) => boolean]>;

/** The shape of an error body, by its interface and status (docs/project/wire.md#errors). */
function shapeOf(path: string, status: number): keyof typeof SHAPES {
  if (isPartner(path)) return 'partner';
  if (status === 400) return 'fields';
  if (path.includes('reporting') || status === 401 || status === 403) return 'detail';
  return status === 404 || status === 409 ? 'error' : 'any';
}

function isMessages(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string');
}

/** Throws unless this is the status, with the error body of the interface, or with any. */
export function expectRefusal(exchange: Exchange, status: number, shape?: 'any'): void {
  const [name, isOf] = SHAPES[shape ?? shapeOf(exchange.path, status)];
  expect(exchange, `${status} with ${name}`, exchange.status === status && isOf(exchange.json));
}

/** Throws unless the call succeeded; returns its body. */
export function expectOk(exchange: Exchange, status = 200): unknown {
  expect(exchange, `${status} with a JSON body`, exchange.status === status && exchange.json !== undefined);
  return exchange.json;
}
