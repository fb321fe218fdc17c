import { parseJson } from '../wire/json.ts';
import { createBreaker } from './breaker.ts';
import { RelayError } from './errors.ts';
import { holdsKey } from './holdsKey.ts';
import type { Log } from './log.ts';
import { explain } from './log.ts';
import type { Measure } from './metrics.ts';
import { readAnswer } from './readAnswer.ts';
import { sentNothing } from './sentNothing.ts';

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
  readonly fetch: typeof globalThis.fetch;
  readonly now: () => number;
  readonly log: Log;
  readonly measure: Measure;
}

/** A function that posts to one path of the network; its headers come from configuration alone. */
export function createUpstream(options: UpstreamOptions): { call: CallNetwork; isOpen(): boolean } {
  const { apiKey, measure, log } = options;
  const breaker = createBreaker(options.now);

  async function post({ body, requestId }: NetworkCall, signal: AbortSignal): Promise<NetworkAnswer> {
    const response = await options.fetch(options.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'x-api-key': apiKey,
        version: options.version,
        'x-request-id': requestId,
      },
      body,
      redirect: 'manual',
      signal,
    });
    if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
      void response.body?.cancel().catch(() => undefined);
      throw new NoAnswerError('The network answered with a redirect, which the relay does not follow.', {
        status: 502,
        code: 'network_redirect',
        mayHaveArrived: false,
      });
    }
    const text = await readAnswer(response, options.answerBytes);
    const json = parseJson(text);
    return {
      status: response.status,
      text,
      json,
      retryAfter: readRetryAfter(response.headers.get('retry-after')),
      isReflecting: holdsKey(text, json, apiKey),
    };
  }

  async function attempt(call: NetworkCall): Promise<NetworkAnswer> {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), options.timeoutMs);
    try {
      return await post(call, abort.signal).catch((error: unknown) => {
        if (abort.signal.aborted || !sentNothing(error)) throw error;
        measure({ name: 'connection_retries', value: 1 });
        return post(call, abort.signal);
      });
    } catch (error) {
      if (error instanceof NoAnswerError) throw error;
      if (abort.signal.aborted) {
        throw new NoAnswerError('The network did not answer in time.', {
          status: 504,
          code: 'network_timeout',
          mayHaveArrived: true,
          cause: error,
        });
      }
      throw new NoAnswerError('The network could not be reached.', {
        status: 502,
        code: 'network_unreachable',
        mayHaveArrived: !sentNothing(error),
        cause: error,
      });
    } finally {
      clearTimeout(timer);
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

function hasResults(json: unknown): boolean {
  return typeof json === 'object' && json !== null && Object.hasOwn(json, 'results');
}

function readRetryAfter(value: string | null): string | undefined {
  if (value === null) return undefined;
  return /^\d{1,9}$/.test(value) || (value.length < 40 && /^[A-Za-z]{3}, [\w: ]+ GMT$/.test(value)) ? value : undefined;
}
