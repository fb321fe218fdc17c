import { expect, test } from 'vitest';
import {
  commandOf,
  defaultState,
  linkProblem,
  queryOfState,
  readState,
  shifted,
} from '../../../src/operator/reports/reportState.ts';
import { datesOfSpec as datesOf, grainOf, queryOfSpec } from '../../../src/operator/reports/reportSpec.ts';
import { drillDownsOf } from '../../../src/operator/console/page/report/ReportTable.tsx';
import { sortRows } from '../../../src/operator/clients/ReportingClient.ts';
import type { Row } from '../../../src/operator/reports/comparison.ts';

const NOW = Date.parse('2026-11-22T10:00:00Z');
const read = (query: string) => readState(new URLSearchParams(query), 'channel');

test('a URL without a query is the last 28 days by day, compared with the same weekdays before', () => {
  expect(queryOfState(read(''))).toBe('');
  expect(datesOf(read(''), NOW)).toEqual({ from: '2026-10-26', to: '2026-11-22' });
  expect(queryOfSpec(read(''), NOW)).toMatchObject({ compare: { from: '2026-09-28', to: '2026-10-25' } });
});

test.each([
  'period=last_month&grain=week&by=publisher,page_type&compare=none&sort=-clicks',
  'from=2026-11-01&to=2026-11-20&metrics=clicks,ctr&chart=ctr',
  'publisher=a,b&page_type=THANK_YOU&widget_type=INLINE&compare=year',
])('a state is read again from its URL: %s', (query) => {
  const state = read(query);
  expect(queryOfState(state)).toBe(query);
  expect(read(queryOfState(state))).toEqual(state);
});

test.each([
  'period=forever&grain=minute&by=colour&metrics=__proto__,constructor&sort=-nothing&compare=maybe&chart=x',
  'from=2026-02-30&to=2026-03-01',
  'from=2026-03-02&to=2026-03-01',
  'from=2026-03-01',
  'by=%00&page_type=,,',
])('what is not valid in a URL is replaced by its default: %s', (query) => {
  expect(read(query)).toEqual(defaultState('channel'));
});

/** The dates after each step: -1 is Earlier, 1 is Later. */
function walk(query: string, steps: readonly number[], now = NOW): string[] {
  let state = read(query);
  return steps.map((step) => {
    state = shifted(state, step, now) ?? state;
    const { from, to } = datesOf(state, now);
    return `${from} ${to}`;
  });
}

test.each([
  ['period=last_month', '2026-09-01 2026-09-30', '2026-08-01 2026-08-31', '2026-09-01 2026-09-30'],
  ['period=month_to_date', '2026-10-01 2026-10-31', '2026-09-01 2026-09-30', '2026-10-01 2026-10-31'],
  ['period=last_quarter', '2026-04-01 2026-06-30', '2026-01-01 2026-03-31', '2026-04-01 2026-06-30'],
  ['period=quarter_to_date', '2026-07-01 2026-09-30', '2026-04-01 2026-06-30', '2026-07-01 2026-09-30'],
  ['period=last_year', '2024-01-01 2024-12-31', '2023-01-01 2023-12-31', '2024-01-01 2024-12-31'],
  ['period=year_to_date', '2025-01-01 2025-12-31', '2024-01-01 2024-12-31', '2025-01-01 2025-12-31'],
  ['period=week_to_date', '2026-11-09 2026-11-15', '2026-11-02 2026-11-08', '2026-11-09 2026-11-15'],
  ['from=2026-03-30&to=2026-04-02', '2026-03-26 2026-03-29', '2026-03-22 2026-03-25', '2026-03-26 2026-03-29'],
])('Earlier moves %s by its calendar unit', (query, first, second, back) => {
  expect(walk(query, [-1, -1, 1])).toEqual([first, second, back]);
});

test.each(['month_to_date', 'quarter_to_date', 'year_to_date', 'week_to_date', 'last_28_days', 'today', 'last_month'])(
  'Later leads back to %s, which moves on with the days',
  (name) => {
    for (const now of ['2026-11-22', '2026-11-23', '2024-02-29', '2026-12-31', '2026-01-01'].map(Date.parse)) {
      const start = read(`period=${name}`);
      const there = shifted(start, -1, now);
      const back = there && shifted(there, 1, now);
      expect(back && datesOf(back, now), new Date(now).toISOString()).toEqual(datesOf(start, now));
      expect(back?.period).toBeTypeOf('string');
    }
  },
);

test('a period that today cuts off comes back with its length', () => {
  const state = read('from=2026-11-09&to=2026-11-18');
  expect(walk('from=2026-11-09&to=2026-11-18', [1, -1])).toEqual(['2026-11-19 2026-11-22', '2026-11-09 2026-11-18']);
  expect(shifted(state, 2, NOW)).toBeUndefined();
});

test('a publisher has its own metrics and no filter for publishers', () => {
  const state = readState(
    new URLSearchParams('publisher=a&by=publisher,page_type&metrics=channel_payout'),
    'publisher',
  );
  expect(state).toMatchObject({ by: ['page_type'], filters: { publisher: [] } });
  expect(state.metrics).toEqual(defaultState('publisher').metrics);
});

test('more than three breakdowns are not sent', () => {
  expect(read('by=publisher,page_type,widget_type,widget_id').by).toHaveLength(3);
});

test('hours of many days become days', () => {
  expect(grainOf(read('grain=hour'), datesOf(read('grain=hour'), NOW))).toBe('day');
  const short = read('grain=hour&from=2026-11-20&to=2026-11-22');
  expect(grainOf(short, datesOf(short, NOW))).toBe('hour');
});

test('a ranking begins with the highest', () => {
  expect(read('grain=total&by=publisher').sort).toBe('-channel_payout');
});

test('the command names the report, and quotes what a shell would read', () => {
  const session = 'https://channel.example';
  expect(commandOf(read(''), session, { now: NOW })).toBe(
    'offerlet-operator report --network https://channel.example --period 28d --grain day --metrics channel_payout,feed_loads,impressions,clicks,ctr,conversions --compare previous',
  );
  const evil = read(`page_type=${encodeURIComponent("x'; rm -rf ~ #")}&period=last_month&compare=none&metrics=clicks`);
  expect(commandOf(evil, session, { now: NOW })).toBe(
    String.raw`offerlet-operator report --network https://channel.example --period last-month --grain day --metrics clicks --filter 'page_type=x'\''; rm -rf ~ #'`,
  );
});

test('for PowerShell the command is quoted as PowerShell reads it', () => {
  const session = 'https://channel.example';
  const state = read(`page_type=${encodeURIComponent('a’b$c')}&by=publisher,page_type&compare=none&metrics=clicks`);
  expect(commandOf(state, session, { now: NOW, shell: 'powershell' })).toBe(
    "offerlet-operator report --network https://channel.example --period 28d --grain day --by 'publisher,page_type' --metrics clicks --filter 'page_type=a’’b$c'",
  );
});

test.each([
  ['from=2026-11-20&to=2026-11-01', /2026-11-20 is after 2026-11-01/],
  ['from=2026-11-20&to=2026-12-24', /2026-12-24, is in the future/],
  ['from=2026-12-20&to=2026-12-24', /begin in the future/],
  ['from=2026-02-30&to=2026-03-01', /not valid/],
  ['from=2026-11-01&to=2026-11-20', undefined],
  ['period=last_month', undefined],
])('a link with %s says what is shown instead', (query, expected) => {
  const said = linkProblem(new URLSearchParams(query), NOW);
  if (expected === undefined) expect(said).toBeUndefined();
  else expect(said).toMatch(expected);
});

test.each(['\n', '\r', '\u001B[201~', '\u0085', '\u2028', '\u202E', '\u0000'])(
  'no link puts %j into the command, which would run it when it is pasted',
  (character) => {
    const session = 'https://channel.example';
    const state = read(
      `page_type=${encodeURIComponent(`x${character}touch pwned`)}&publisher=a${encodeURIComponent(character)},b`,
    );
    expect(commandOf(state, session, { now: NOW })).not.toContain(character);
    expect(state.filters).toMatchObject({ page_type: [], publisher: ['b'] });
  },
);

test('a closer look at a row has its dates and filters, and another breakdown', () => {
  const row: Row = {
    period_start: '2026-11-02T00:00:00Z',
    period_end: '2026-11-09T00:00:00Z',
    publisher_id: 'p1',
    publisher_name: 'One',
  };
  const drills = drillDownsOf(row, read('grain=week&by=publisher'));
  expect(drills.map(({ label }) => label)).toEqual(['by page type', 'by widget type', 'by widget ID', 'by day']);
  expect(drills[0]?.state).toMatchObject({
    period: { from: '2026-11-02', to: '2026-11-08' },
    by: ['page_type'],
    grain: 'total',
  });
  expect(drills[0]?.state.filters.publisher).toEqual(['p1']);
});

test('a row of a widget id has no closer look, because the network has no such filter', () => {
  const row: Row = { period_start: '2026-11-02T00:00:00Z', period_end: '2026-11-03T00:00:00Z', widget_id: 'w' };
  expect(drillDownsOf(row, read('by=widget_id'))).toEqual([]);
});

test('rows are sorted as the command sorts them: empty cells last, equal rows in their order', () => {
  const rows = [null, 'b', 'a', 'b', null].map((widget_id, index): Row => ({
    period_start: String(index),
    period_end: '',
    widget_id,
  }));
  const order = (sort: string) => sortRows(rows, sort).map((row) => row.period_start);
  expect(order('widget_id')).toEqual(['2', '1', '3', '0', '4']);
  expect(order('-widget_id')).toEqual(['1', '3', '2', '0', '4']);
  expect(order('')).toEqual(['4', '3', '2', '1', '0']);
});
