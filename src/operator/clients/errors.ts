import {
  ApiError,
  errorFrom as errorByStatus,
  RateLimitError,
  UnreachableError,
  ValidationError,
  type FailedCall,
  type FailedResponse,
} from '../../http/apiErrors.ts';
import { sentNothing } from '../../http/causes.ts';
import type { ClientKind } from '../../http/connect.ts';
import { readError } from '../../wire/errors.ts';
import { type JsonObject, own, oneOf } from '../../wire/json.ts';
import { refuseBrowser } from '../../wire/keys.ts';
import { REPORT_ERROR_CODES } from '../../wire/reporting.ts';
import type { Failure } from '../failures.ts';

export {
  ApiError,
  AuthError,
  ConflictError,
  NotFoundError,
  RateLimitError,
  UnreachableError,
  ValidationError,
} from '../../http/apiErrors.ts';

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

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((text): text is string => typeof text === 'string') : [];
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** Returns the error for a failed response: by its code where it has one (every coded error is a 400), else by its status. */
function errorFrom(failed: FailedResponse): ApiError {
  const { call, status, requestId, body } = failed;
  const { message: reason, code, details = {} } = readError(status, body);
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
      return errorByStatus(failed);
  }
}

/** The clients of this package. */
export const OPERATOR: ClientKind = {
  entry: 'offerlet-operator',
  example: 'https://channel.example',
  // A page of a report has a hundredth of this.
  maxBytes: 64 * 1024 * 1024,
  errorFrom,
};
refuseBrowser(OPERATOR.entry);

/** Returns an error as data, for a page or a message. */
export function failureOf(error: ApiError): Failure {
  return {
    kind: error.kind,
    message: error.message,
    reason: error.reason,
    status: error.status,
    request_id: error.requestId,
    ...(error instanceof UnreachableError && { reason: whyUnreachable(error), sent_nothing: sentNothing(error) }),
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

/** The system's own message, unless this client ended the call. */
function whyUnreachable({ code, message, cause }: UnreachableError): string {
  const isOurs = code !== 'refused' && code !== 'no_response';
  return isOurs || !(cause instanceof Error) ? message : `The network does not respond: ${cause.message}.`;
}

function windowOf(value: unknown): { from: string; to: string } | undefined {
  const from = own(value, 'from');
  const to = own(value, 'to');
  return typeof from === 'string' && typeof to === 'string' ? { from, to } : undefined;
}
