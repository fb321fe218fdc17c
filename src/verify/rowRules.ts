import { own } from '../wire/json.ts';
import { kindOf } from '../wire/reporting.ts';
import { DAY_MS } from '../wire/utcDates.ts';
import { expect, UntoldError } from './network.ts';
import {
  acceptsOf,
  COUNTS,
  expectSum,
  last,
  lastWeek,
  readReport,
  refusesOf,
  sum,
  type Query,
  type Variant,
} from './report.ts';
import { isRising, missing, NO_SLASH, reading, type Rule } from './rule.ts';

/** The rules of one report on its rows, pages and figures. */
export function rowRulesOf(variant: Variant): readonly Omit<Rule, 'of'>[] {
  const { path, key, limit, name } = variant;
  const [bad, good] = [refusesOf(variant), acceptsOf(variant)];
  const sumsTo = (id: string, says: string, queries: readonly Query[]): Omit<Rule, 'of'> =>
    reading(id, says, async (on) => {
      const total = await lastWeek(on, variant);
      for (const query of queries) {
        const parts = await readReport(on, variant, { ...last(7), metrics: COUNTS, limit: String(limit), ...query });
        if (parts.hasMore) throw new UntoldError('The parts do not fit on one page.');
        for (const metric of COUNTS.split(',')) expectSum(parts, metric, total.summary[metric]);
      }
    });
  const isRatio = (
    id: string,
    says: string,
    [metric, over, under]: readonly [string, string, string],
    more: Query = {},
  ) =>
    reading(id, says, async (on) => {
      const { summary, exchange } = await lastWeek(on, variant, { metrics: `${over},${under},${metric}`, ...more });
      const [upper, lower] = [Number(summary[over]), Number(summary[under])];
      const wanted = lower === 0 ? 0 : upper / lower;
      expect(exchange, `${metric} ${wanted.toFixed(4)}`, Math.abs(Number(summary[metric]) - wanted) < 0.000_051);
    });

  return [
    reading(
      'R30.order',
      'Rows are sorted by period, the latest first; sort_order=asc turns that round.',
      async (on) => {
        for (const [sort_order, sign] of [
          ['desc', -1],
          ['asc', 1],
        ] as const) {
          const { rows, exchange } = await lastWeek(on, variant, { time_grain: 'day', sort_order });
          const times = rows.map((row) => Date.parse(String(row['period_start'])) * sign);
          expect(exchange, `period_start ${sort_order}`, isRising(times));
        }
      },
    ),
    reading('R35.pages', 'Pages of two rows are the report, and each has the same summary.', async (on) => {
      const query = { group_by: 'page_type,widget_type', time_grain: 'day', limit: '40' };
      const whole = await lastWeek(on, variant, query);
      const pages: unknown[] = [];
      for (let offset = 0; offset < Math.min(6, whole.rows.length); offset += 2) {
        const part = { ...last(7), metrics: COUNTS, ...query, limit: '2', offset: String(offset) };
        const page = await readReport(on, variant, part);
        expect(
          page.exchange,
          'the summary of the first page',
          JSON.stringify(page.summary) === JSON.stringify(whole.summary),
        );
        expect(
          page.exchange,
          `has_more: ${offset + page.rows.length < whole.total}`,
          page.hasMore === offset + page.rows.length < whole.total,
        );
        pages.push(...page.rows);
      }
      expect(
        whole.exchange,
        'the rows of the pages',
        JSON.stringify(pages) === JSON.stringify(whole.rows.slice(0, pages.length)),
      );
    }),
    ...['0', String(limit + 1), '-1', '1.5', 'x', '1e2', ''].map((value) =>
      bad(`R36.limit-${value || 'empty'}`, `limit "${value}" is refused.`, { limit: value }),
    ),
    ...['-1', '1.5', 'x', '', '9'.repeat(20)].map((value) =>
      bad(`R36.offset-${value || 'empty'}`, `offset "${value}" is refused.`, { offset: value }),
    ),
    good('R36.most', `A limit of ${limit} is accepted.`, { ...last(1), limit: String(limit) }),
    reading('R37.beyond', 'An offset beyond the end gives no rows and no more.', async (on) => {
      const { rows, hasMore, exchange } = await readReport(on, variant, { ...last(7), offset: '100000' });
      expect(exchange, 'no rows, has_more: false', rows.length === 0 && !hasMore);
    }),
    isRatio(
      'R38.ratio',
      'A ratio of the summary is that of the sums, not the mean of rows.',
      ['ctr', 'clicks', 'impressions'],
      { time_grain: 'day' },
    ),
    reading('R40.nothing', 'Without activity, the summary has a 0 for each metric.', async (on) => {
      const { summary, exchange } = await readReport(on, variant, { ...last(7), page_types: 'NOWHERE' });
      for (const value of Object.values(summary)) expect(exchange, 'zeros', Number(value) === 0 && value !== null);
    }),
    name === 'channel-report'
      ? isRatio('R42.cvr', 'cvr is conversions per click.', ['cvr', 'conversions', 'clicks'])
      : isRatio('R42.cvr', 'cvr is conversions per widget display.', ['cvr', 'conversions', 'widget_displays']),
    reading(
      'R43.digits',
      'Money has at most two decimals, ratios four, counts none, and nothing is negative.',
      async (on) => {
        const { rows, summary, exchange } = await readReport(on, variant, {
          ...last(7),
          time_grain: 'day',
          limit: '50',
        });
        for (const [metric, value] of [summary, ...rows].flatMap(Object.entries)) {
          const kind = kindOf(metric);
          if (kind === undefined) continue;
          const digits = kind === 'count' ? 0 : kind === 'share' || kind === 'yield' ? 4 : 2;
          const decimals = String(value).split('.')[1]?.length ?? 0;
          expect(
            exchange,
            `${metric} with at most ${digits} decimals, not ${String(value)}`,
            decimals <= digits && Number(value) >= 0,
          );
        }
      },
    ),
    reading('R46.default', 'Without dates, a report covers seven dates.', async (on) => {
      const { rows, exchange } = await readReport(on, variant, { metrics: COUNTS });
      if (rows.length === 0) throw new UntoldError('The latest seven dates have no activity.');
      const days =
        (Date.parse(String(rows[0]?.['period_end'])) - Date.parse(String(rows[0]?.['period_start']))) / DAY_MS;
      expect(exchange, 'a period of at most seven days', days <= 7);
    }),
    bad('R32.order', 'A sort_order in upper case is refused.', { sort_order: 'ASC' }),
    bad('R47.four', 'An hourly report of four dates is refused.', { ...last(4), time_grain: 'hour' }),
    good('R47.three', 'An hourly report of three dates is accepted.', {
      ...last(3),
      metrics: COUNTS,
      time_grain: 'hour',
    }),
    reading('R48.before', 'Dates before the history name the window that there is.', async (on) => {
      const exchange = await on.ask({ path, key, query: { from: '2001-01-01', to: '2001-01-02' } });
      const isNamed = own(exchange.json, 'code') === 'DATE_RANGE_OUTSIDE_AVAILABLE_WINDOW';
      expect(exchange, '400 with DATE_RANGE_OUTSIDE_AVAILABLE_WINDOW', exchange.status === 400 && isNamed);
    }),
    reading('R53.meta', 'meta has the time zone, when data end, and an id of its own for each request.', async (on) => {
      const [one, other] = [await readReport(on, variant, last(1)), await readReport(on, variant, last(1))];
      const meta = own(one.exchange.json, 'meta');
      expect(one.exchange, '"timezone": "UTC"', own(meta, 'timezone') === 'UTC');
      const through = own(meta, 'data_through') as string | null;
      expect(one.exchange, 'data_through: a time or null', through === null || !Number.isNaN(Date.parse(through)));
      const id = own(meta, 'request_id');
      expect(
        other.exchange,
        'another request_id',
        typeof id === 'string' && id !== own(own(other.exchange.json, 'meta'), 'request_id'),
      );
      expect(one.exchange, `x-request-id: ${String(id)}`, one.exchange.headers.get('x-request-id') === id);
    }),
    sumsTo('R57.grains', 'Days, weeks and months add up to the total.', [
      { time_grain: 'day' },
      { time_grain: 'week' },
      { time_grain: 'month' },
    ]),
    reading(
      'R57.metrics',
      'The days add up to the summary in each metric, money within half a cent a day.',
      async (on) => {
        const { rows, summary, exchange } = await readReport(on, variant, { ...last(7), time_grain: 'day' });
        for (const [metric, total] of Object.entries(summary)) {
          const kind = kindOf(metric);
          const slack = kind === 'money' && metric !== 'attributed_cpa' ? (rows.length + 1) * 0.0051 : 0;
          if (slack > 0 || kind === 'count')
            expect(
              exchange,
              `${metric} of days that add up to ${String(total)}`,
              Math.abs(sum(rows, metric) - Number(total)) <= slack,
            );
        }
      },
    ),
    sumsTo('R57.groups', 'The groups of a breakdown add up to the total.', [
      { group_by: 'page_type' },
      { group_by: 'widget_type' },
    ]),
    reading('R57.hours', 'The hours of three dates are whole ones, and add up to their days.', async (on) => {
      const whole = await readReport(on, variant, { ...last(3), metrics: COUNTS });
      const hours = await readReport(on, variant, { ...last(3), metrics: COUNTS, time_grain: 'hour', limit: '100' });
      if (whole.rows.length === 0) throw new UntoldError('The last three dates have no activity.');
      for (const [, time = ''] of JSON.stringify(hours.exchange.json).matchAll(
        /"(?:period_start|period_end|data_through)":"([^"]*)"/g,
      ))
        expect(hours.exchange, `"${time}" in whole hours of UTC`, /^\d{4}-\d\d-\d\dT\d\d:00:00Z$/.test(time));
      for (const metric of COUNTS.split(',')) expectSum(hours, metric, whole.summary[metric]);
    }),
    missing('R58.slash', NO_SLASH, { path: path.slice(0, -1), key }, 'any'),
  ];
}
