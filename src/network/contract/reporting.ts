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
import { operation, query } from './operation.ts';
import {
  about,
  BOOLEAN,
  DATETIME,
  INTEGER,
  list,
  map,
  NUMBER,
  object,
  oneOfTexts,
  orNull,
  ref,
  TEXT,
} from './schema.ts';
import type { Part, Schema } from './schema.ts';

const DATE: Schema = { type: 'string', format: 'date' };

function coded(
  code: string,
  rest: Readonly<Record<string, Schema>>,
  optional: Readonly<Record<string, Schema>> = {},
): Schema {
  return object({ code: { const: code }, ...rest }, optional);
}

/** The shapes of reports and of their errors. */
export const REPORTING_SCHEMAS: Readonly<Record<string, Schema>> = {
  Report: object({
    data: list({
      type: 'object',
      required: ['period_start', 'period_end'],
      properties: { period_start: DATETIME, period_end: about(DATETIME, 'Exclusive.') },
      additionalProperties: { type: ['string', 'number', 'null'] },
      description: 'Then the grouping columns, then the metrics in the order asked for.',
    }),
    summary: about(map(NUMBER), 'The metrics over all matching rows, not just this page.'),
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

const both = (limit: number): readonly Part[] => [
  query('from', DATE, 'First UTC date, inclusive. Only together with `to`; without both, the latest 7 dates.'),
  query('to', DATE, 'Last UTC date, inclusive; not in the future.'),
  query(
    'time_grain',
    { ...oneOfTexts(TIME_GRAINS), default: 'total' },
    `Periods are UTC; weeks begin on Monday. At most ${HOURLY_MAX_DATES} dates by the hour.`,
  ),
  query('sort_order', { ...oneOfTexts(['desc', 'asc']), default: 'desc' }, 'desc: the latest period first.'),
  query('page_types', TEXT, `Comma-separated filter of at most ${FILTER_MAX_VALUES} values; may be repeated.`),
  query('widget_types', TEXT, `Comma-separated filter of at most ${FILTER_MAX_VALUES} values; may be repeated.`),
  query('offset', { ...INTEGER, default: 0 }, 'Add data.length while pagination.has_more is true.'),
  query('limit', { ...INTEGER, minimum: 1, maximum: limit, default: REPORT_LIMIT.default }, 'Rows on a page.'),
];

function lists(metrics: readonly string[], groupings: readonly string[]): readonly Part[] {
  return [
    query('metrics', TEXT, `Comma-separated, in the order of the columns: ${metrics.join(', ')}.`),
    query('group_by', TEXT, `Up to ${GROUP_BY_MAX} of ${groupings.join(', ')}, comma-separated.`),
  ];
}

const responses = {
  200: ['The report.', ref('Report')],
  400: [
    `A parameter is wrong, or an error with a code; never more than ${REPORT_MAX_ROWS} rows before paging.`,
    ref('ReportError'),
  ],
  401: ['The key is missing, invalid, public, expired, revoked or of the other environment.', ref('Detail')],
  405: ['Only GET.', ref('Detail')],
  500: ['Something went wrong inside.', ref('Detail')],
  503: ['The network cannot reach its data. Try again after Retry-After seconds.', ref('Detail')],
} as const;

/** Both reports. */
export const REPORTING_CONTRACT: Readonly<Record<string, Part>> = {
  [CHANNEL_REPORT_PATH]: {
    get: operation({
      tag: 'Reporting',
      summary: 'The channel’s report',
      description: 'All publishers of the channel that owns the secret management key. MODAL activity is left out.',
      parameters: [
        ...lists(CHANNEL_METRICS, CHANNEL_GROUPINGS),
        ...both(REPORT_LIMIT.channel),
        query('sort_by', TEXT, 'period_start, a selected metric or a selected grouping; publisher_name for publisher.'),
        query('sort_direction', oneOfTexts(['asc', 'desc']), 'sort_order unless given.'),
        query('publisher_ids', TEXT, `Comma-separated filter of at most ${FILTER_MAX_VALUES} ids; may be repeated.`),
      ],
      responses,
    }),
  },
  [`/api${PUBLISHER_REPORT_PATH}`]: {
    get: operation({
      tag: 'Reporting',
      summary: 'The publisher’s own report',
      description: 'The publisher that owns the secret reporting key. ORDER_TRACKING and MODAL activity is left out.',
      parameters: [...lists(PUBLISHER_METRICS, PUBLISHER_GROUPINGS), ...both(REPORT_LIMIT.publisher)],
      responses,
    }),
  },
};
