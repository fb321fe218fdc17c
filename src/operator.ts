// offerlet-operator: clients of the Channel API and of the Reporting API V2, and the operators' console. For servers.

export type { AddOutcome } from './operator/publishers/addPublishers.ts';
export { ChannelClient, type AllPublishersQuery, type PublisherQuery } from './operator/clients/ChannelClient.ts';
export {
  AuthError,
  ConflictError,
  DateRangeError,
  MetricNotAvailableError,
  ApiError,
  NotFoundError,
  RateLimitError,
  ReportChangedError,
  ReportingUnavailableError,
  RowLimitError,
  UnreachableError,
  ValidationError,
} from './operator/clients/errors.ts';
export type { CallOptions, ClientOptions, RequestNotice, ResponseNotice } from './http/connect.ts';
export { period, PERIODS, type Compare, type PeriodName } from './operator/reports/period.ts';
export type {
  ChannelReportQuery,
  PublisherReportQuery,
  ReportQuery,
  ReportVariant,
  ComparedDates,
} from './operator/reports/reportQuery.ts';
export type { FailureKind } from './operator/failures.ts';
export {
  ReportingClient,
  type ReportingClientOptions,
  type ReportRows,
  type RowsOptions,
  type WalkOptions,
} from './operator/clients/ReportingClient.ts';
export type { ReadPeriods } from './operator/clients/walkParts.ts';
export type {
  Comparison,
  ComparedRowOf,
  MetricChange,
  MetricsOf,
  ReportOf,
  RowOf,
} from './operator/reports/reportQuery.ts';
export { toCsv, type CsvOptions } from './text/toCsv.ts';
export type { DateRange } from './wire/utcDates.ts';
export type {
  AddResult,
  Category,
  ChannelDetails,
  CreateRequest,
  Publisher,
  PublisherDetail,
  PublisherItem,
  PublisherList,
  PublisherStatus,
  Subcategory,
} from './wire/channel.ts';
export type { Problem } from './wire/json.ts';
export type { CsvColumn, Report, ReportRow } from './wire/reporting.ts';

export type { ConsoleOptions } from './operator/console/consoleOptions.ts';
export { createOperatorConsole, type ConsoleVisitor } from './operator/console/createOperatorConsole.ts';
