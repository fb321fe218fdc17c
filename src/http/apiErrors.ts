import { readError } from '../wire/errors.ts';
import type { Problem } from '../wire/json.ts';

/** What kind of error it is: one per thing that a caller can do differently. */
export type ErrorKind =
  | 'key_refused'
  | 'rate_limited'
  | 'too_large'
  | 'outside_history'
  | 'metric_not_available'
  | 'no_data'
  /** The report changed while it was read. */
  | 'changed'
  /** Somebody else changed it, or it is there already. */
  | 'conflict'
  | 'unreachable'
  | 'not_found'
  | 'invalid'
  | 'failed';

/** What every error of the clients knows about the call that failed. */
export interface FailedCall {
  /** The status of the response; 0 when there was none. */
  readonly status: number;
  readonly code?: string | undefined;
  readonly requestId?: string | undefined;
  /** What the network said. */
  readonly reason?: string | undefined;
  readonly cause?: unknown;
}

/** A call to the network that failed. The message names method and path, never the key. */
export class ApiError extends Error {
  override readonly name: string = 'ApiError';
  /** What a caller can do about it depends on this. */
  readonly kind: ErrorKind;
  /** The status of the response; 0 when there was none. */
  readonly status: number;
  /** The network's own code, such as `METRIC_NOT_AVAILABLE`. */
  readonly code: string | undefined;
  /** The id of the request, for the network's support. */
  readonly requestId: string | undefined;
  /** What the network said, without method and path. */
  readonly reason: string | undefined;

  constructor(message: string, call: FailedCall) {
    super(message, call.cause === undefined ? undefined : { cause: call.cause });
    this.status = call.status;
    this.code = call.code;
    this.requestId = call.requestId;
    this.reason = call.reason;
    // A gateway responds for a network that is down.
    this.kind = call.status >= 502 && call.status <= 504 ? 'unreachable' : 'failed';
  }
}

/** The key is unknown, revoked, expired, for another environment, or not allowed to do this. */
export class AuthError extends ApiError {
  override readonly name = 'AuthError';
  override readonly kind = 'key_refused';
}

/** The owner of the key has nothing with that id. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError';
  override readonly kind = 'not_found';
}

/** The call conflicts with existing data, such as a request for the same brand and domain. */
export class ConflictError extends ApiError {
  override readonly name = 'ConflictError';
  override readonly kind = 'conflict';
}

/** The network refused the request; `fields` says what to correct. */
export class ValidationError extends ApiError {
  override readonly name = 'ValidationError';
  override readonly kind = 'invalid';
  readonly fields: readonly Problem[];

  constructor(message: string, call: FailedCall & { readonly fields: readonly Problem[] }) {
    super(message, call);
    this.fields = call.fields;
  }
}

/** Too many calls. Wait, then call again. */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError';
  override readonly kind = 'rate_limited';
  /** Seconds to wait, when the network says so. */
  readonly retryAfter: number | undefined;

  constructor(message: string, call: FailedCall & { readonly retryAfter: number | undefined }) {
    super(message, call);
    this.retryAfter = call.retryAfter;
  }
}

/** There was no response: unreachable, refused, too slow, or redirected. The call may have taken effect. */
export class UnreachableError extends ApiError {
  override readonly name = 'UnreachableError';
  override readonly kind = 'unreachable';
  /** What happened; `refused` means that nothing listens there. */
  declare readonly code: 'timeout' | 'refused' | 'redirect' | 'too_large' | 'no_response' | undefined;
}

/** A response that is not a success. */
export interface FailedResponse {
  /** Method and path, for the message. */
  readonly call: string;
  readonly status: number;
  readonly headers: Headers;
  readonly requestId: string | undefined;
  /** The parsed body; undefined when it is not JSON. */
  readonly body: unknown;
}

/** Returns the error for a failed response, by its status. */
export function errorFrom({ call, status, headers, requestId, body }: FailedResponse): ApiError {
  const { message: reason, code, fields } = readError(status, body);
  const message = `${call} returned ${status}: ${reason}`;
  const failure = { status, code, requestId, reason };
  switch (status) {
    case 400:
    case 422:
      return new ValidationError(message, { ...failure, fields });
    case 401:
    case 403:
      return new AuthError(message, failure);
    case 404:
      return new NotFoundError(message, failure);
    case 409:
      return new ConflictError(message, failure);
    case 429:
      return new RateLimitError(message, { ...failure, retryAfter: retryAfterSeconds(headers.get('retry-after')) });
    default:
      return new ApiError(message, failure);
  }
}

/** Returns the seconds of a Retry-After header, which is a number of seconds or a date. */
export function retryAfterSeconds(text: string | null): number | undefined {
  if (text === null || text.trim() === '') return undefined;
  const seconds = /^\d+$/.test(text.trim()) ? Number(text) : Math.ceil((Date.parse(text) - Date.now()) / 1000);
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}
