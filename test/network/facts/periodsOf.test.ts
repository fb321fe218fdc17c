import { expect, test } from 'vitest';
import { periodsOf } from '../../../src/network/facts/periodsOf.ts';

test.each([
  ['2025-11-05T00:00:00.000Z', '2025-11-05T00:00:00.000Z', '2025-11-05', '2025-11-03', '2025-11-01'],
  ['2025-11-09T23:59:59.999Z', '2025-11-09T23:00:00.000Z', '2025-11-09', '2025-11-03', '2025-11-01'],
  ['2025-01-01T12:30:00Z', '2025-01-01T12:00:00.000Z', '2025-01-01', '2024-12-30', '2025-01-01'],
  ['2024-02-29T05:00:00Z', '2024-02-29T05:00:00.000Z', '2024-02-29', '2024-02-26', '2024-02-01'],
  ['1969-12-31T23:10:00Z', '1969-12-31T23:00:00.000Z', '1969-12-31', '1969-12-29', '1969-12-01'],
])('R19 %s belongs to its UTC hour, day, Monday and month', (at, hour, day, week_start, month_start) => {
  expect(periodsOf(new Date(at))).toEqual({ hour, day, week_start, month_start });
});
