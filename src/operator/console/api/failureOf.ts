import {
  AuthError,
  ConflictError,
  DateRangeError,
  MetricNotAvailableError,
  NetworkError,
  NotFoundError,
  RateLimitError,
  ReportChangedError,
  ReportingUnavailableError,
  RowLimitError,
  UnreachableError,
  ValidationError,
} from '../../clients/errors.ts';
import type { Failure, FailureCode } from '../protocol.ts';

/** Returns the status and the body for a failed call. Errors of the clients never contain the key. */
export function failureOf(error: unknown): { readonly status: number; readonly failure: Failure } {
  const status = error instanceof NetworkError && error.status >= 400 ? error.status : 502;
  if (!(error instanceof Error)) return { status, failure: { code: 'failed', message: 'The call failed.' } };
  // The clients refuse impossible parameters before they send anything.
  if (error instanceof TypeError) return { status: 400, failure: { code: 'invalid', message: error.message } };
  const failure: Failure = {
    code: codeOf(error),
    message: error instanceof NetworkError ? error.message : 'The call failed.',
    ...(error instanceof NetworkError && error.requestId !== undefined ? { request_id: error.requestId } : {}),
    ...(error instanceof RateLimitError ? { retry_after: error.retryAfter ?? 5 } : {}),
    ...(error instanceof DateRangeError ? { window: error.available_window } : {}),
    ...(error instanceof MetricNotAvailableError ? { unsupported_metrics: error.unsupported_metrics } : {}),
    ...(error instanceof ValidationError ? { fields: error.fields } : {}),
  };
  return { status, failure };
}

function codeOf(error: Error): FailureCode {
  if (error instanceof AuthError) return 'key_refused';
  if (error instanceof RateLimitError) return 'rate_limited';
  if (error instanceof RowLimitError) return 'too_large';
  if (error instanceof DateRangeError) return 'outside_history';
  if (error instanceof MetricNotAvailableError) return 'metric_not_available';
  if (error instanceof ReportingUnavailableError) return 'no_data';
  if (error instanceof ReportChangedError || error instanceof ConflictError) return 'changed';
  if (error instanceof UnreachableError) return 'unreachable';
  if (error instanceof NotFoundError) return 'not_found';
  if (error instanceof ValidationError) return 'invalid';
  // A gateway responds for a network that is down.
  return error instanceof NetworkError && error.status >= 502 && error.status <= 504 ? 'unreachable' : 'failed';
}
