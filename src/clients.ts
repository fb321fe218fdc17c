// offerlet/clients: typed clients of the Channel API and of the Reporting API V2, for servers.

export { ChannelClient, type PublisherQuery } from './clients/ChannelClient.ts';
export type { ClientOptions } from './clients/connect.ts';
export {
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
} from './clients/errors.ts';
export type { ChannelReportQuery, PublisherReportQuery, ReportQuery, ReportVariant } from './clients/reportQuery.ts';
export { ReportingClient, type ReportingClientOptions, type WalkOptions } from './clients/ReportingClient.ts';
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
export type { Report, ReportRow } from './wire/reporting.ts';
