import { expect, test } from 'vitest';
import { linePath, ticksOf } from '../../../src/operator/console/page/chart/TimeChart.tsx';
import { changeCell } from '../../../src/operator/command/reportTable.ts';
import type { Row } from '../../../src/operator/reports/comparison.ts';
import { changeText, newsOf, shortPeriod, valueText } from '../../../src/operator/reports/format.ts';
import { chartDataOf } from '../../../src/operator/reports/series.ts';

const NOW = Date.parse('2026-11-04T10:00:00Z');
const row = (day: string, clicks: number, more: object = {}): Row =>
  ({
    period_start: `${day}T00:00:00Z`,
    period_end: '',
    clicks,
    ...more,
  }) as Row;
const source = {
  metric: 'clicks',
  dates: { from: '2026-11-01', to: '2026-11-06' },
  compared: undefined,
  grain: 'day',
  dataThrough: '2026-11-04T09:00:00Z',
  now: NOW,
} as const;

test('a day without a row is zero, and a day after the data ends is nothing', () => {
  const data = chartDataOf({ ...source, rows: [row('2026-11-01', 5), row('2026-11-04', 2)] });
  expect(data.series[0]?.values).toEqual([5, 0, 0, 2, null, null]);
});

test('the day that is not over is known, and one that the data ends in', () => {
  expect(chartDataOf({ ...source, rows: [] }).open).toBe(3);
  const late = { ...source, rows: [], now: NOW + 10 * 86_400_000 };
  expect(chartDataOf(late).open).toBe(3);
  expect(chartDataOf({ ...late, dataThrough: '2026-11-06T23:00:00Z' }).open).toBe(-1);
  expect(chartDataOf({ ...late, dataThrough: '2026-11-06T05:00:00Z' }).open).toBe(5);
});

test('rows are never added up: a ratio of two rows is not their sum', () => {
  const data = chartDataOf({ ...source, rows: [row('2026-11-01', 0.5), row('2026-11-01', 0.5)] });
  expect(data.series[0]?.values[0]).toBe(0.5);
});

test('the compared dates are at the place of their counterpart', () => {
  const counterpart = { period_start: '2026-10-26T00:00:00Z', clicks: 7 };
  const data = chartDataOf({
    ...source,
    compared: { from: '2026-10-26', to: '2026-10-31' },
    rows: [row('2026-11-01', 5, { counterpart })],
  });
  expect(data.before).toEqual([7, 0, 0, 0, 0, 0]);
});

test('each line has its own rows', () => {
  const rows = [row('2026-11-01', 1, { page_type: 'A' }), row('2026-11-01', 2, { page_type: 'B' })];
  const lines = { names: ['A', 'B'], of: (one: Row) => String(one['page_type']) };
  expect(chartDataOf({ ...source, rows, lines }).series.map(({ values }) => values[0])).toEqual([1, 2]);
});

test('nothing is drawn for a missing value', () => {
  expect(linePath([1, null, 2, 3], { x: (index) => index, y: (value) => value })).toBe('M0 1M2 2L3 3');
});

test('the axis has round values that reach the highest', () => {
  expect(ticksOf(64, false)).toEqual([0, 20, 40, 60, 80]);
  expect(ticksOf(3, true)).toEqual([0, 1, 2, 3]);
  expect(ticksOf(0, true)).toEqual([0, 1]);
  for (const highest of [0.0312, 7, 99.5, 100, 12_345])
    expect(ticksOf(highest, false).at(-1)).toBeGreaterThanOrEqual(highest);
});

test('values and changes are written exactly', () => {
  expect(valueText('ctr', 0.0319)).toBe('3.19%');
  expect(valueText('channel_payout', 1234.5)).toBe('1,234.50');
  expect(valueText('rpl', 0.0113)).toBe('0.0113');
  expect(changeText({ difference: -0.0012, percent: null, points: -0.12 })).toBe('−0.12 pt');
  expect(changeText({ difference: 5, percent: null, points: null })).toBe('new');
  expect(shortPeriod(NOW, 'day')).toBe('Wed, 4 Nov');
});

test.each([
  [{ percent: 14, points: null }, '+14.0%'],
  [{ percent: 11.44, points: null }, '+11.4%'],
  [{ percent: -1_234.5, points: null }, '−1,235%'],
  [{ percent: 0, points: null }, '0.0%'],
  [{ percent: null, points: 0.3 }, '+0.30 pt'],
])('the console and the command write %j alike', (change, text) => {
  const metric = change.points === null ? 'clicks' : 'ctr';
  const row = { period_start: '', period_end: '', change: { [metric]: { difference: 1, ...change } } } as Row;
  expect(changeText({ difference: 1, ...change })).toBe(text);
  expect(changeCell(metric, row).text).toBe(text.replace('−', '-')); // a terminal may have ASCII only
});

test('a share that was zero before is new, and neither good nor bad', () => {
  const change = { difference: 0.0324, percent: null, points: 3.24 };
  expect([changeText(change, 0), newsOf('ctr', change, 0)]).toEqual(['new', undefined]);
  expect([changeText(change, 0.01), newsOf('ctr', change, 0.01)]).toEqual(['+3.24 pt', 'good']);
});

test('a rising cost is bad news, and rising spend of advertisers is not', () => {
  const rise = { difference: 2, percent: 20, points: null };
  expect(['clicks', 'attributed_cpa', 'billable_ad_spend_amount'].map((name) => newsOf(name, rise, 10))).toEqual([
    'good',
    'bad',
    undefined,
  ]);
});

test('what rows are sorted by is in the table: the amount beside the per cent', () => {
  const row = {
    period_start: '',
    period_end: '',
    counterpart: { clicks: 200 },
    change: { clicks: { difference: -50, percent: -25, points: null } },
  } as unknown as Row;
  expect(changeCell('clicks', row, 'clicks_change')).toEqual({ text: '-50 (-25.0%)', tone: 'bad' });
  expect(changeCell('clicks', row, '-clicks').text).toBe('-25.0%');
});
