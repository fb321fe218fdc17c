import { createAttempt, type AttemptOptions } from './attemptCall.ts';
import { createBreaker } from './breaker.ts';
import type { Log } from '../log.ts';
import { explain } from '../log.ts';
import { NoAnswerError, type CallNetwork, type NetworkAnswer, type NetworkCall } from './networkCall.ts';

export interface UpstreamOptions extends AttemptOptions {
  readonly log: Log;
}

/** One path of the network, guarded by a timeout, one retry and a circuit breaker. */
export interface Upstream {
  /** Throws a `NoAnswerError`. */
  readonly call: CallNetwork;
  /** It failed so often that it is left alone for now. */
  isOpen(): boolean;
}

/** One path of the network. */
export function createUpstream(options: UpstreamOptions): Upstream {
  const { measure, log } = options;
  const attempt = createAttempt(options);
  const breaker = createBreaker(options.now);

  function noteFailure({ requestId, sender }: NetworkCall): void {
    if (!breaker.fail(sender)) return;
    measure({ name: 'breaker_opened', value: 1 });
    log({
      level: 'error',
      message: 'The network keeps failing: it is left alone for 10 seconds.',
      request_id: requestId,
    });
  }

  async function call(request: NetworkCall): Promise<NetworkAnswer> {
    const waitMs = breaker.enter(request.sender);
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
      if (answer.status >= 500 && !hasResults(answer.json)) noteFailure(request);
      else breaker.succeed(request.sender);
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
      noteFailure(request);
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
