import { REPORT_MAX_ROWS } from '../../wire/limits.ts';
import { CHANNEL_REPORT_PATH, PUBLISHER_REPORT_PATH, type Report } from '../../wire/reporting.ts';
import { CHANNEL_REPORT, PUBLISHER_REPORT, reportParameters } from '../reporting/parseReportRequest.ts';
import {
  endpoints,
  queryParameters,
  BOOLEAN,
  DATETIME,
  INTEGER,
  NUMBER,
  type Part,
  type Schema,
  type Schemas,
  TEXT,
  about,
  list,
  map,
  object,
  only,
  orNull,
  ref,
  refusals,
} from './operation.ts';

const DATE: Schema<string> = { type: 'string', format: 'date' };

/** A row of a report: its type says less than the order of its columns. */
const row: Schema<Report['data'][number]> = {
  type: 'object',
  required: ['period_start', 'period_end'],
  properties: { period_start: DATETIME, period_end: about(DATETIME, 'Exclusive.') },
  additionalProperties: { type: ['string', 'number', 'null'] },
  description: 'Then the grouping columns, then the metrics in the requested order.',
};
const UTC: Schema<string> = { const: 'UTC' };

function coded(
  code: string,
  rest: Readonly<Record<string, Part>>,
  optional: Readonly<Record<string, Part>> = {},
): Part {
  return object({ code: only(code), ...rest }, optional);
}

/** The schemas of reports and their errors. */
export const REPORTING_SCHEMAS = {
  Report: object({
    data: list(row),
    summary: about(map(NUMBER), 'The metrics over all matching rows, not only this page.'),
    pagination: object({ offset: INTEGER, limit: INTEGER, total: INTEGER, has_more: BOOLEAN }),
    meta: object({
      timezone: UTC,
      data_through: about(orNull(DATETIME), 'Start of the latest period with data.'),
      request_id: TEXT,
    }),
  }),
  ReportError: {
    anyOf: [
      ref('Fields'),
      coded(
        'METRIC_NOT_AVAILABLE',
        { unsupported_metrics: list(TEXT), allowed_metrics: list(TEXT) },
        { message: TEXT },
      ),
      coded(
        'DATE_RANGE_OUTSIDE_AVAILABLE_WINDOW',
        { message: TEXT },
        { available_window: object({ from: DATE, to: DATE }) },
      ),
      coded('REPORT_ROW_LIMIT_EXCEEDED', { message: TEXT, max_rows: INTEGER, total_rows: INTEGER }),
      coded('REPORTING_SOURCE_ROW_LIMIT_EXCEEDED', { message: TEXT, max_rows: INTEGER, total_rows: INTEGER }),
      coded('REPORTING_DATA_UNAVAILABLE', { message: TEXT }),
    ],
  },
} satisfies Schemas;

const responses = {
  ...refusals(ref('Detail')),
  200: ['The report.', ref('Report')],
  400: [
    `Messages by parameter, or an error with a code. A report has at most ${REPORT_MAX_ROWS} rows before paging.`,
    ref('ReportError'),
  ],
  401: ['The key is missing, invalid, publishable, expired, revoked or of another environment.', ref('Detail')],
  405: ['Only GET.', ref('Detail')],
} as const;

/** Both reports. */
export const REPORTING_CONTRACT = endpoints('Reporting', {
  [CHANNEL_REPORT_PATH]: {
    get: {
      summary: 'The channel’s report',
      description: 'All publishers of the channel that owns the secret management key. MODAL activity is not included.',
      parameters: queryParameters(reportParameters(CHANNEL_REPORT)),
      responses,
    },
  },
  [`/api${PUBLISHER_REPORT_PATH}`]: {
    get: {
      summary: 'The publisher’s own report',
      description:
        'The publisher that owns the secret reporting key. ORDER_TRACKING and MODAL activity is not included.',
      parameters: queryParameters(reportParameters(PUBLISHER_REPORT)),
      responses,
    },
  },
});
