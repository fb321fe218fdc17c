import { readError } from '../../wire/errors.ts';
import { type JsonObject, type Problem, own, oneOf } from '../../wire/json.ts';
import { REPORT_ERROR_CODES } from '../../wire/reporting.ts';
import type { Failure, FailureKind } from '../failures.ts';

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
  readonly kind: FailureKind;
  /** The status of the response; 0 when there was none. */
  readonly status: number;
  /** The network's own code, such as `METRIC_NOT_AVAILABLE`. */
  readonly code: string | undefined;
  /** The id of the request, for the network's support. */
  readonly requestId: string | undefined;
  /** What the network said, without method and path. */
  readonly reason: string | undefined;

  constructor(message: string, call: FailedCall, kind?: FailureKind) {
    super(message, call.cause === undefined ? undefined : { cause: call.cause });
    this.status = call.status;
    this.code = call.code;
    this.requestId = call.requestId;
    this.reason = call.reason;
    // A gateway responds for a network that is down.
    this.kind = kind ?? (call.status >= 502 && call.status <= 504 ? 'unreachable' : 'failed');
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

/** A metric exists but is not enabled for the owner of the key. Request only `allowed_metrics`. */
export class MetricNotAvailableError extends ApiError {
  override readonly name = 'MetricNotAvailableError';
  override readonly kind = 'metric_not_available';
  readonly unsupported_metrics: readonly string[];
  readonly allowed_metrics: readonly string[];

  constructor(message: string, call: FailedCall & { readonly details: JsonObject }) {
    super(message, call);
    this.unsupported_metrics = textsOf(call.details['unsupported_metrics']);
    this.allowed_metrics = textsOf(call.details['allowed_metrics']);
  }
}

/** The dates are outside the available history. Request dates within `available_window`. */
export class DateRangeError extends ApiError {
  override readonly name = 'DateRangeError';
  override readonly kind = 'outside_history';
  /** UTC dates, both included, when the network says so. */
  readonly available_window: { readonly from: string; readonly to: string } | undefined;

  constructor(message: string, call: FailedCall & { readonly available_window: DateRangeError['available_window'] }) {
    super(message, call);
    this.available_window = call.available_window;
  }
}

/** The report is too large. Request fewer dates or fewer breakdowns. `code` says whether the report or its source is too large. */
export class RowLimitError extends ApiError {
  override readonly name = 'RowLimitError';
  override readonly kind = 'too_large';
  readonly max_rows: number | undefined;
  readonly total_rows: number | undefined;

  constructor(message: string, call: FailedCall & { readonly details: JsonObject }) {
    super(message, call);
    this.max_rows = numberOf(call.details['max_rows']);
    this.total_rows = numberOf(call.details['total_rows']);
  }
}

/** The owner of the key has no reporting data yet. */
export class ReportingUnavailableError extends ApiError {
  override readonly name = 'ReportingUnavailableError';
  override readonly kind = 'no_data';
}

/** The report changed while its pages were read, so rows may be missing or duplicated. Start again. */
export class ReportChangedError extends ApiError {
  override readonly name = 'ReportChangedError';
  override readonly kind = 'changed';
}

/** There was no response: unreachable, refused, too slow, or redirected. The call may have taken effect. */
export class UnreachableError extends ApiError {
  override readonly name = 'UnreachableError';
  override readonly kind = 'unreachable';
  /** What happened; `refused` means that nothing listens there. */
  declare readonly code: 'timeout' | 'refused' | 'redirect' | 'too_large' | 'no_response' | undefined;
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((text): text is string => typeof text === 'string') : [];
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
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

/** Returns the error for a failed response: by its code where it has one (every coded error is a 400), else by its status. */
export function errorFrom({ call, status, headers, requestId, body }: FailedResponse): ApiError {
  const { message: reason, code, fields, details = {} } = readError(status, body);
  const message = `${call} returned ${status}: ${reason}`;
  const failure = { status, code, requestId, reason };
  switch (oneOf(REPORT_ERROR_CODES, code)) {
    case 'METRIC_NOT_AVAILABLE':
      return new MetricNotAvailableError(message, { ...failure, details });
    case 'DATE_RANGE_OUTSIDE_AVAILABLE_WINDOW':
      return new DateRangeError(message, { ...failure, available_window: windowOf(details['available_window']) });
    case 'REPORT_ROW_LIMIT_EXCEEDED':
    case 'REPORTING_SOURCE_ROW_LIMIT_EXCEEDED':
      return new RowLimitError(message, { ...failure, details });
    case 'REPORTING_DATA_UNAVAILABLE':
      return new ReportingUnavailableError(message, failure);
    case undefined:
      break;
  }
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
      return new RateLimitError(message, { ...failure, retryAfter: secondsOf(headers.get('retry-after')) });
    default:
      return new ApiError(message, failure);
  }
}

/** Returns an error as data, for a page or a message. */
export function failureOf(error: ApiError): Failure {
  return {
    kind: error.kind,
    message: error.message,
    reason: error instanceof UnreachableError ? whyUnreachable(error) : error.reason,
    status: error.status,
    request_id: error.requestId,
    ...(error instanceof RateLimitError && { retry_after: error.retryAfter }),
    ...(error instanceof DateRangeError && { window: error.available_window }),
    ...(error instanceof MetricNotAvailableError && {
      unsupported_metrics: error.unsupported_metrics,
      allowed_metrics: error.allowed_metrics,
    }),
    ...(error instanceof RowLimitError && {
      rows: {
        total: error.total_rows,
        max: error.max_rows,
        isSource: error.code === 'REPORTING_SOURCE_ROW_LIMIT_EXCEEDED',
      },
    }),
    ...(error instanceof ValidationError && { fields: error.fields }),
  };
}

const NO_RESPONSE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The network refuses connections: nothing listens there.',
  ENOTFOUND: 'The network was not found: its host name does not exist.',
  EAI_AGAIN: 'The network was not found: its name cannot be resolved now.',
  ECONNRESET: 'The network closed the connection.',
  UND_ERR_SOCKET: 'The network closed the connection.',
  UND_ERR_CONNECT_TIMEOUT: 'The network did not accept the connection in time.',
  CERT_HAS_EXPIRED: 'The certificate of the network has expired.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate of the network cannot be verified.',
};

function whyUnreachable(error: UnreachableError): string {
  if (error.code === 'redirect')
    return 'The network redirected the request; redirects are not followed, because they would receive the key.';
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const reason = NO_RESPONSE[(cause as NodeJS.ErrnoException).code ?? ''];
    if (reason !== undefined) return reason;
  }
  return error.message;
}

function windowOf(value: unknown): { from: string; to: string } | undefined {
  const from = own(value, 'from');
  const to = own(value, 'to');
  return typeof from === 'string' && typeof to === 'string' ? { from, to } : undefined;
}

/** Returns the seconds of a Retry-After header, which is a number of seconds or a date. */
export function secondsOf(text: string | null): number | undefined {
  if (text === null || text.trim() === '') return undefined;
  const seconds = /^\d+$/.test(text.trim()) ? Number(text) : Math.ceil((Date.parse(text) - Date.now()) / 1000);
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}
