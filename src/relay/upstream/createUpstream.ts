import { own } from '../../wire/json.ts';
import { RelayError, type RelayErrorOptions } from '../errors.ts';
import { explain, type Telemetry } from '../telemetry.ts';
import { createBreaker } from './breaker.ts';
import {
  fetchTransport,
  TransportTimeoutError,
  type TransportOptions,
  type TransportResponse,
} from './fetchTransport.ts';
import { readNetworkResponse, type NetworkResponse } from './networkResponse.ts';
import { nodeTransport } from './nodeTransport.ts';
import { sentNothing } from '../../http/sentNothing.ts';

/** Where a request to the relay came from. */
export interface Source {
  readonly requestId: string;
  /** The network of an IP address, or a session where no address is known; `undefined` when neither is. */
  readonly sender: string | undefined;
}

/** One path of the network, guarded by a timeout, one retry and a circuit breaker. */
export interface Upstream {
  /** Posts a JSON body. Throws a `NoResponseError`. */
  post(body: string, source: Source): Promise<NetworkResponse>;
  /** Whether the network failed so often that it is left alone for now. */
  isOpen(): boolean;
}

export interface UpstreamOptions {
  readonly url: string;
  readonly apiKey: string;
  readonly version: string;
  /** Milliseconds for the whole call, a retry included. */
  readonly timeoutMs: number;
  /** Bytes of a response that are read. */
  readonly responseBytes: number;
  readonly fetch: typeof globalThis.fetch | undefined;
  readonly now: () => number;
  readonly telemetry: Telemetry;
}

/** A call that got no response. */
export class NoResponseError extends RelayError {
  override name = 'NoResponseError';
  /** Whether the network may have received the request all the same. */
  readonly mayHaveArrived: boolean;

  constructor(message: string, { mayHaveArrived, ...options }: RelayErrorOptions & { mayHaveArrived: boolean }) {
    super(message, options);
    this.mayHaveArrived = mayHaveArrived;
  }
}

/** Returns an `Upstream` whose headers come from configuration alone. */
export function createUpstream(options: UpstreamOptions): Upstream {
  const { url, apiKey, timeoutMs, now, telemetry } = options;
  const { log, measure } = telemetry;
  const breaker = createBreaker(now);
  const calls: TransportOptions = {
    url,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      'x-api-key': apiKey,
      version: options.version,
    },
    maxBytes: options.responseBytes,
  };
  const transport = options.fetch
    ? fetchTransport(options.fetch, calls)
    : (nodeTransport(calls) ?? fetchTransport((...call) => globalThis.fetch(...call), calls));

  async function post(body: string, source: Source): Promise<NetworkResponse> {
    const waitMs = breaker.enter(source.sender);
    if (waitMs > 0) throw paused(waitMs);
    try {
      const response = readNetworkResponse(await send(body, source.requestId), apiKey);
      // A 502 with results is a response about events, not an outage.
      if (response.status >= 500 && own(response.json, 'results') === undefined) noteFailure(source);
      else breaker.succeed(source.sender);
      noteOddities(response, source);
      return response;
    } catch (error) {
      noteFailure(source);
      log({
        level: 'warn',
        message: 'No response from the network.',
        request_id: source.requestId,
        error: explain(error),
      });
      throw error;
    }
  }

  /** Sends the request, and once more when certainly nothing of it was sent. */
  async function send(body: string, requestId: string): Promise<TransportResponse> {
    const request = { body, requestId, timeoutMs };
    const started = now();
    try {
      const response = await transport(request).catch((error: unknown) => {
        const leftMs = timeoutMs - (now() - started);
        if (leftMs <= 0 || !sentNothing(error)) throw error;
        measure({ name: 'connection_retries', value: 1 });
        return transport({ ...request, timeoutMs: leftMs });
      });
      const { status } = response;
      if ((status >= 200 && status < 300) || (status >= 400 && status < 600)) return response;
      if (status < 300 || status >= 600) throw oddStatus(status);
    } catch (error) {
      throw error instanceof NoResponseError ? error : unreached(error);
    }
    throw new NoResponseError('The network returned a redirect, which the relay does not follow.', {
      status: 502,
      code: 'network_redirect',
      mayHaveArrived: false,
    });
  }

  function noteFailure({ requestId, sender }: Source): void {
    if (!breaker.fail(sender)) return;
    measure({ name: 'breaker_opened', value: 1 });
    log({
      level: 'error',
      message: 'The network keeps failing and is not called for 10 seconds.',
      request_id: requestId,
    });
  }

  function noteOddities({ status, isReflecting }: NetworkResponse, { requestId }: Source): void {
    if (status === 401 || status === 403) log({ level: 'error', message: KEY_REFUSED, request_id: requestId, status });
    if (!isReflecting) return;
    measure({ name: 'key_reflected', value: 1 });
    log({ level: 'error', message: KEY_REFLECTED, request_id: requestId, status });
  }

  return { post, isOpen: () => breaker.isOpen() };
}

const KEY_REFUSED =
  'The network refused the key. Check apiKey, and that a test key is used with a staging network and a live key with a production network.';
const KEY_REFLECTED = 'The network sent the key back in its response, which was withheld.';

function paused(waitMs: number): NoResponseError {
  return new NoResponseError('The network is not available at the moment.', {
    status: 503,
    code: 'network_paused',
    mayHaveArrived: false,
    retryAfterMs: waitMs,
  });
}

function oddStatus(status: number): NoResponseError {
  return new NoResponseError(`The network returned a response that could not be understood (status ${status}).`, {
    status: 502,
    code: 'network_answer_unreadable',
    mayHaveArrived: true,
  });
}

function unreached(error: unknown): NoResponseError {
  return error instanceof TransportTimeoutError
    ? new NoResponseError(error.message, {
        status: 504,
        code: 'network_timeout',
        mayHaveArrived: true,
        cause: error.cause,
      })
    : new NoResponseError('The network could not be reached.', {
        status: 502,
        code: 'network_unreachable',
        mayHaveArrived: !sentNothing(error),
        cause: error,
      });
}
