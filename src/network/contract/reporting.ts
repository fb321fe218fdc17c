import { FILTER_MAX_VALUES, GROUP_BY_MAX, HOURLY_MAX_DATES, REPORT_LIMIT, REPORT_MAX_ROWS } from '../../wire/limits.ts';
import {
  CHANNEL_GROUPINGS,
  CHANNEL_METRICS,
  CHANNEL_REPORT_PATH,
  PUBLISHER_GROUPINGS,
  PUBLISHER_METRICS,
  PUBLISHER_REPORT_PATH,
  TIME_GRAINS,
} from '../../wire/reporting.ts';
import {
  operation,
  queryParameter,
  BOOLEAN,
  DATETIME,
  INTEGER,
  NUMBER,
  type Part,
  type Schema,
  TEXT,
  about,
  list,
  map,
  object,
  oneOfTexts,
  orNull,
  ref,
  refusals,
} from './operation.ts';

const DATE: Schema = { type: 'string', format: 'date' };

function coded(
  code: string,
  rest: Readonly<Record<string, Schema>>,
  optional: Readonly<Record<string, Schema>> = {},
): Schema {
  return object({ code: { const: code }, ...rest }, optional);
}

/** The schemas of reports and their errors. */
export const REPORTING_SCHEMAS: Readonly<Record<string, Schema>> = {
  Report: object({
    data: list({
      type: 'object',
      required: ['period_start', 'period_end'],
      properties: { period_start: DATETIME, period_end: about(DATETIME, 'Exclusive.') },
      additionalProperties: { type: ['string', 'number', 'null'] },
      description: 'Then the grouping columns, then the metrics in the requested order.',
    }),
    summary: about(map(NUMBER), 'The metrics over all matching rows, not only this page.'),
    pagination: object({ offset: INTEGER, limit: INTEGER, total: INTEGER, has_more: BOOLEAN }),
    meta: object({
      timezone: { const: 'UTC' },
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
};

/** The parameters of both reports, in the order in which the network names them. */
const shared = (
  limit: number,
  { metrics, groupings }: { readonly metrics: readonly string[]; readonly groupings: readonly string[] },
): readonly Part[] => [
  queryParameter('from', DATE, 'First UTC date, inclusive. Only together with `to`; without both, the latest 7 dates.'),
  queryParameter('to', DATE, 'Last UTC date, inclusive; not in the future.'),
  queryParameter('metrics', TEXT, `Comma-separated, in the order of the columns: ${metrics.join(', ')}.`),
  queryParameter(
    'time_grain',
    { ...oneOfTexts(TIME_GRAINS), default: 'total' },
    `Periods are UTC; weeks start on Monday. An hourly report covers at most ${HOURLY_MAX_DATES} dates.`,
  ),
  queryParameter('group_by', TEXT, `Up to ${GROUP_BY_MAX} of ${groupings.join(', ')}, comma-separated.`),
  queryParameter('sort_order', { ...oneOfTexts(['desc', 'asc']), default: 'desc' }, 'desc: the latest period first.'),
  queryParameter('page_types', TEXT, filterOf('values')),
  queryParameter('widget_types', TEXT, filterOf('values')),
  queryParameter('offset', { ...INTEGER, default: 0 }, 'Add data.length while pagination.has_more is true.'),
  queryParameter('limit', { ...INTEGER, minimum: 1, maximum: limit, default: REPORT_LIMIT.default }, 'Rows per page.'),
];

function filterOf(what: string): string {
  return `Comma-separated filter of at most ${FILTER_MAX_VALUES} ${what}; may be repeated.`;
}

/** The parameters of each report. A request with any other is refused. */
export const REPORT_PARAMETERS: Readonly<Record<'channel' | 'publisher', readonly Part[]>> = {
  channel: [
    ...shared(REPORT_LIMIT.channel, { metrics: CHANNEL_METRICS, groupings: CHANNEL_GROUPINGS }),
    queryParameter(
      'sort_by',
      TEXT,
      'period_start, a selected metric or a selected grouping; publisher_name for publisher.',
    ),
    queryParameter('sort_direction', oneOfTexts(['asc', 'desc']), 'sort_order by default.'),
    queryParameter('publisher_ids', TEXT, filterOf('ids')),
  ],
  publisher: shared(REPORT_LIMIT.publisher, { metrics: PUBLISHER_METRICS, groupings: PUBLISHER_GROUPINGS }),
};

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
export const REPORTING_CONTRACT: Readonly<Record<string, Part>> = {
  [CHANNEL_REPORT_PATH]: {
    get: operation({
      tag: 'Reporting',
      summary: 'The channel’s report',
      description: 'All publishers of the channel that owns the secret management key. MODAL activity is not included.',
      parameters: REPORT_PARAMETERS.channel,
      responses,
    }),
  },
  [`/api${PUBLISHER_REPORT_PATH}`]: {
    get: operation({
      tag: 'Reporting',
      summary: 'The publisher’s own report',
      description:
        'The publisher that owns the secret reporting key. ORDER_TRACKING and MODAL activity is not included.',
      parameters: REPORT_PARAMETERS.publisher,
      responses,
    }),
  },
};
