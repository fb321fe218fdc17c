import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { commandOf, defaultState, queryOfState, readState } from '../../../src/operator/reports/reportState.ts';
import { datesOfSpec as datesOf, grainOf, queryOfSpec } from '../../../src/operator/reports/reportSpec.ts';
import { drillDownsOf } from '../../../src/operator/console/page/report/OfWhich.tsx';
import { sortRows } from '../../../src/operator/clients/readWholeReport.ts';
import type { Row } from '../../../src/operator/reports/comparison.ts';
import { PERIODS } from '../../../src/operator/reports/period.ts';
import { CHANNEL_METRICS, PUBLISHER_METRICS, TIME_GRAINS } from '../../../src/wire/reporting.ts';

const NOW = Date.parse('2026-11-22T10:00:00Z');
const read = (query: string) => readState(new URLSearchParams(query), 'channel');

test('a URL without a query is the last 28 days by day, compared with the same weekdays before', () => {
  expect(queryOfState(read(''))).toBe('');
  expect(datesOf(read(''), NOW)).toEqual({ from: '2026-10-26', to: '2026-11-22' });
  expect(queryOfSpec(read(''), NOW)).toMatchObject({ compare: { from: '2026-09-28', to: '2026-10-25' } });
});

test('a URL with a part of each kind is written again as it was', () => {
  const query =
    'from=2026-11-01&to=2026-11-20&grain=week&by=publisher,page_type&metrics=clicks,ctr&publisher=a,b&compare=year&sort=-clicks&chart=ctr';
  expect(queryOfState(read(query))).toBe(query);
});

const part = (names: readonly string[]) => fc.array(fc.oneof(fc.constantFrom(...names), fc.string()), { maxLength: 5 });
/** A URL of names that are known, and of anything else. */
const anyQuery = fc.record(
  {
    period: fc.oneof(fc.constantFrom(...PERIODS, '45d'), fc.string()),
    from: fc.constantFrom('2026-11-01', '2026-02-30', 'x'),
    to: fc.constantFrom('2026-11-20', '2025-01-01', ''),
    grain: fc.oneof(fc.constantFrom(...TIME_GRAINS), fc.string()),
    by: part(['publisher', 'page_type', 'widget_type', 'widget_id']),
    metrics: part([...CHANNEL_METRICS, ...PUBLISHER_METRICS]),
    publisher: part(['one', 'two&three', 'ü=']),
    page_type: part(['THANK_YOU']),
    widget_type: part(['INLINE']),
    compare: fc.constantFrom('none', 'previous', 'year', '__proto__'),
    sort: fc.oneof(fc.constantFrom('-clicks', 'clicks', 'publisher_name', '-period_start'), fc.string()),
    chart: fc.oneof(fc.constantFrom(...CHANNEL_METRICS), fc.string()),
  },
  { requiredKeys: [] },
);

test.each(['channel', 'publisher'] as const)('of any URL, the state of a %s survives in its own URL', (variant) => {
  fc.assert(
    fc.property(anyQuery, (parts) => {
      const params = new URLSearchParams(Object.entries(parts).map(([name, value]) => [name, String(value)]));
      const state = readState(params, variant);
      const query = queryOfState(state);
      expect(readState(new URLSearchParams(query), variant)).toEqual(state);
      expect(queryOfState(readState(new URLSearchParams(query), variant))).toBe(query);
      expect(state.metrics).toContain(state.chart);
    }),
  );
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

test('a publisher has its own metrics and no filter for publishers', () => {
  const state = readState(
    new URLSearchParams('publisher=a&by=publisher,page_type&metrics=channel_payout'),
    'publisher',
  );
  expect(state).toMatchObject({ by: ['page_type'], filters: { publisher: [] } });
  expect(state.metrics).toEqual(defaultState('publisher').metrics);
});

test('more than three breakdowns are not sent, and hours of many days become days', () => {
  expect(read('by=publisher,page_type,widget_type,widget_id').by).toHaveLength(3);
  expect(grainOf(read('grain=hour'), datesOf(read('grain=hour'), NOW))).toBe('day');
  const short = read('grain=hour&from=2026-11-20&to=2026-11-22');
  expect(grainOf(short, datesOf(short, NOW))).toBe('hour');
});

test('a ranking begins with the highest', () => {
  expect(read('grain=total&by=publisher').sort).toBe('-channel_payout');
});

const session = { network_url: 'https://channel.example', currency: null };

test('the command names the report, and quotes what a shell would read', () => {
  expect(commandOf(read(''), { ...session, currency: 'EUR' }, { now: NOW })).toBe(
    'offerlet-operator report --network https://channel.example --period 28d --grain day --metrics channel_payout,feed_loads,impressions,clicks,ctr,conversions --compare previous --currency EUR',
  );
  const evil = read(`page_type=${encodeURIComponent('x; rm -rf ~ #')}&period=last_month&compare=none&metrics=clicks`);
  expect(commandOf(evil, session, { now: NOW })).toBe(
    "offerlet-operator report --network https://channel.example --period last-month --grain day --metrics clicks --filter 'page_type=x; rm -rf ~ #'",
  );
});

test.each(['\n', '\r', "'", '’', '\u001B[201~', '\u0085', '\u2028', '\u202E', '\u0000'])(
  'no link puts %j into the command, which would run it when it is pasted',
  (character) => {
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
