import { readError } from '../../wire/errors.ts';
import { own } from '../../wire/json.ts';
import { oneOf } from '../../wire/oneOf.ts';
import { REPORT_ERROR_CODES } from '../../wire/reporting.ts';
import {
  AuthError,
  ConflictError,
  DateRangeError,
  MetricNotAvailableError,
  NetworkError,
  NotFoundError,
  RateLimitError,
  ReportingUnavailableError,
  RowLimitError,
  ValidationError,
} from './errors.ts';

/** A response that is not a success. */
export interface FailedResponse {
  /** Method and path, for the message. */
  readonly call: string;
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body; undefined when it is not JSON. */
  readonly body: unknown;
}

/** Returns the error for a failed response: by its code where it has one (every coded error is a 400), else by its status. */
export function errorFrom({ call, status, headers, body }: FailedResponse): NetworkError {
  const { message: reason, code, fields, details = {} } = readError(status, body);
  const message = `${call} returned ${status}: ${reason}`;
  const failure = { status, code, requestId: headers.get('x-request-id') ?? undefined };
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
      return new NetworkError(message, failure);
  }
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
