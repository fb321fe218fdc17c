import type { Attempt } from './attempt.ts';
import { secondsOf } from './errorFrom.ts';

/** Milliseconds before the first retry; doubled for each further one. */
const FIRST_DELAY_MS = 500;
/** Maximum milliseconds between two attempts without a `Retry-After`. */
const MAX_DELAY_MS = 8_000;
/** Maximum milliseconds that a `Retry-After` may ask for: a caller waits a minute, not an hour. */
const MAX_RETRY_AFTER_MS = 60_000;

/** The attempt that decides about the next one. */
export interface RetryOptions {
  readonly method: string;
  readonly result: Attempt;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  readonly random?: (() => number) | undefined;
}

/**
 * Returns the milliseconds until a call may be repeated, or undefined when it must not be: it succeeded, failed for good,
 * or is a POST that may have taken effect.
 */
export function retryDelay({ method, result, attempt, random = Math.random }: RetryOptions): number | undefined {
  // Half of the delay is random, so that clients which failed together do not come back together.
  const backoff = Math.round(Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1)) * (0.5 + random() / 2));
  const isRepeatable = method !== 'POST';
  if (result.kind === 'failure') {
    return result.isTransient && (isRepeatable || !result.wasSent) ? backoff : undefined;
  }
  const { status, headers } = result;
  const seconds = status === 429 || status === 503 ? secondsOf(headers.get('retry-after')) : undefined;
  if (seconds) return Math.min(MAX_RETRY_AFTER_MS, seconds * 1_000);
  // A time that has passed: the network is ready, but perhaps not for all of its callers at once.
  if (seconds === 0) return backoff;
  if (status === 429) return backoff;
  return status >= 500 && isRepeatable ? backoff : undefined;
}
