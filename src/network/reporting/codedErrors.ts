import type { ReportErrorCode } from '../../wire/reporting.ts';
import type { DateRange } from '../../wire/utcDates.ts';
import type { Metric } from './variant.ts';

/** The body of an error with a code. Its status is always 400. */
export interface CodedError {
  readonly code: ReportErrorCode;
  readonly [field: string]: unknown;
}

/** A documented metric is disabled for this caller (docs/rules.md#r13). */
export function metricNotAvailable(unsupported: readonly Metric[], allowed: readonly Metric[]): CodedError {
  return { code: 'METRIC_NOT_AVAILABLE', unsupported_metrics: unsupported, allowed_metrics: allowed };
}

/** The range starts before the history. */
export function outsideWindow(requested: DateRange, available: DateRange): CodedError {
  return {
    code: 'DATE_RANGE_OUTSIDE_AVAILABLE_WINDOW',
    message: `from is ${requested.from}, but the history starts on ${available.from}. Use a later date.`,
    available_window: { from: available.from, to: available.to },
  };
}

/** The owner of the key has never had any activity. */
export function noDataYet(owner: 'channel' | 'publisher'): CodedError {
  return { code: 'REPORTING_DATA_UNAVAILABLE', message: `There is no reporting data for this ${owner} yet.` };
}

/** The report has too many rows before paging. */
export function tooManyRows(max: number, total: number): CodedError {
  return {
    code: 'REPORT_ROW_LIMIT_EXCEEDED',
    message: `The report has ${total} rows; the maximum is ${max}. Use a shorter range, a filter or fewer breakdowns.`,
    max_rows: max,
    total_rows: total,
  };
}

/** The report would read too many facts. */
export function tooManySourceRows(max: number, total: number): CodedError {
  return {
    code: 'REPORTING_SOURCE_ROW_LIMIT_EXCEEDED',
    message: `The report reads ${total} source rows; the maximum is ${max}. Use a shorter range or a filter.`,
    max_rows: max,
    total_rows: total,
  };
}
