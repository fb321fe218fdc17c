import { readError } from '../wire/errors.ts';
import { own } from '../wire/json.ts';
import { oneOf } from '../wire/oneOf.ts';
import { REPORT_ERROR_CODES } from '../wire/reporting.ts';
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

/** An answer that is no success, as far as it was read. */
export interface Refusal {
  /** Method and path, as the message names them. */
  readonly call: string;
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body, or undefined where it was no JSON. */
  readonly body: unknown;
}

/** The error that a refusal means: by its code where it has one (every coded error is a 400), else by its status. */
export function errorFrom({ call, status, headers, body }: Refusal): NetworkError {
  const { message: said, code, fields, details = {} } = readError(status, body);
  const message = `${call} was answered ${status}: ${said}`;
  const failed = { status, code, requestId: headers.get('x-request-id') ?? undefined };
  switch (oneOf(REPORT_ERROR_CODES, code)) {
    case 'METRIC_NOT_AVAILABLE':
      return new MetricNotAvailableError(message, { ...failed, details });
    case 'DATE_RANGE_OUTSIDE_AVAILABLE_WINDOW':
      return new DateRangeError(message, { ...failed, available_window: windowOf(details['available_window']) });
    case 'REPORT_ROW_LIMIT_EXCEEDED':
    case 'REPORTING_SOURCE_ROW_LIMIT_EXCEEDED':
      return new RowLimitError(message, { ...failed, details });
    case 'REPORTING_DATA_UNAVAILABLE':
      return new ReportingUnavailableError(message, failed);
    case undefined:
      break;
  }
  switch (status) {
    case 400:
    case 422:
      return new ValidationError(message, { ...failed, fields });
    case 401:
    case 403:
      return new AuthError(message, failed);
    case 404:
      return new NotFoundError(message, failed);
    case 409:
      return new ConflictError(message, failed);
    case 429:
      return new RateLimitError(message, { ...failed, retryAfter: secondsOf(headers.get('retry-after')) });
    default:
      return new NetworkError(message, failed);
  }
}

function windowOf(value: unknown): { from: string; to: string } | undefined {
  const from = own(value, 'from');
  const to = own(value, 'to');
  return typeof from === 'string' && typeof to === 'string' ? { from, to } : undefined;
}

/** Retry-After comes in seconds or as a date. */
function secondsOf(text: string | null): number | undefined {
  if (text === null || text.trim() === '') return undefined;
  const seconds = /^\d+$/.test(text.trim()) ? Number(text) : Math.ceil((Date.parse(text) - Date.now()) / 1000);
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}
