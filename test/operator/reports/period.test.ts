import { expect, test } from 'vitest';
import { comparedDates, period, PERIODS, type Compare, type PeriodName } from '../../../src/operator.ts';
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
    expect(period('last_month', { now: new Date('2024-03-31T12:00Z') })).toEqual({
      from: '2024-02-01',
      to: '2024-02-29',
    });
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

test.each<[string, string, Compare, TimeGrain, string, string]>([
  ['2026-11-16', '2026-11-22', 'previous', 'day', '2026-11-09', '2026-11-15'],
  ['2026-11-01', '2026-11-22', 'previous', 'total', '2026-10-10', '2026-10-31'],
  ['2026-10-01', '2026-10-31', 'previous', 'day', '2026-09-01', '2026-09-30'],
  ['2026-07-01', '2026-09-30', 'previous', 'total', '2026-04-01', '2026-06-30'],
  ['2026-11-04', '2026-11-13', 'previous', 'week', '2026-10-21', '2026-10-30'],
  ['2026-09-10', '2026-11-20', 'previous', 'month', '2026-06-10', '2026-08-20'],
  ['2026-03-31', '2026-03-31', 'previous', 'month', '2026-02-28', '2026-02-28'],
  ['2026-11-16', '2026-11-22', 'year', 'day', '2025-11-17', '2025-11-23'],
  ['2026-02-01', '2026-02-28', 'year', 'total', '2025-02-01', '2025-02-28'],
  ['2025-02-01', '2025-02-28', 'year', 'month', '2024-02-01', '2024-02-29'],
  ['2026-02-01', '2026-02-28', 'year', 'day', '2025-02-02', '2025-03-01'],
])('%s to %s with %s by %s is compared with %s to %s', (from, to, compare, grain, before, until) => {
  expect(comparedDates({ from, to }, compare, grain)).toEqual({ from: before, to: until });
});

test('the periods of a range are clipped to it', () => {
  const iso = (grain: TimeGrain, from: string, to: string): string[] =>
    periodStarts({ from, to }, grain).map((start) => new Date(start).toISOString().slice(0, 13));
  expect(iso('week', '2025-11-05', '2025-11-12')).toEqual(['2025-11-05T00', '2025-11-10T00']);
  expect(iso('month', '2025-10-20', '2025-12-03')).toEqual(['2025-10-20T00', '2025-11-01T00', '2025-12-01T00']);
  expect(iso('total', '2025-10-20', '2025-12-03')).toEqual(['2025-10-20T00']);
  expect(iso('hour', '2025-03-30', '2025-03-30')).toHaveLength(24);
});
