import type { TimeGrain } from '../../wire/reporting.ts';
import type { Parameter } from '../database/database.ts';
import type { Condition } from './matchingFacts.ts';
import { columnsOf, metricSql } from './metricSql.ts';
import type { ReportRequest } from './parseReportRequest.ts';
import type { Grouping, Variant } from './variant.ts';

/** One row of the result: the totals, repeated on each row, and a row of the page unless the page is empty. */
export interface StatementRow {
  readonly total_rows: number;
  /** Facts that were read. */
  readonly source_rows: number;
  /** Start of the row's unclipped period in seconds since the epoch; null if the page is empty. */
  readonly period: number | null;
  readonly [column: string]: unknown;
}

/** The prefix of the summary's columns in the result. */
export const SUMMARY_PREFIX = 'all_';

const PERIOD_COLUMN: Readonly<Record<Exclude<TimeGrain, 'total'>, string>> = {
  day: 'day',
  week: 'week_start',
  month: 'month_start',
  hour: 'hour',
};

/** The table that a grain is read from. Ranges are whole days, so only hourly reports need the hourly facts. */
function factsBy(grain: TimeGrain): 'hourly_facts' | 'daily_facts' {
  return grain === 'hour' ? 'hourly_facts' : 'daily_facts';
}

/** The columns that groupings add to each row, in order (docs/rules.md#r22). */
export function groupingColumns(groupBy: readonly Grouping[]): readonly string[] {
  return groupBy.flatMap((grouping) => (grouping === 'publisher' ? ['publisher_id', 'publisher_name'] : [grouping]));
}

/**
 * Selects the page, the number of all rows and their summary in one statement, so that the three agree while events arrive.
 * Facts are summed up into cells, one per period and combination. Cells are sorted by their rounded values; only the
 * page's are returned.
 */
export function reportStatement(
  facts: Condition,
  query: ReportRequest,
  variant: Variant,
): { sql: string; params: readonly Parameter[] } {
  const { metrics, grain, groupBy } = query;
  const sums = [...new Set(metrics.flatMap((metric) => columnsOf(metric, variant)))];
  const keys = [...(grain === 'total' ? [] : [PERIOD_COLUMN[grain]]), ...groupBy.map(factColumn)];
  const cells = [
    `${grain === 'total' ? '0' : `extract(epoch FROM ${PERIOD_COLUMN[grain]})`}::bigint AS period`,
    ...groupBy.map((grouping) =>
      grouping === 'publisher' ? 'publisher_id' : `nullif(${grouping}, '') AS ${grouping}`,
    ),
    ...sums.map((column) => `sum(${column}) AS ${column}`),
    'count(*) AS fact_count',
  ];
  const totals = ['count(*) AS total_rows', 'coalesce(sum(fact_count), 0)::bigint AS source_rows'];
  const columns = ['period', ...groupingColumns(groupBy)];
  const named = columns.map((name) => (name === 'publisher_name' ? 'brand_name AS publisher_name' : name));
  const join = groupBy.includes('publisher') ? 'LEFT JOIN publishers ON publisher_remote_id = publisher_id' : '';
  const shown = metrics.map((metric) => `${metricSql(metric, variant)} AS ${metric}`);
  const summary = metrics.map((metric) => `${metricSql(metric, variant)} AS ${SUMMARY_PREFIX}${metric}`);
  const sql = `
WITH cells AS MATERIALIZED (
  SELECT ${cells.join(', ')} FROM ${factsBy(grain)} WHERE ${facts.sql}
  ${keys.length > 0 ? `GROUP BY ${keys.join(', ')}` : ''} HAVING count(*) > 0
), named AS (
  SELECT ${[...named, ...sums].join(', ')} FROM cells ${join}
), page AS (
  SELECT *, row_number() OVER (ORDER BY ${sortSql(query, variant)}) AS position FROM named
  ORDER BY position LIMIT $${facts.params.length + 1} OFFSET $${facts.params.length + 2}
), shown AS (
  SELECT ${[...columns, 'position', ...shown].join(', ')} FROM page
), totals AS (
  SELECT ${[...totals, ...sums.map((column) => `coalesce(sum(${column}), 0) AS ${column}`)].join(', ')} FROM cells
), summary AS (
  SELECT ${['total_rows', 'source_rows', ...summary].join(', ')} FROM totals
)
SELECT * FROM summary LEFT JOIN shown ON true ORDER BY position`;
  return { sql, params: [...facts.params, query.limit, query.offset] };
}

/** A total order (docs/rules.md#r33): the requested column, the period, the groupings, the publisher's id. */
function sortSql({ sortBy, sortDirection, sortOrder, groupBy, metrics }: ReportRequest, variant: Variant): string {
  const metric = metrics.find((name) => name === sortBy);
  const column = metric === undefined ? collated(sortBy) : metricSql(metric, variant);
  const first =
    sortBy === 'period_start'
      ? `period ${sortDirection}`
      : `${column} ${sortDirection} NULLS LAST, period ${sortOrder}`;
  const groupings = groupBy.map(
    (grouping) => `${collated(grouping === 'publisher' ? 'publisher_name' : grouping)} ASC NULLS LAST`,
  );
  return [first, ...groupings, ...(groupBy.includes('publisher') ? ['publisher_id'] : [])].join(', ');
}

/** Text is sorted by code point, as on every other database. */
function collated(column: string): string {
  return ['publisher_name', 'page_type', 'widget_type', 'widget_id'].includes(column)
    ? `${column} COLLATE "C"`
    : column;
}

function factColumn(grouping: Grouping): string {
  return grouping === 'publisher' ? 'publisher_id' : grouping;
}
