import type { ReportErrorCode } from '../../wire/reporting.ts';
import type { DateRange } from './clippedPeriod.ts';
import type { Metric } from './variant.ts';

/** The body of a refusal that has a code. Its status is always 400 (R52). */
export interface CodedError {
  readonly code: ReportErrorCode;
  readonly [field: string]: unknown;
}

/** A documented metric is disabled for this caller (R13). */
export function metricNotAvailable(unsupported: readonly Metric[], allowed: readonly Metric[]): CodedError {
  return { code: 'METRIC_NOT_AVAILABLE', unsupported_metrics: unsupported, allowed_metrics: allowed };
}

/** The range begins before the history (R48). */
export function outsideWindow(asked: DateRange, available: DateRange): CodedError {
  return {
    code: 'DATE_RANGE_OUTSIDE_AVAILABLE_WINDOW',
    message: `from is ${asked.from}, but this history begins on ${available.from}.`,
    available_window: { from: available.from, to: available.to },
  };
}

/** This caller has had no activity, ever (R51). */
export function noDataYet(owner: 'channel' | 'publisher'): CodedError {
  return { code: 'REPORTING_DATA_UNAVAILABLE', message: `There is no reporting data for this ${owner} yet.` };
}

/** Too many rows before paging (R49). */
export function tooManyRows(max: number, total: number): CodedError {
  return {
    code: 'REPORT_ROW_LIMIT_EXCEEDED',
    message: `The report has ${total} rows, and at most ${max} are allowed: shorten the range, filter, or use fewer breakdowns.`,
    max_rows: max,
    total_rows: total,
  };
}

/** Too much history to read (R50). */
export function tooManySourceRows(max: number, total: number): CodedError {
  return {
    code: 'REPORTING_SOURCE_ROW_LIMIT_EXCEEDED',
    message: `The report reads ${total} source rows, and at most ${max} are allowed: shorten the range or filter.`,
    max_rows: max,
    total_rows: total,
  };
}
