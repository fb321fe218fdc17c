import { parseJson } from '../wire/json.ts';
import { createBreaker } from './breaker.ts';
import { RelayError } from './errors.ts';
import { holdsKey } from './holdsKey.ts';
import type { Log } from './log.ts';
import { explain } from './log.ts';
import type { Measure } from './metrics.ts';
import { nodeTransport } from './nodeTransport.ts';
import { sentNothing } from './sentNothing.ts';
import { fetchTransport, LateError } from './transport.ts';

/** What the network answered. */
export interface NetworkAnswer {
  readonly status: number;
  /** The body as it came. */
  readonly text: string;
  /** The same, parsed; `undefined` when it is no JSON. */
  readonly json: unknown;
  /** Seconds or a date. */
  readonly retryAfter: string | undefined;
  /** The key occurs in the body: it must not be passed on. */
  readonly isReflecting: boolean;
}

/** A call that got no answer. */
export class NoAnswerError extends RelayError {
  override name = 'NoAnswerError';
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

/** One call to one fixed path of the network. */
export interface NetworkCall {
  readonly body: string;
  readonly requestId: string;
}

export type CallNetwork = (call: NetworkCall) => Promise<NetworkAnswer>;

export interface UpstreamOptions {
  readonly url: string;
  readonly apiKey: string;
  readonly version: string;
  readonly timeoutMs: number;
  readonly answerBytes: number;
  readonly fetch: typeof globalThis.fetch | undefined;
  readonly now: () => number;
  readonly log: Log;
  readonly measure: Measure;
}

/** One path of the network, guarded by a timeout, one retry and a circuit breaker. */
export interface Upstream {
  /** Throws a `NoAnswerError`. */
  readonly call: CallNetwork;
  /** It failed so often that it is left alone for now. */
  isOpen(): boolean;
}

/** A function that posts to one path of the network; its headers come from configuration alone. */
export function createUpstream(options: UpstreamOptions): Upstream {
  const { url, apiKey, measure, log } = options;
  const transport = options.fetch
    ? fetchTransport(options.fetch)
    : (nodeTransport(url) ?? fetchTransport((...call) => globalThis.fetch(...call)));
  const fixedHeaders = {
    'content-type': 'application/json',
    accept: 'application/json',
    'x-api-key': apiKey,
    version: options.version,
  };
  const breaker = createBreaker(options.now);

  async function post({ body, requestId }: NetworkCall, timeoutMs: number): Promise<NetworkAnswer> {
    const headers = { ...fixedHeaders, 'x-request-id': requestId };
    const { status, text, retryAfter } = await transport({
      url,
      headers,
      body,
      timeoutMs,
      maxBytes: options.answerBytes,
    });
    if (status >= 300 && status < 400) {
      throw new NoAnswerError('The network answered with a redirect, which the relay does not follow.', {
        status: 502,
        code: 'network_redirect',
        mayHaveArrived: false,
      });
    }
    const json = parseJson(text);
    return { status, text, json, retryAfter: readRetryAfter(retryAfter), isReflecting: holdsKey(text, json, apiKey) };
  }

  async function attempt(call: NetworkCall): Promise<NetworkAnswer> {
    const started = options.now();
    try {
      return await post(call, options.timeoutMs).catch((error: unknown) => {
        const left = options.timeoutMs - (options.now() - started);
        if (left <= 0 || !sentNothing(error)) throw error;
        measure({ name: 'connection_retries', value: 1 });
        return post(call, left);
      });
    } catch (error) {
      if (error instanceof NoAnswerError) throw error;
      if (error instanceof LateError) {
        throw new NoAnswerError(error.message, {
          status: 504,
          code: 'network_timeout',
          mayHaveArrived: true,
          cause: error.cause,
        });
      }
      throw new NoAnswerError('The network could not be reached.', {
        status: 502,
        code: 'network_unreachable',
        mayHaveArrived: !sentNothing(error),
        cause: error,
      });
    }
  }

  function noteFailure(requestId: string): void {
    if (!breaker.fail()) return;
    measure({ name: 'breaker_opened', value: 1 });
    log({
      level: 'error',
      message: 'The network keeps failing: it is left alone for 10 seconds.',
      request_id: requestId,
    });
  }

  async function call(request: NetworkCall): Promise<NetworkAnswer> {
    const waitMs = breaker.enter();
    if (waitMs > 0) {
      throw new NoAnswerError('The network is not available at the moment.', {
        status: 503,
        code: 'network_paused',
        mayHaveArrived: false,
        retryAfterMs: waitMs,
      });
    }
    try {
      const answer = await attempt(request);
      // A 502 with results is an answer about events, not an outage.
      if (answer.status >= 500 && !hasResults(answer.json)) noteFailure(request.requestId);
      else breaker.succeed();
      if (answer.status === 401 || answer.status === 403)
        log({ level: 'error', message: REFUSED_KEY, request_id: request.requestId, status: answer.status });
      if (answer.isReflecting) {
        measure({ name: 'key_reflected', value: 1 });
        log({
          level: 'error',
          message: 'The network sent the key back in its answer; the answer was withheld.',
          request_id: request.requestId,
          status: answer.status,
        });
      }
      return answer;
    } catch (error) {
      noteFailure(request.requestId);
      log({
        level: 'warn',
        message: 'No answer from the network.',
        request_id: request.requestId,
        error: explain(error),
      });
      throw error;
    }
  }

  return { call, isOpen: () => breaker.isOpen() };
}

const REFUSED_KEY =
  'The network refused the key: check apiKey, and that a test key meets a staging network and a live key a production one.';

function hasResults(json: unknown): boolean {
  return typeof json === 'object' && json !== null && Object.hasOwn(json, 'results');
}

function readRetryAfter(value: string | null): string | undefined {
  if (value === null) return undefined;
  return /^\d{1,9}$/.test(value) || (value.length < 40 && /^[A-Za-z]{3}, [\w: ]+ GMT$/.test(value)) ? value : undefined;
}
