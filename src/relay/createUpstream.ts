import { createSecrets } from '../text/printable.ts';
import { sentNothing } from '../http/causes.ts';
import { isNestedDeeper, own, parseJson } from '../wire/json.ts';
import { JSON_MAX_DEPTH } from '../wire/limits.ts';
import { RelayError } from './errors.ts';
import type { Caller } from './readCaller.ts';
import { setNewest } from '../http/setNewest.ts';
import { explain, type Telemetry } from './telemetry.ts';
import { LateResponseError, UnreadableResponseError } from '../http/fetchText.ts';
import { openTransport, type TransportResponse } from '../http/transport.ts';

/** What the network returned. */
export interface NetworkResponse {
  readonly status: number;
  /** The body as it came. */
  readonly text: string;
  /** The same, parsed; `undefined` when it is not JSON, or nested too deeply. */
  readonly json: unknown;
  /** Seconds or a date. */
  readonly retryAfter: string | undefined;
  /** The key occurs in it: it must not be passed on. */
  readonly isReflecting: boolean;
}

/** One path of the network, guarded by a timeout, one retry and a circuit breaker. */
export interface Upstream {
  /** Posts a JSON body. Throws a `NoResponseError`. */
  post(body: string, caller: Caller): Promise<NetworkResponse>;
  /** Whether the network failed so often that it is left alone for now. */
  isOpen(): boolean;
  /** What the latest calls have found: `unknown` before the first one, and a minute after the last one that failed. */
  state(): NetworkState;
}

/** A path of the network, as real calls found it. */
export type NetworkState = 'unknown' | 'ok' | 'key_refused' | 'failing';

export interface UpstreamOptions {
  readonly url: string;
  /** The path, for metrics. */
  readonly route: string;
  readonly apiKey: string;
  readonly version: string;
  /** Milliseconds for the whole call, a retry included. */
  readonly timeoutMs: number;
  /** Bytes of a response that are read. */
  readonly responseBytes: number;
  /** Calls of one client at a time. */
  readonly callsPerClient: number;
  readonly fetch: typeof globalThis.fetch | undefined;
  readonly telemetry: Telemetry;
  /** Called when the network returns a 401. */
  onKeyRefused(): void;
}

/** A call that got no response. */
export class NoResponseError extends RelayError {
  override name = 'NoResponseError';
  /** Whether the network may have received the request all the same. */
  readonly mayHaveArrived: boolean;

  constructor(
    message: string,
    options: { status: number; code: string; mayHaveArrived: boolean; retryAfterMs?: number; cause?: unknown },
  ) {
    super(message, options);
    this.mayHaveArrived = options.mayHaveArrived;
  }
}

/** Returns an `Upstream` whose headers come from configuration alone. */
export function createUpstream(options: UpstreamOptions): Upstream {
  const { url, route, apiKey, version, timeoutMs, callsPerClient, telemetry } = options;
  const { log, measure } = telemetry;
  const breaker = new Breaker();
  const readResponse = createResponseReader(apiKey);
  /** Calls that are waiting for the network, by client. */
  const calls = new Map<string, number>();
  let state: NetworkState = 'unknown';
  /** When it was found. */
  let foundAt = 0;
  const transport = openTransport(options.fetch, {
    url,
    headers: { 'content-type': 'application/json', accept: 'application/json', 'x-api-key': apiKey, version },
    maxBytes: options.responseBytes,
  });

  async function post(body: string, caller: Caller): Promise<NetworkResponse> {
    const client = caller.client?.network;
    const waiting = client === undefined ? 0 : (calls.get(client) ?? 0);
    if (waiting >= callsPerClient) throw TOO_MANY;
    const waitMs = breaker.enter(caller);
    if (waitMs > 0) throw paused(waitMs);
    caller.onSend?.();
    if (client !== undefined) calls.set(client, waiting + 1);
    try {
      const response = readResponse(await send(body, caller));
      // A 502 with results is a response about events, not an outage.
      if (response.status >= 500 && own(response.json, 'results') === undefined) noteFailure(caller);
      else if (isRefusal(response)) noteRefusal(caller);
      else noteSuccess(caller);
      noteOddities(response, caller);
      return response;
    } catch (error) {
      noteFailure(caller);
      const { requestId } = caller;
      log({ level: 'warn', message: 'No response from the network.', request_id: requestId, error: explain(error) });
      throw error;
    } finally {
      if (client !== undefined) leave(client);
    }
  }

  function leave(client: string): void {
    const left = (calls.get(client) ?? 0) - 1;
    if (left > 0) calls.set(client, left);
    else calls.delete(client);
  }

  /** Sends the request, and retries once if certainly nothing was sent. */
  async function send(body: string, { requestId, traceparent }: Caller): Promise<TransportResponse> {
    const request = { body, requestId, traceparent, timeoutMs };
    const started = performance.now();
    let status = 0;
    try {
      const response = await transport(request).catch((error: unknown) => {
        const leftMs = timeoutMs - (performance.now() - started);
        if (leftMs <= 0 || !sentNothing(error)) throw error;
        measure({ name: 'connection_retries', value: 1 });
        return transport({ ...request, timeoutMs: leftMs });
      });
      ({ status } = response);
      if ((status >= 200 && status < 300) || (status >= 400 && status < 600)) return response;
      throw status >= 300 && status < 400 ? REDIRECT : oddStatus(status);
    } catch (error) {
      throw error instanceof NoResponseError ? error : unreached(error);
    } finally {
      measure({ name: 'network_request', value: Math.round(performance.now() - started), route, status });
    }
  }

  function found(now: NetworkState): void {
    state = now;
    foundAt = performance.now();
  }

  function noteSuccess(caller: Caller): void {
    found('ok');
    breaker.succeed(caller);
  }

  /** The network is there, and no request will succeed. That neither opens the circuit nor closes it. */
  function noteRefusal(caller: Caller): void {
    found('key_refused');
    breaker.leave(caller);
  }

  function noteFailure(caller: Caller): void {
    const isOpened = breaker.fail(caller);
    if (isOpened || state !== 'ok') found('failing');
    if (!isOpened) return;
    measure({ name: 'breaker_opened', value: 1 });
    log({ level: 'error', message: KEEPS_FAILING, request_id: caller.requestId });
  }

  function noteOddities({ status, isReflecting }: NetworkResponse, { requestId }: Caller): void {
    if (isRefusal({ status })) log({ level: 'error', message: KEY_REFUSED, request_id: requestId, status });
    if (status === 401) options.onKeyRefused();
    if (!isReflecting) return;
    measure({ name: 'key_reflected', value: 1 });
    log({ level: 'error', message: KEY_REFLECTED, request_id: requestId, status });
  }

  /** Who acts on a failure may send no more calls: it must not be the last word. */
  function latest(): NetworkState {
    return state === 'ok' || performance.now() - foundAt < FOUND_MS ? state : 'unknown';
  }

  return { post, isOpen: () => breaker.isOpen(), state: latest };
}

function isRefusal({ status }: { readonly status: number }): boolean {
  return status === 401 || status === 403;
}

/** Returns a function that reads what a transport has brought. */
export function createResponseReader(apiKey: string): (response: TransportResponse) => NetworkResponse {
  const { isIn } = createSecrets(apiKey);
  return ({ status, text, retryAfter }) => {
    const json = parseJson(text);
    return {
      status,
      text,
      json: isNestedDeeper(json, JSON_MAX_DEPTH) ? undefined : json,
      retryAfter: retryAfter !== null && RETRY_AFTER.test(retryAfter) ? retryAfter : undefined,
      isReflecting: isIn(text) || (retryAfter !== null && isIn(retryAfter)),
    };
  };
}

const DAY = '(Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const MONTH = '(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const RETRY_AFTER = new RegExp(`^(\\d{1,9}|${DAY}, \\d\\d ${MONTH} \\d{4} \\d\\d:\\d\\d:\\d\\d GMT)$`);

const KEEPS_FAILING = 'The network keeps failing and is not called for 10 seconds.';
const KEY_REFUSED =
  'The network refused the key. Check apiKey, and that a test key is used with a staging network and a live key with a production network.';
const KEY_REFLECTED = 'The network sent the key back in its response, which was withheld.';

const REFUSED = { status: 503, mayHaveArrived: false };
const TOO_MANY = new NoResponseError('Too many requests at the same time.', {
  ...REFUSED,
  code: 'too_many_at_once',
  retryAfterMs: 1_000,
});
const REDIRECT = new NoResponseError('The network returned a redirect, which the relay does not follow.', {
  status: 502,
  code: 'network_redirect',
  mayHaveArrived: true, // a 303 comes after what was sent has been taken
});

function paused(retryAfterMs: number): NoResponseError {
  const message = 'The network is not available at the moment.';
  return new NoResponseError(message, { ...REFUSED, code: 'network_paused', retryAfterMs });
}

function oddStatus(status: number): NoResponseError {
  const message = `The network returned a response that could not be understood (status ${status}).`;
  return new NoResponseError(message, { status: 502, code: 'network_answer_unreadable', mayHaveArrived: true });
}

function unreached(error: unknown): NoResponseError {
  if (error instanceof LateResponseError) {
    const about = { status: 504, code: 'network_timeout', mayHaveArrived: !error.isUnsent, cause: error.cause };
    return new NoResponseError('The network did not respond in time.', about);
  }
  if (error instanceof UnreadableResponseError) {
    const about = { status: 502, code: 'network_answer_unreadable', mayHaveArrived: true, cause: error };
    return new NoResponseError('The network returned a response that could not be read.', about);
  }
  const mayHaveArrived = !sentNothing(error);
  const about = { status: 502, code: 'network_unreachable', mayHaveArrived, cause: error };
  return new NoResponseError('The network could not be reached.', about);
}

/** Milliseconds for which a failure says what the network is like: longer than a circuit stays open. */
const FOUND_MS = 60_000;
/** Failures in a row after which the network is left alone. */
const FAILURES_MAX = 5;
/** Milliseconds for which it is left alone. */
const PAUSE_MS = 10_000;
/** Failures of one client that count towards leaving the network alone for everybody. */
const FAILURES_PER_CLIENT = 2;
/** What a failure counts when no address is known: all of them may be one client's. */
const UNKNOWN_WEIGHT = 1 / 4;
/** Failing clients that are tracked; beyond that the ones unused for longest are forgotten. */
const CLIENTS_MAX = 10_000;

/**
 * Stops calling a network that keeps failing: after five failures in a row, for ten seconds; then one request at a time
 * may find out. A client whose requests fail five times in a row is refused by itself; of these only two count for
 * everybody, so it takes several clients to open the circuit or to keep it open. Where no address is known, nobody can
 * tell how many clients there are, and it takes four times as many failures.
 */
class Breaker {
  readonly #everybody = new Circuit();
  /** Clients whose last call failed. */
  readonly #failing = new Map<string, Circuit>();

  /** Milliseconds until a request of this caller may pass; 0 when this one may. */
  enter({ sender }: Caller): number {
    const own = sender === undefined ? undefined : this.#failing.get(sender);
    const waitMs = Math.max(this.#everybody.waitMs(), own?.waitMs() ?? 0);
    if (waitMs > 0) return waitMs;
    this.#everybody.enter();
    own?.enter();
    return 0;
  }

  succeed({ sender }: Caller): void {
    this.#everybody.succeed();
    if (sender !== undefined) this.#failing.delete(sender);
  }

  /** Ends a call that says nothing about the network. */
  leave({ sender }: Caller): void {
    this.#everybody.leave();
    if (sender !== undefined) this.#failing.get(sender)?.leave();
  }

  /** Returns whether this failure made the network be left alone for everybody. */
  fail({ sender, client }: Caller): boolean {
    const own = sender === undefined ? undefined : this.#circuitOf(sender);
    own?.fail(1);
    if (own === undefined || own.failures <= FAILURES_PER_CLIENT)
      return this.#everybody.fail(client ? 1 : UNKNOWN_WEIGHT);
    this.#everybody.leave();
    return false;
  }

  /** Whether the network is left alone for everybody. */
  isOpen(): boolean {
    return this.#everybody.isOpen();
  }

  #circuitOf(sender: string): Circuit {
    const circuit = this.#failing.get(sender) ?? new Circuit();
    setNewest(this.#failing, [sender, circuit], { max: CLIENTS_MAX });
    return circuit;
  }
}

/** A circuit on a clock that nobody sets: the time of day could go back, and keep it open for as long. */
class Circuit {
  failures = 0;
  #openUntil = 0;
  /** One probe at a time. It expires, or a probe that never settles would block the network for good. */
  #probeUntil = 0;

  waitMs(): number {
    if (this.#openUntil === 0) return 0;
    return Math.max(0, Math.max(this.#openUntil, this.#probeUntil) - performance.now());
  }

  enter(): void {
    if (this.#openUntil !== 0) this.#probeUntil = performance.now() + PAUSE_MS;
  }

  /** Ends a probe without a verdict: the next request may probe. */
  leave(): void {
    this.#probeUntil = 0;
  }

  succeed(): void {
    this.failures = 0;
    this.#openUntil = 0;
    this.#probeUntil = 0;
  }

  /** Returns whether this failure opened it. */
  fail(weight: number): boolean {
    this.failures += weight;
    this.#probeUntil = 0;
    if (this.failures < FAILURES_MAX) return false;
    this.#openUntil = performance.now() + PAUSE_MS;
    // One more failure, of a client that is known, opens it again.
    this.failures = FAILURES_MAX - 1;
    return true;
  }

  isOpen(): boolean {
    return this.#openUntil > performance.now();
  }
}
