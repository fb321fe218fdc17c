import { own } from '../wire/json.ts';
import { DAY_MS } from '../wire/utcDates.ts';
import { type Ask, expect, expectOk, expectRefusal, UntoldError } from './network.ts';
import {
  acceptsOf,
  CHANNEL,
  COUNTS,
  dateOf,
  expectSum,
  last,
  lastWeek,
  PUBLISHER,
  readReport,
  refusesOf,
  today,
  type Variant,
} from './report.ts';
import { rowRulesOf } from './rowRules.ts';
import { denied, isRising, missing, NOBODY, of, reading, refusesElsewhere, type Rule } from './rule.ts';

/** The rules of one report. */
function rulesOf(variant: Variant): readonly Rule[] {
  const { path, key, metrics, foreign, name } = variant;
  const ask = (query: Ask['query']): Ask => ({ path, key, query: query ?? '' });
  const [bad, good] = [refusesOf(variant), acceptsOf(variant)];
  return of(name, [
    ...(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'] as const).map((method) =>
      reading(`R1.${method.toLowerCase()}`, `${method} is a 405 that allows GET, and no other origin.`, async (on) => {
        const body = method.startsWith('P') && { body: {} };
        const exchange = await on.ask({ method, path, key, headers: { origin: 'https://shop.example' }, ...body });
        expectRefusal(exchange, 405, method === 'HEAD' ? 'any' : undefined);
        expect(exchange, 'Allow: GET', exchange.headers.get('allow') === 'GET');
        const cors = [...exchange.headers.keys()].filter((header) => header.startsWith('access-control-'));
        expect(exchange, 'no CORS headers', cors.length === 0);
      }),
    ),
    reading('R2.method', 'The method is checked before the key.', async (on) =>
      expectRefusal(await on.ask({ method: 'POST', path, key: 'none', body: {} }), 405),
    ),
    denied('R2.key', 'The key is checked before the parameters.', { path, key: 'wrong', query: { foo: '1' } }),
    denied('R3.no-key', 'A call without a key is refused.', { path, key: 'none' }),
    denied('R3.wrong-key', 'An unknown key is refused.', { path, key: 'wrong' }),
    reading('R3.key-in-query', 'A key in the query is no key, and an unknown parameter.', async (on) => {
      const query = { 'x-api-key': on.keys[key] ?? '' };
      expectRefusal(await on.ask({ path, key: 'none', query }), 401);
      expectRefusal(await on.ask(ask(query)), 400);
    }),
    reading('R3.key-case', 'The name of the key header is read in any case.', async (on) => {
      expectOk(await on.ask({ ...ask(last(1)), headers: { 'x-api-key': undefined, 'X-API-KEY': on.keys[key] } }));
    }),
    refusesElsewhere('R4.environment', { path, key }),
    bad('R5.unknown', 'An unknown parameter is refused.', { foo: '1' }),
    bad('R5.case', 'Names of parameters are case-sensitive.', { TIME_GRAIN: 'day' }),
    bad('R5.channel', 'channel_id is no parameter.', { channel_id: '1' }),
    bad('R6.repeated', 'A date that is given twice is refused.', `from=2026-01-01&from=2026-01-02&to=2026-01-03`),
    bad('R6.empty', 'An empty element of a list is refused.', { metrics: 'impressions,,clicks' }),
    good('R6.spaces', 'Spaces in a list are ignored.', { ...last(1), metrics: ' impressions , clicks' }),
    bad('R7.from', 'from without to is refused.', { from: dateOf(today()) }),
    bad('R7.to', 'to without from is refused.', { to: dateOf(today()) }),
    ...['2026-1-2', '20260102', '2026-02-30', '2026-01-02T00:00Z', '', '2025-02-29', '+2026-01-02'].map((from, at) =>
      bad(`R8.date-${at + 1}`, `"${from}" is not a date.`, { from, to: dateOf(today()) }),
    ),
    bad('R9.order', 'from after to is refused.', { from: dateOf(today()), to: dateOf(today() - DAY_MS) }),
    bad('R9.future', 'to after today is refused.', { from: dateOf(today()), to: dateOf(today() + 2 * DAY_MS) }),
    good('R9.today', 'to may be today.', last(1)),
    reading(
      'R10.one-day',
      'One date is one period, from midnight to midnight, in whole seconds of UTC.',
      async (on) => {
        const { rows, exchange } = await lastWeek(on, variant, { time_grain: 'day', sort_order: 'asc' });
        const [row] = rows;
        const start = String(row?.['period_start']);
        const end = new Date(Date.parse(start) + DAY_MS).toISOString().replace('.000', '');
        expect(exchange, `period_end ${end}`, /^\d{4}-\d\d-\d\dT00:00:00Z$/.test(start) && row?.['period_end'] === end);
      },
    ),
    reading('R12.order', 'Metrics come in the order in which they were asked for, in rows and summary.', async (on) => {
      const { rows, summary, exchange } = await lastWeek(on, variant, { metrics: 'clicks,impressions' });
      const isIn = (keys: readonly string[]): boolean => keys.slice(-2).join() === 'clicks,impressions';
      expect(exchange, 'clicks before impressions', isIn(Object.keys(rows[0] ?? {})) && isIn(Object.keys(summary)));
    }),
    bad('R12.twice', 'A metric that is asked for twice is refused.', { metrics: 'clicks,clicks' }),
    bad('R12.unknown', 'An unknown metric is refused.', { metrics: 'happiness' }),
    bad('R12.case', 'Names of metrics are case-sensitive.', { metrics: 'Clicks' }),
    bad('R12.none', 'An empty list of metrics is refused.', { metrics: '' }),
    reading('R12.foreign', `${foreign}, a metric of the other report, is a plain 400.`, async (on) => {
      const exchange = await on.ask(ask({ metrics: foreign }));
      expect(exchange, '400 without a code', exchange.status === 400 && own(exchange.json, 'code') === undefined);
    }),
    reading(
      'R13.disabled',
      'Each metric of the specification comes, or is refused with the names of those that do.',
      async (on) => {
        const { summary } = await readReport(on, variant, last(1));
        const off = metrics.filter((metric) => !(metric in summary));
        const exchange = await on.ask(ask({ ...last(1), metrics: (off.length > 0 ? off : metrics).join() }));
        if (off.length === 0) return void expectOk(exchange);
        const isNamed =
          own(exchange.json, 'code') === 'METRIC_NOT_AVAILABLE' &&
          String(own(exchange.json, 'unsupported_metrics')) === off.join();
        const expected = `METRIC_NOT_AVAILABLE with unsupported_metrics ${JSON.stringify(off)} and allowed_metrics`;
        expect(exchange, expected, isNamed && Array.isArray(own(exchange.json, 'allowed_metrics')));
      },
    ),
    reading(
      'R14.default',
      'Without metrics, all that are enabled come, in the order of the specification.',
      async (on) => {
        const { summary, exchange } = await readReport(on, variant, last(1));
        const known = metrics.filter((metric) => metric in summary);
        expect(exchange, known.join(), Object.keys(summary).join() === known.join());
      },
    ),
    bad('R16.unknown', 'An unknown time_grain is refused.', { time_grain: 'year' }),
    bad('R16.empty', 'An empty time_grain is refused.', { time_grain: '' }),
    bad('R16.case', 'A time_grain in upper case is refused.', { time_grain: 'DAY' }),
    reading('R17.total', 'A total is at most one row, over all dates.', async (on) => {
      const { rows, exchange } = await lastWeek(on, variant);
      const { from, to } = last(7);
      const isWhole =
        rows[0]?.['period_start'] === `${from}T00:00:00Z` &&
        rows[0]['period_end'] === `${dateOf(Date.parse(String(to)) + DAY_MS)}T00:00:00Z`;
      expect(exchange, 'one row from the first date to the day after the last', rows.length === 1 && isWhole);
    }),
    reading('R19.monday', 'A week begins on Monday; the first and the last are cut to the dates.', async (on) => {
      const { rows, exchange } = await readReport(on, variant, {
        ...last(15),
        metrics: COUNTS,
        time_grain: 'week',
        sort_order: 'asc',
      });
      if (rows.length < 2) throw new UntoldError('The last 15 days have activity in fewer than two weeks.');
      const starts = rows.slice(1).map((row) => new Date(String(row['period_start'])).getUTCDay());
      for (const day of starts) expect(exchange, 'weeks that begin on Monday', day === 1);
      const { from = '' } = last(15);
      expect(exchange, `no period before ${from}`, String(rows[0]?.['period_start']) >= from);
    }),
    reading('R19.edge', 'A week has what its days have, Sunday included.', async (on) => {
      const query = { ...last(15), metrics: COUNTS };
      const weeks = await readReport(on, variant, { ...query, time_grain: 'week' });
      const days = await readReport(on, variant, { ...query, time_grain: 'day' });
      for (const week of weeks.rows) {
        const [start, end] = [String(week['period_start']), String(week['period_end'])];
        const within = days.rows.filter(
          (day) => String(day['period_start']) >= start && String(day['period_end']) <= end,
        );
        expectSum({ exchange: weeks.exchange, rows: within }, 'clicks', week['clicks']);
      }
    }),
    reading('R20.month', 'A month is a calendar month, cut to the dates.', async (on) => {
      const { rows, exchange } = await readReport(on, variant, {
        ...last(35),
        metrics: COUNTS,
        time_grain: 'month',
        sort_order: 'asc',
      });
      for (const row of rows.slice(1))
        expect(exchange, 'months that begin on the first', String(row['period_start']).slice(8, 10) === '01');
    }),
    reading('R22.columns', 'A row has its period, its groupings and its metrics, in this order.', async (on) => {
      const { rows, exchange } = await lastWeek(on, variant, { group_by: 'widget_type,page_type' });
      const wanted = 'period_start,period_end,widget_type,page_type,impressions,clicks';
      expect(exchange, wanted, Object.keys(rows[0] ?? {}).join() === wanted);
    }),
    bad('R24.unknown', 'An unknown grouping is refused.', { group_by: 'colour' }),
    bad('R24.column', 'The name of a column is no grouping.', { group_by: 'publisher_id' }),
    bad('R24.twice', 'A grouping that is given twice is refused.', { group_by: 'page_type,page_type' }),
    bad('R24.empty', 'An empty group_by is refused.', { group_by: '' }),
    bad('R24.four', 'Four groupings are refused.', { group_by: 'page_type,widget_type,widget_id,page_type' }),
    bad('R25.251', 'A filter of 251 values is refused.', {
      page_types: Array.from({ length: 251 }, (_, at) => `P${at}`).join(),
    }),
    bad('R25.empty', 'An empty filter is refused.', { page_types: '' }),
    reading('R26.no-column', 'A filter adds no column, and leaves out the rest.', async (on) => {
      const whole = await lastWeek(on, variant, { group_by: 'page_type' });
      const type = String(whole.rows[0]?.['page_type']);
      const filtered = await readReport(on, variant, { ...last(7), metrics: COUNTS, page_types: type });
      expect(filtered.exchange, 'no column page_type', !('page_type' in (filtered.rows[0] ?? {})));
      expect(
        filtered.exchange,
        `the clicks of ${type} alone`,
        filtered.summary['clicks'] === whole.rows[0]?.['clicks'],
      );
    }),
    ...['x'.repeat(65), 'A\n', '\u007f'].map((page_types, at) =>
      bad(`R28.text-${at + 1}`, 'A page type of 65 characters, or with a control character, is refused.', {
        page_types,
      }),
    ),
    reading('R28.unknown', 'An unknown page type gives an empty report.', async (on) => {
      const { rows, total, exchange } = await readReport(on, variant, { ...last(7), page_types: 'NOWHERE' });
      expect(exchange, 'no rows and total 0', rows.length === 0 && total === 0);
    }),
    reading('R29.modal', 'Activity of type MODAL is in no report.', async (on) => {
      const { total, exchange } = await readReport(on, variant, { ...last(7), page_types: 'MODAL' });
      expect(exchange, 'total 0', total === 0);
    }),
    ...rowRulesOf(variant),
  ]);
}

const badChannel = refusesOf(CHANNEL);

/** What only the report of a channel has. */
const CHANNEL_ONLY: readonly Rule[] = of('channel-report', [
  reading('R22.publisher', 'Grouping by publisher adds its id and its name.', async (on) => {
    const { rows, exchange } = await lastWeek(on, CHANNEL, { group_by: 'publisher' });
    const wanted = 'period_start,period_end,publisher_id,publisher_name,impressions,clicks';
    expect(exchange, wanted, Object.keys(rows[0] ?? {}).join() === wanted);
  }),
  ...['me', '7b3d1f0a9f584c438e7d0b6a54a1c2d3', '7b3d1f0a-9f58-4c43-8e7d-0b6a54a1c2d30'].map((publisher_ids, at) =>
    badChannel(`R27.uuid-${at + 1}`, 'publisher_ids must be UUIDs.', { publisher_ids }),
  ),
  reading('R27.unknown', 'An unknown publisher gives an empty report.', async (on) => {
    const { total, exchange } = await readReport(on, CHANNEL, { ...last(7), publisher_ids: NOBODY });
    expect(exchange, 'total 0', total === 0);
  }),
  reading('R31.metric', 'sort_by a metric that was asked for sorts by it, in both directions.', async (on) => {
    for (const [sort_direction, sign] of [
      ['desc', -1],
      ['asc', 1],
    ] as const) {
      const { rows, exchange } = await lastWeek(on, CHANNEL, {
        group_by: 'publisher',
        sort_by: 'clicks',
        sort_direction,
      });
      expect(exchange, `clicks ${sort_direction}`, isRising(rows.map((row) => Number(row['clicks']) * sign)));
    }
  }),
  ...['impressions', 'publisher_id', 'page_type', 'period_end', ''].map((sort_by) =>
    badChannel(
      `R31.other-${sort_by.replace('_', '-') || 'empty'}`,
      `sort_by "${sort_by}" is refused: no metric or grouping that was asked for.`,
      { metrics: 'clicks', group_by: 'publisher', sort_by },
    ),
  ),
  badChannel('R32.direction', 'An unknown sort_direction is refused.', { sort_direction: 'up' }),
  reading('R59.v1', 'A path of V1 is a 404 that names V2.', async (on) => {
    const exchange = await on.ask({ path: '/adnet/reporting/v1/summary/', key: 'management' });
    expectRefusal(exchange, 404);
    expect(exchange, 'a detail that names V2', /v2/i.test(exchange.text));
  }),
  reading('R39.exact', 'Money is rounded once: revenue with and without an email make the payout.', async (on) => {
    const { summary, exchange } = await readReport(on, CHANNEL, last(7));
    const all = ['channel_payout', 'revenue_with_email', 'revenue_without_email'].map((name) => Number(summary[name]));
    const [payout = 0, known = 0, unknown = 0] = all;
    if (!all.every(Number.isFinite)) throw new UntoldError('The channel does not report these three metrics.');
    expect(exchange, `revenues that add up to ${payout}, within a cent`, Math.abs(known + unknown - payout) < 0.0151);
  }),
  reading('R57.publishers', "The publishers add up to the channel's total.", async (on) => {
    const whole = await lastWeek(on, CHANNEL);
    const parts = await readReport(on, CHANNEL, { ...last(7), metrics: COUNTS, group_by: 'publisher', limit: '250' });
    if (parts.hasMore) throw new UntoldError('The channel has more than 250 publishers with activity.');
    expectSum(parts, 'clicks', whole.summary['clicks']);
  }),
]);

const badPublisher = refusesOf(PUBLISHER);

const PUBLISHER_ONLY: readonly Rule[] = of('publisher-report', [
  ...['publisher_ids', 'sort_by', 'sort_direction'].map((name) =>
    badPublisher(`R5.${name.replaceAll('_', '-')}`, `${name} is a parameter of the other report.`, {
      [name]: 'clicks',
    }),
  ),
  badPublisher('R24.publisher', 'A publisher cannot be grouped by publisher.', { group_by: 'publisher' }),
  missing('R58.api', 'Without /api, the path is a 404.', { path: PUBLISHER.path.slice(4), key: 'reporting' }, 'any'),
  reading('R29.tracking', 'Activity of type ORDER_TRACKING is not in a publisher report.', async (on) => {
    const { total, exchange } = await readReport(on, PUBLISHER, { ...last(7), page_types: 'ORDER_TRACKING' });
    expect(exchange, 'total 0', total === 0);
  }),
]);

/** What the Reporting API promises, in both variants. */
export const REPORT_RULES: readonly Rule[] = [
  ...rulesOf(CHANNEL),
  ...CHANNEL_ONLY,
  ...rulesOf(PUBLISHER),
  ...PUBLISHER_ONLY,
];
