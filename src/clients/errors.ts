import type { JsonObject, Problem } from '../wire/json.ts';

/** What every error of the clients can say about the call that failed. */
export interface FailedCall {
  /** The status of the answer; 0 where there was none. */
  readonly status: number;
  readonly code?: string | undefined;
  readonly requestId?: string | undefined;
  readonly cause?: unknown;
}

/** A call to the network that did not succeed. Its message names method and path, never the key. */
export class NetworkError extends Error {
  override readonly name: string = 'NetworkError';
  /** The status of the answer; 0 where there was none. */
  readonly status: number;
  /** The network's own code, such as `METRIC_NOT_AVAILABLE`. */
  readonly code: string | undefined;
  /** What the network's staff ask for first. */
  readonly requestId: string | undefined;

  constructor(message: string, call: FailedCall) {
    super(message, call.cause === undefined ? undefined : { cause: call.cause });
    this.status = call.status;
    this.code = call.code;
    this.requestId = call.requestId;
  }
}

/** The key is missing, unknown, expired, of another environment, or may not do this: use another key. */
export class AuthError extends NetworkError {
  override readonly name = 'AuthError';
}

/** Nothing is there under that id for the owner of the key. */
export class NotFoundError extends NetworkError {
  override readonly name = 'NotFoundError';
}

/** It clashes with what is there already, such as a request for the same brand and domain. */
export class ConflictError extends NetworkError {
  override readonly name = 'ConflictError';
}

/** The network refused what was sent: `fields` says what to mend. */
export class ValidationError extends NetworkError {
  override readonly name = 'ValidationError';
  readonly fields: readonly Problem[];

  constructor(message: string, call: FailedCall & { readonly fields: readonly Problem[] }) {
    super(message, call);
    this.fields = call.fields;
  }
}

/** Too many calls: wait and call again. */
export class RateLimitError extends NetworkError {
  override readonly name = 'RateLimitError';
  /** Seconds to wait, where the network said so. */
  readonly retryAfter: number | undefined;

  constructor(message: string, call: FailedCall & { readonly retryAfter: number | undefined }) {
    super(message, call);
    this.retryAfter = call.retryAfter;
  }
}

/** A metric that exists is not enabled for the owner of the key: ask for `allowed_metrics` only. */
export class MetricNotAvailableError extends NetworkError {
  override readonly name = 'MetricNotAvailableError';
  readonly unsupported_metrics: readonly string[];
  readonly allowed_metrics: readonly string[];

  constructor(message: string, call: FailedCall & { readonly details: JsonObject }) {
    super(message, call);
    this.unsupported_metrics = textsOf(call.details['unsupported_metrics']);
    this.allowed_metrics = textsOf(call.details['allowed_metrics']);
  }
}

/** The dates lie outside the history: ask within `available_window`. */
export class DateRangeError extends NetworkError {
  override readonly name = 'DateRangeError';
  /** Inclusive UTC dates, where the network said so. */
  readonly available_window: { readonly from: string; readonly to: string } | undefined;

  constructor(message: string, call: FailedCall & { readonly available_window: DateRangeError['available_window'] }) {
    super(message, call);
    this.available_window = call.available_window;
  }
}

/** The report is too large: fewer dates or fewer breakdowns. `code` tells rows of the report from rows of its source. */
export class RowLimitError extends NetworkError {
  override readonly name = 'RowLimitError';
  readonly max_rows: number | undefined;
  readonly total_rows: number | undefined;

  constructor(message: string, call: FailedCall & { readonly details: JsonObject }) {
    super(message, call);
    this.max_rows = numberOf(call.details['max_rows']);
    this.total_rows = numberOf(call.details['total_rows']);
  }
}

/** The owner of the key has no reporting data yet: try again another day. */
export class ReportingUnavailableError extends NetworkError {
  override readonly name = 'ReportingUnavailableError';
}

/** The report changed while its pages were read, so that rows may be missing or doubled: start the walk again. */
export class ReportChangedError extends NetworkError {
  override readonly name = 'ReportChangedError';
}

/** No answer: not found, refused, too slow, or redirected elsewhere. Whether the call took effect is not known. */
export class UnreachableError extends NetworkError {
  override readonly name = 'UnreachableError';
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((text): text is string => typeof text === 'string') : [];
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
