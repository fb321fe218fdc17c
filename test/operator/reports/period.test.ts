import { expect, test } from 'vitest';
import { period, PERIODS, type Compare, type PeriodName } from '../../../src/operator.ts';
import { comparedDates, type Period } from '../../../src/operator/reports/period.ts';
import { periodStarts } from '../../../src/wire/utcDates.ts';
import type { TimeGrain } from '../../../src/wire/reporting.ts';

const NOW = new Date('2026-11-22T23:59:59.999Z'); // a Sunday

test.each<[PeriodName, string, string]>([
  ['today', '2026-11-22', '2026-11-22'],
  ['yesterday', '2026-11-21', '2026-11-21'],
  ['last_7_days', '2026-11-16', '2026-11-22'],
  ['last_14_days', '2026-11-09', '2026-11-22'],
  ['last_28_days', '2026-10-26', '2026-11-22'],
  ['last_30_days', '2026-10-24', '2026-11-22'],
  ['last_90_days', '2026-08-25', '2026-11-22'],
  ['week_to_date', '2026-11-16', '2026-11-22'],
  ['last_week', '2026-11-09', '2026-11-15'],
  ['month_to_date', '2026-11-01', '2026-11-22'],
  ['last_month', '2026-10-01', '2026-10-31'],
  ['quarter_to_date', '2026-10-01', '2026-11-22'],
  ['last_quarter', '2026-07-01', '2026-09-30'],
  ['year_to_date', '2026-01-01', '2026-11-22'],
  ['last_year', '2025-01-01', '2025-12-31'],
])('%s is from %s to %s', (name, from, to) => {
  expect(period(name, { now: NOW })).toEqual({ from, to });
});

test('periods are UTC dates in every time zone, and cross years and leap days', () => {
  const zone = process.env['TZ'];
  process.env['TZ'] = 'Pacific/Kiritimati';
  try {
    expect(period('today', { now: NOW })).toEqual({ from: '2026-11-22', to: '2026-11-22' });
    expect(period('last_month', { now: Date.UTC(2024, 2, 31) })).toEqual({ from: '2024-02-01', to: '2024-02-29' });
    expect(period('last_quarter', { now: Date.UTC(2026, 0, 1) })).toEqual({ from: '2025-10-01', to: '2025-12-31' });
    expect(period('last_month', { now: Date.UTC(2026, 0, 31) })).toEqual({ from: '2025-12-01', to: '2025-12-31' });
  } finally {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  }
});

test('an unknown period or time is refused, and the message lists the known ones', () => {
  expect(() => period('last_fortnight' as PeriodName)).toThrow('Use one of today, yesterday');
  expect(() => period('today', { now: new Date('never') })).toThrow('now is not a valid date');
  for (const name of PERIODS) expect(period(name).from <= period(name).to).toBe(true);
});

test.each<[Period, Compare, string, string]>([
  ['today', 'previous', '2026-11-21', '2026-11-21'],
  ['last_7_days', 'previous', '2026-11-09', '2026-11-15'],
  ['45d', 'previous', '2026-08-25', '2026-10-08'],
  ['week_to_date', 'previous', '2026-11-09', '2026-11-15'],
  ['last_week', 'previous', '2026-11-02', '2026-11-08'],
  ['month_to_date', 'previous', '2026-10-01', '2026-10-22'],
  ['quarter_to_date', 'previous', '2026-07-01', '2026-08-22'],
  ['year_to_date', 'previous', '2025-01-01', '2025-11-22'],
  ['last_month', 'previous', '2026-09-01', '2026-09-30'],
  ['last_quarter', 'previous', '2026-04-01', '2026-06-30'],
  ['last_year', 'previous', '2024-01-01', '2024-12-31'],
  ['month_to_date', 'year', '2025-11-01', '2025-11-22'],
  ['last_month', 'year', '2025-10-01', '2025-10-31'],
  ['week_to_date', 'year', '2025-11-17', '2025-11-23'],
  ['last_28_days', 'year', '2025-10-27', '2025-11-23'],
  [{ from: '2026-11-16', to: '2026-11-22' }, 'previous', '2026-11-09', '2026-11-15'],
  [{ from: '2026-11-16', to: '2026-11-19' }, 'previous', '2026-11-09', '2026-11-12'],
  [{ from: '2026-11-01', to: '2026-11-22' }, 'previous', '2026-10-01', '2026-10-22'],
  [{ from: '2026-10-01', to: '2026-10-20' }, 'previous', '2026-09-01', '2026-09-20'],
  [{ from: '2026-11-01', to: '2026-11-01' }, 'previous', '2026-10-31', '2026-10-31'],
  [{ from: '2026-10-01', to: '2026-11-22' }, 'previous', '2026-07-01', '2026-08-22'],
  [{ from: '2026-01-01', to: '2026-11-22' }, 'previous', '2025-01-01', '2025-11-22'],
  [{ from: '2026-07-01', to: '2026-09-30' }, 'previous', '2026-04-01', '2026-06-30'],
  [{ from: '2026-09-10', to: '2026-11-20' }, 'previous', '2026-06-30', '2026-09-09'],
  [{ from: '2026-03-01', to: '2026-03-30' }, 'previous', '2026-02-01', '2026-02-28'],
  [{ from: '2025-02-01', to: '2025-02-28' }, 'year', '2024-02-01', '2024-02-29'],
  [{ from: '2026-11-16', to: '2026-11-22' }, 'year', '2025-11-17', '2025-11-23'],
])('%j with %s is compared with %s to %s, whatever the grain', (of, compare, from, to) => {
  expect(comparedDates(of, compare, { now: NOW })).toMatchObject({ from, to });
});

test.each<[Period, Compare, string]>([
  ['last_28_days', 'previous', 'the 28 days before'],
  ['month_to_date', 'previous', 'the same days of the month before'],
  ['last_quarter', 'previous', 'the quarter before'],
  [{ from: '2026-11-01', to: '2026-11-20' }, 'year', 'the same days of the year before'],
  [{ from: '2026-10-01', to: '2026-11-20' }, 'previous', 'the same days of the quarter before'],
  [{ from: '2026-02-01', to: '2026-03-20' }, 'previous', 'the same days of the 2 months before'],
  ['last_28_days', 'year', '52 weeks before'],
])('the rule by which %j is compared with %s is named: %s', (of, compare, rule) => {
  expect(comparedDates(of, compare, { now: NOW }).rule).toBe(rule);
});

test('a name decides where dates could be two periods: the last seven days on the seventh of a month', () => {
  const now = new Date('2026-11-07T12:00Z');
  expect(comparedDates('last_7_days', 'previous', { now })).toMatchObject({ from: '2026-10-25', to: '2026-10-31' });
  expect(comparedDates('month_to_date', 'previous', { now })).toMatchObject({ from: '2026-10-01', to: '2026-10-07' });
});

test('the periods of a range are clipped to it', () => {
  const iso = (grain: TimeGrain, from: string, to: string): string[] =>
    periodStarts({ from, to }, grain).map((start) => new Date(start).toISOString().slice(0, 13));
  expect(iso('week', '2025-11-05', '2025-11-12')).toEqual(['2025-11-05T00', '2025-11-10T00']);
  expect(iso('month', '2025-10-20', '2025-12-03')).toEqual(['2025-10-20T00', '2025-11-01T00', '2025-12-01T00']);
  expect(iso('total', '2025-10-20', '2025-12-03')).toEqual(['2025-10-20T00']);
  expect(iso('hour', '2025-03-30', '2025-03-30')).toHaveLength(24);
});
