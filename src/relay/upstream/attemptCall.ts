import { parseJson } from '../../wire/json.ts';
import { JSON_MAX_DEPTH } from '../../wire/limits.ts';
import { containsKey } from './containsKey.ts';
import { isNestedDeeper } from '../limits/isNestedDeeper.ts';
import type { Measure } from '../metrics.ts';
import { NoAnswerError, type CallNetwork, type NetworkAnswer, type NetworkCall } from './networkCall.ts';
import { nodeTransport } from './nodeTransport.ts';
import { sentNothing } from './sentNothing.ts';
import { fetchTransport, LateError } from './fetchTransport.ts';

export interface AttemptOptions {
  readonly url: string;
  readonly apiKey: string;
  readonly version: string;
  readonly timeoutMs: number;
  readonly answerBytes: number;
  readonly fetch: typeof globalThis.fetch | undefined;
  readonly now: () => number;
  readonly measure: Measure;
}

/** Posts to one path of the network within one timeout, again when nothing was sent; its headers come from configuration alone. */
export function createAttempt(options: AttemptOptions): CallNetwork {
  const { url, apiKey, measure } = options;
  const transport = options.fetch
    ? fetchTransport(options.fetch)
    : (nodeTransport(url) ?? fetchTransport((...call) => globalThis.fetch(...call)));
  const fixedHeaders = {
    'content-type': 'application/json',
    accept: 'application/json',
    'x-api-key': apiKey,
    version: options.version,
  };

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
    return {
      status,
      text,
      json: isNestedDeeper(json, JSON_MAX_DEPTH) ? undefined : json,
      retryAfter: readRetryAfter(retryAfter),
      isReflecting: containsKey(text, apiKey) || containsKey(retryAfter ?? '', apiKey),
    };
  }

  return async (call) => {
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
  };
}

const HTTP_DATE =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/;

/** A Retry-After of nothing but seconds or a date. */
function readRetryAfter(value: string | null): string | undefined {
  return value !== null && (/^\d{1,9}$/.test(value) || HTTP_DATE.test(value)) ? value : undefined;
}
